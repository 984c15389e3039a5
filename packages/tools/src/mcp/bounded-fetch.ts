/** `fetch` for MCP over HTTP: no single message of a server can fill the memory. */
import { messageBytesMax } from './child-transport.ts'

/** Fails the body of a response whose message, or event of an event stream, is longer than `messageBytesMax` bytes. */
export async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init)
  if (response.body === null) return response
  const events = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
  return new Response(response.body.pipeThrough(boundedEvents(events)), response)
}

const [lf, cr] = [0x0a, 0x0d]

/**
 * Counts the bytes of a body, or of each event of it: those end with an empty line, whichever of its three ends a line has (LF, CR, CRLF),
 * and wherever the pieces are cut. A long-lived stream of short events may go on for ever.
 */
function boundedEvents(perEvent: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  let last: number | undefined
  let isLineEmpty = false
  const count = (chunk: Uint8Array): void => {
    if (!perEvent) {
      bytes += chunk.byteLength
      return
    }
    for (const byte of chunk) {
      bytes += 1
      // The second half of one line end.
      const isSame = byte === lf && last === cr
      last = byte
      if (isSame) continue
      if (byte !== lf && byte !== cr) isLineEmpty = false
      else if (isLineEmpty) bytes = 0
      else isLineEmpty = true
    }
  }
  return new TransformStream({
    transform(chunk, controller) {
      count(chunk)
      if (bytes > messageBytesMax)
        controller.error(new Error(`the server sent more than ${messageBytesMax} bytes at once`))
      else controller.enqueue(chunk)
    },
  })
}
