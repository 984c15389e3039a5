/** The answer that tells a message. */
import type { RunHead } from '@signalbox/engine'
import type { Api } from '../../http/api.ts'
import { runLocation } from '../../http/long-answers.ts'
import { Problem } from '../../http/problem.ts'
import { textStream } from '../../stream/sse.ts'
import { messageTexts } from './message-texts.ts'

/** A client that takes nothing for this long is gone. */
const stallMs = 60_000

/**
 * The message of a run as a UI message stream: whole, or for a client that has begun so many steps of it from the last of
 * these on. The run goes on whether or not anybody reads. @throws Problem if too many streams are open
 */
export function messageStream(api: Api, head: RunHead, steps: number | null = null): Response {
  const release = api.streams.take()
  if (!release)
    throw new Problem('too_many_streams', {
      detail: `${api.streams.max} streams are open, which is the limit of this process.`,
      headers: { 'retry-after': '5' },
    })
  const gone = new AbortController()
  const texts = messageTexts({ ...api, ...api.settings }, { head, steps, gone: gone.signal })
  const onGone = () => {
    gone.abort()
    release()
  }
  return new Response(textStream(texts, { stallMs, onGone, log: api.log }), {
    headers: {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      'x-vercel-ai-ui-message-stream': 'v1',
      'content-location': runLocation(head),
    },
  })
}
