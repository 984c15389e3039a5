/** Cancelling runs of a thread together: those that are named, or all that are in a status. */
import { z } from '@hono/zod-openapi'
import { limits, type RunStatus } from '@signalbox/core'
import type { RunHead } from '@signalbox/engine'
import type { Api, Identified } from '../../http/api.ts'
import { recordCancel } from '../../http/cancel-run.ts'
import { findRun } from '../../http/find.ts'
import type { CancelAction } from '../../http/wire/cancel-action.ts'
import { Id, Term } from '../../http/wire/ids.ts'
import { OpenRuns } from '../../http/wire/run-filter.ts'
import { each } from './each.ts'

const runsMax = 1000

/** Strict, since a `dry_run` in another spelling would cancel. */
export const RunsCancel = z
  .strictObject({
    thread_id: Id.optional(),
    run_ids: z.array(Id).min(1, 'takes at least one run').max(runsMax).nullish(),
    /** `pending` waits for its thread, `running` works or waits for a human, `all` is both. */
    status: z.enum(['pending', 'running', 'all']).nullish(),
    /** Instead of all of these: the runs of all threads that it finds. Then the answer says which they are. */
    filter: OpenRuns.optional(),
    /** With `filter`: how many at most. */
    limit: z.number().int().min(1).max(runsMax).default(runsMax),
    /** With `filter`: says which runs it would be, and cancels none. */
    dry_run: z.boolean().default(false),
    /** Stands in the log. */
    reason: Term.optional(),
  })
  .superRefine(({ thread_id, run_ids, status, filter, dry_run }, context) => {
    const refuse = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message })
    if (filter) {
      if (thread_id ?? run_ids ?? status)
        refuse('filter', 'takes nothing of thread_id, run_ids and status beside it')
      return
    }
    if (thread_id === undefined) refuse('thread_id', 'takes a thread where there is no filter')
    if (Boolean(run_ids) === Boolean(status))
      refuse('status', 'takes a status where no run_ids are given, and nothing beside them')
    if (dry_run) refuse('dry_run', 'takes true with a filter only')
  })
  .openapi('RunsCancel')
export type RunsCancel = z.output<typeof RunsCancel>

/** Runs of one thread. */
export interface ThreadCancel extends Pick<RunsCancel, 'run_ids' | 'status' | 'reason'> {
  readonly thread_id: string
  readonly action?: CancelAction | undefined
}

const among: Readonly<Record<NonNullable<RunsCancel['status']>, readonly RunStatus[]>> = {
  pending: ['queued'],
  running: ['running', 'waiting'],
  all: ['queued', 'running', 'waiting'],
}

const isQueued = (run: RunHead): boolean => run.status === 'queued'

/** From the answer on no new effect of these runs starts. Runs that have ended already stay as they are. */
export async function cancelRuns(api: Api, caller: Identified, which: ThreadCancel): Promise<void> {
  const { thread_id, run_ids, status, action, reason } = which
  const runs = run_ids
    ? await each(run_ids, (run_id) => findRun(api, caller, { run_id, thread_id }))
    : await openRuns(api, caller, { threadId: thread_id, statuses: among[status ?? 'all'] })
  // What waits first: else the end of the one that runs would start the next.
  for (const some of [runs.filter(isQueued), runs.filter((run) => !isQueued(run))])
    await each(some, (run) => recordCancel(api, caller, { run, action, reason }))
}

async function openRuns(
  api: Api,
  { tenantId }: Identified,
  which: { readonly threadId: string; readonly statuses: readonly RunStatus[] },
): Promise<readonly RunHead[]> {
  const { threadId, statuses } = which
  const found: RunHead[] = []
  for (;;) {
    const page = { limit: limits.pageMax, offset: found.length }
    const filter = { threadId, among: { statuses, outcomes: [] }, ...page }
    const runs = await api.read.runs(tenantId, filter)
    found.push(...runs)
    if (runs.length < limits.pageMax) return found
  }
}
