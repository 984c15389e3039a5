import { z } from '@hono/zod-openapi'
import type { RunHead } from '@signalbox/engine'
import type { ThreadView } from '@signalbox/postgres'
import { iso } from './iso.ts'

export const Thread = z
  .object({
    thread_id: z.string(),
    created_at: z.string(),
    updated_at: z.string(),
    metadata: z.record(z.string(), z.unknown()),
    /** `interrupted` if its current run waits for a human. Absent in listings. */
    status: z.enum(['idle', 'busy', 'interrupted', 'error']).optional(),
    values: z.null(),
  })
  .openapi('Thread')
export type Thread = z.infer<typeof Thread>

/** With the thread's newest runs, newest first, the view says how the thread is. */
export const threadView = (thread: ThreadView, runs?: readonly RunHead[]): Thread => ({
  thread_id: thread.threadId,
  created_at: iso(thread.createdAt),
  updated_at: iso(Math.max(thread.createdAt, ...(runs ?? []).map((run) => run.updatedAt))),
  metadata: { ...thread.metadata },
  ...(runs === undefined ? {} : { status: statusOf(runs) }),
  values: null,
})

function statusOf(runs: readonly RunHead[]): 'idle' | 'busy' | 'interrupted' | 'error' {
  const open = runs.filter((run) => run.status !== 'ended')
  if (open.some((run) => run.status === 'waiting')) return 'interrupted'
  if (open.length > 0) return 'busy'
  return runs[0]?.outcome === 'failed' ? 'error' : 'idle'
}
