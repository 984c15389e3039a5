/** The stream of a thread in LangGraph's older words: what its runs do, one after the other. */
import { z } from '@hono/zod-openapi'
import type { Channel, TapeEvent } from './tape/tape-event.ts'

const ThreadStreamMode = z.enum(['run_modes', 'lifecycle', 'state_update'])
type ThreadStreamMode = z.infer<typeof ThreadStreamMode>

const channelsOf: Readonly<Record<ThreadStreamMode, readonly Channel[]>> = {
  run_modes: ['values', 'updates', 'messages', 'tasks', 'custom'],
  lifecycle: ['lifecycle', 'input'],
  state_update: ['checkpoints'],
}

/** One mode or several, default `run_modes`. */
export const ThreadStreamModes = z
  .union([ThreadStreamMode, z.array(ThreadStreamMode)], {
    error: `takes one or several of ${ThreadStreamMode.options.join(', ')}`,
  })
  .optional()
  .transform((asked): readonly ThreadStreamMode[] =>
    typeof asked === 'string' ? [asked] : (asked ?? ['run_modes']),
  )
  .openapi({ type: 'array', items: { type: 'string', enum: ThreadStreamMode.options } })

/** Which events these modes show. */
export const threadChannels = (modes: readonly ThreadStreamMode[]): ReadonlySet<Channel> =>
  new Set(modes.flatMap((mode) => channelsOf[mode]))

/** An event as that stream names it. */
export function threadFrame(event: TapeEvent) {
  if (event.channel === 'checkpoints') return { event: 'state_update', data: event.data() }
  return { event: event.method, data: event.data() }
}
