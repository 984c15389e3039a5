/** What a package is given of the bytes of a response: the same bytes, in pieces that its reader takes well. */
import { WholeMessages } from './whole-messages.ts'

export interface Passage {
  push(chunk: Uint8Array): readonly Uint8Array[]
  /** What is left, once no more comes. */
  flush(): readonly Uint8Array[]
}

/** By the type of the content, as the response names it. */
export function passageFor(contentType: string | null): Passage {
  if (contentType?.startsWith('text/event-stream')) return new EventLines()
  if (contentType?.startsWith('application/vnd.amazon.eventstream')) return new WholeMessages()
  return { push: (chunk) => [chunk], flush: () => [] }
}

const [lf, cr] = [0x0a, 0x0d]

/** Readers of events wait for the LF of a CRLF: a line that ended in CR alone, as the last one, has ended all the same. */
class EventLines implements Passage {
  #last: number | undefined

  push(chunk: Uint8Array): readonly Uint8Array[] {
    this.#last = chunk.at(-1) ?? this.#last
    return [chunk]
  }

  flush(): readonly Uint8Array[] {
    return this.#last === cr ? [Uint8Array.of(lf)] : []
  }
}
