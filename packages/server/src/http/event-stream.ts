import { sseComment, textStream } from '../stream/sse.ts'
import type { Api } from './api.ts'
import { Problem } from './problem.ts'

/** A client that takes nothing for this long is gone. */
export const stallMs = 60_000

/**
 * Server-sent events of any wire, in one of the streams that a process may have open. `texts` is told when the client is
 * gone, `onLeft` if it went before the end. @throws Problem `too_many_streams`
 */
export function eventStream(
  api: Pick<Api, 'streams' | 'log' | 'settings'>,
  texts: (gone: AbortSignal) => AsyncGenerator<string, void, undefined>,
  options: {
    readonly headers?: Readonly<Record<string, string>>
    readonly onLeft?: (() => void) | undefined
  } = {},
): Response {
  const { headers = {}, onLeft = () => {} } = options
  const release = takeStreamSlot(api)
  const gone = new AbortController()
  const onGone = () => {
    gone.abort()
    release()
  }
  // Later than what a stream says by itself while nothing happens.
  const beat = { text: sseComment('heartbeat'), afterMs: api.settings.heartbeatMs + 500 }
  const bytes = textStream(texts(gone.signal), { stallMs, onGone, onLeft, log: api.log, beat })
  return new Response(bytes, {
    headers: {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      ...headers,
    },
  })
}

/** One of the streams that a process may have open, and the way to give it back. @throws Problem `too_many_streams` */
export function takeStreamSlot({ streams }: Pick<Api, 'streams'>): () => void {
  const release = streams.take()
  if (release) return release
  throw new Problem('too_many_streams', {
    detail: `${streams.max} streams are open, which is the limit of this process.`,
    headers: { 'retry-after': '5' },
  })
}
