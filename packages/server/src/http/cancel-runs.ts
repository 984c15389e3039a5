/** Cancelling the runs that a filter finds. */
import { z } from '@hono/zod-openapi'
import type { ListedRun, RunConditions } from '@signalbox/postgres'
import type { Api, Identified } from './api.ts'
import { recordCancel } from './cancel-run.ts'
import { inBounds, narrowingRuns } from './audit/in-bounds.ts'
import type { CancelAction } from './wire/cancel-action.ts'
import { runConditionsOf, type OpenRuns } from './wire/run-filter.ts'
import { each } from '../wires/langgraph/each.ts'

export const RunsCancelled = z
  .object({
    /** The runs that were cancelled, or would be. Of those that wait for their thread first. */
    run_ids: z.array(z.string()),
    count: z.number().int(),
    /** Are there more? The same request again cancels them. */
    more: z.boolean(),
    dry_run: z.boolean(),
  })
  .openapi('RunsCancelled')
export type RunsCancelled = z.infer<typeof RunsCancelled>

export interface CancelFiltered {
  readonly filter: z.output<typeof OpenRuns>
  readonly limit: number
  readonly dryRun: boolean
  readonly action: CancelAction | undefined
  readonly reason: string | undefined
}

/** From the answer on no new effect of these runs starts. */
export async function cancelFiltered(
  api: Api,
  caller: Identified,
  { filter, limit, dryRun, action, reason }: CancelFiltered,
): Promise<RunsCancelled> {
  const { runs, more } = await openRuns(api, caller, {
    ...runConditionsOf(api, filter),
    limit,
  })
  if (!dryRun)
    for (const some of [runs.filter(isQueued), runs.filter((run) => !isQueued(run))])
      await each(some, (run) => recordCancel(api, caller, { run, action, reason }))
  return { run_ids: runs.map(({ runId }) => runId), count: runs.length, more, dry_run: dryRun }
}

const isQueued = ({ status }: ListedRun): boolean => status === 'queued'

/** What waits for its thread first: else the end of the one that runs would start the next. */
async function openRuns(
  { read }: Api,
  { tenantId }: Identified,
  { limit, ...conditions }: RunConditions & { readonly limit: number },
): Promise<{ readonly runs: readonly ListedRun[]; readonly more: boolean }> {
  const wanted = conditions.among?.statuses ?? (['queued', 'running', 'waiting'] as const)
  const found: ListedRun[] = []
  let more = false
  for (const isFirst of [true, false]) {
    const statuses = wanted.filter((status) => (status === 'queued') === isFirst)
    const search = { ...conditions, among: { statuses, outcomes: [] }, uncancelled: true, limit }
    const page = await inBounds(() => read.searchRuns(tenantId, search), narrowingRuns)
    found.push(...page.runs)
    more ||= page.next !== null
  }
  return { runs: found.slice(0, limit), more: more || found.length > limit }
}
