/** The answer that tells a message. */
import type { RunHead } from '@signalbox/engine'
import type { Api } from '../../http/api.ts'
import { eventStream } from '../../http/event-stream.ts'
import { runLocation } from '../../http/long-answers.ts'
import { messageTexts } from './message-texts.ts'

/**
 * The message of a run as a UI message stream: whole, or for a client that has begun so many steps of it from the last of
 * these on. The run goes on whether or not anybody reads. @throws Problem if too many streams are open
 */
export function messageStream(api: Api, head: RunHead, steps: number | null = null): Response {
  const sources = { ...api, ...api.settings }
  return eventStream(api, (gone) => messageTexts(sources, { head, steps, gone }), {
    headers: { 'x-vercel-ai-ui-message-stream': 'v1', 'content-location': runLocation(head) },
  })
}
