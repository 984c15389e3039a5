/** `fetch` for MCP over HTTP: no single message of a server can fill the memory. */
import { messageBytesMax } from './child-transport.ts'

/** Fails the body of a response whose message, or event of an event stream, is longer than `messageBytesMax` bytes. */
export async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init)
  if (response.body === null) return response
  const events = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
  return new Response(response.body.pipeThrough(limiter(events)), response)
}

function limiter(perEvent: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      // Events end with an empty line. A long-lived stream of short events may go on for ever.
      if (perEvent && Buffer.from(chunk).includes('\n\n')) bytes = 0
      bytes += chunk.byteLength
      if (bytes > messageBytesMax) {
        controller.error(new Error(`the server sent more than ${messageBytesMax} bytes at once`))
      } else {
        controller.enqueue(chunk)
      }
    },
  })
}
