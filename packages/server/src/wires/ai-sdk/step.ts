/**
 * The step of a message that is being shown: one turn of the model, with its text.
 *
 * S1 Text of a turn is shown once, in order: live pieces first, the rest when the turn is complete.
 * S2 Text that turned out otherwise (another attempt, a correction, another order of parts) is withdrawn by `reset-step`,
 *    and nothing else ever withdraws.
 */
import type { AssistantPart } from '@signalbox/core'
import type { LiveText } from '@signalbox/engine'
import type { Chunk } from './chunk.ts'

/** A stretch of what the model said. */
interface Stretch {
  readonly kind: 'text' | 'reasoning'
  readonly text: string
}

export class MessageStep {
  /** The message of the turn; null before the first. */
  #messageId: string | null = null
  /** What is on the screen of a turn that is not complete; null for nothing. */
  #live: { readonly attempt: number; readonly text: string } | null = null
  #steps = 0
  #parts = 0

  /** A turn begins, or is tried again: then it is the same step. */
  begin(messageId: string): readonly Chunk[] {
    if (this.#messageId === messageId) return []
    const before = this.end()
    this.#messageId = messageId
    this.#steps += 1
    this.#parts = 0
    return [...before, { type: 'start-step' }]
  }

  /** Text while it is written. Of a turn that is not this step's nothing is shown before it is complete. */
  say({ messageId, attempt, offset, text }: LiveText): readonly Chunk[] {
    const known = this.#live
    if (messageId !== this.#messageId || (known && attempt < known.attempt)) return []
    const anew = known !== null && attempt > known.attempt
    const shown = anew ? '' : (known?.text ?? '')
    if (offset > shown.length) return []
    const delta = text.slice(shown.length - offset)
    if (delta === '') return []
    const withdrawn = anew ? this.#reset() : []
    const begun = this.#live === null ? this.#open('text') : []
    this.#live = { attempt, text: shown + delta }
    return [...withdrawn, ...begun, { type: 'text-delta', id: this.#part, delta }]
  }

  /** What the model has said in a turn, as it is stored. */
  complete(messageId: string, parts: readonly AssistantPart[]): readonly Chunk[] {
    const begun = this.begin(messageId)
    const said = stretchesOf(parts)
    const [only, ...others] = said
    const shown = this.#live?.text ?? ''
    if (shown === '' || !only) return [...begun, ...this.withdraw(), ...this.#write(said)]
    if (only.kind !== 'text' || others.length > 0 || !only.text.startsWith(shown))
      return [...begun, ...this.withdraw(), ...this.#write(said)]
    const rest = only.text.slice(shown.length)
    const delta: Chunk = { type: 'text-delta', id: this.#part, delta: rest }
    return [...begun, ...(rest === '' ? [] : [delta]), ...this.#close()]
  }

  /** The text of the turn does not count. */
  withdraw(): readonly Chunk[] {
    return this.#live === null ? [] : this.#reset()
  }

  /** A sentence of ours in the message: why it ends here. */
  speak(messageId: string, text: string): readonly Chunk[] {
    const begun = this.#messageId === null ? this.begin(messageId) : []
    return [...begun, ...this.#close(), ...this.#write([{ kind: 'text', text }])]
  }

  end(): readonly Chunk[] {
    if (this.#messageId === null) return []
    const closed = this.#close()
    this.#messageId = null
    return [...closed, { type: 'finish-step' }]
  }

  /** The same for the same part, whatever was withdrawn before it. */
  get #part(): string {
    return `${this.#steps}.${this.#parts}`
  }

  #open(kind: Stretch['kind']): readonly Chunk[] {
    this.#parts += 1
    return [{ type: `${kind}-start`, id: this.#part }]
  }

  #close(): readonly Chunk[] {
    if (this.#live === null) return []
    this.#live = null
    return [{ type: 'text-end', id: this.#part }]
  }

  #reset(): readonly Chunk[] {
    this.#live = null
    this.#parts = 0
    return [{ type: 'reset-step' }]
  }

  #write(said: readonly Stretch[]): readonly Chunk[] {
    return said.flatMap(({ kind, text }): readonly Chunk[] => [
      ...this.#open(kind),
      { type: `${kind}-delta`, id: this.#part, delta: text },
      { type: `${kind}-end`, id: this.#part },
    ])
  }
}

/** Neighbours of a kind are one; calls between them do not count, since they are shown after all text. */
function stretchesOf(parts: readonly AssistantPart[]): readonly Stretch[] {
  const stretches: Stretch[] = []
  for (const part of parts) {
    const said = stretchOf(part)
    const last = stretches.at(-1)
    if (!said || said.text === '') continue
    if (last?.kind === said.kind) stretches.splice(-1, 1, { ...said, text: last.text + said.text })
    else stretches.push(said)
  }
  return stretches
}

function stretchOf(part: AssistantPart): Stretch | null {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return { kind: part.type, text: part.text }
    case 'blob':
      return { kind: 'text', text: part.preview }
    case 'tool_call':
    case 'provider_tool':
      return null
  }
}
