/**
 * Scripted models without a network: a `fetch` that answers from the script. Everything above it, the provider
 * package, the observer and the turn, is what real providers go through.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Played, play } from './play.ts'
import type { Scripts } from './script.ts'

/** The address scripted models are called at. Nothing listens there. */
export const scriptedUrl = 'http://scripted.invalid/v1'

/** A `fetch` for the provider `scripted`. */
export function scriptedFetch(scripts: Scripts): typeof globalThis.fetch {
  return async (_input, init) => {
    const signal = init?.signal ?? undefined
    signal?.throwIfAborted()
    const played = play(scripts, typeof init?.body === 'string' ? init.body : '')
    if (played.kind === 'status')
      return new Response(played.body, { status: played.status, headers: played.headers })
    return new Response(eventStream(played, signal), {
      headers: { 'content-type': 'text/event-stream' },
    })
  }
}

function eventStream(
  { events, delayMs, reset }: Extract<Played, { kind: 'stream' }>,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const left = [...events]
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (delayMs > 0) await sleep(delayMs, undefined, signal ? { signal } : {})
      signal?.throwIfAborted()
      const event = left.shift()
      if (event !== undefined) controller.enqueue(encoder.encode(event))
      else if (reset) controller.error(new TypeError('terminated'))
      else controller.close()
    },
  })
}
