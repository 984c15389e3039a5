/** Runs of all threads: which there are, how many, and what each waits for. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { limits } from '@signalbox/core'
import { isRunPosition } from '@signalbox/postgres'
import type { Api, ApiEnv } from '../api.ts'
import { answers, reply } from '../answers.ts'
import { inBounds, narrowingRuns } from '../audit/in-bounds.ts'
import { nextLink } from '../next-link.ts'
import { listedDocument } from '../run-document.ts'
import { Limit } from '../wire/ids.ts'
import { RunGroupBy, RunStats, runStatsKeys, runStatsView } from '../wire/run-stats.ts'
import { runConditionsOf, runFilters } from '../wire/run-filter.ts'
import { Run } from '../wire/run-view.ts'

const tags = ['Runs']
const pageDefault = 100

const Search = z.strictObject({
  ...runFilters,
  limit: Limit,
  /** `next` of the page before. */
  after: z
    .string()
    .refine(isRunPosition, 'takes the position of a run, as `next` gave it')
    .optional(),
})

const Page = z
  .object({
    runs: z.array(Run),
    /** Where to go on, as `after`; null at the end. */
    next: z.string().nullable(),
  })
  .openapi('RunPage')

export function runSearchRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const list = createRoute({
    method: 'get',
    path: '/runs',
    tags,
    summary: 'Lists runs of all threads, newest first',
    request: { query: Search },
    responses: answers({ description: 'A page of runs.', schema: Page }, ['question_too_broad']),
  })
  app.openapi(list, async (c) => {
    const { limit = pageDefault, after, ...asked } = c.req.valid('query')
    const search = { ...runConditionsOf(api, asked), limit, after }
    const { tenantId } = c.get('caller')
    const { runs, next } = await inBounds(
      () => api.read.searchRuns(tenantId, search),
      narrowingRuns,
    )
    const headers = next === null ? {} : { link: nextLink(c.req.url, next) }
    return reply(c, { runs: runs.map((run) => listedDocument(run)), next }, { headers })
  })

  const stats = createRoute({
    method: 'get',
    path: '/runs/stats',
    tags,
    summary: `Counts runs by up to ${limits.statsKeysMax} of: ${runStatsKeys.join(', ')}`,
    request: { query: z.strictObject({ ...runFilters, group_by: RunGroupBy, limit: Limit }) },
    responses: answers({ description: 'Counts.', schema: RunStats }, ['question_too_broad']),
  })
  app.openapi(stats, async (c) => {
    const { group_by: by, limit = limits.statsGroupsMax, ...asked } = c.req.valid('query')
    const { tenantId } = c.get('caller')
    // What a status is on the wire follows from that of the register and from the outcome.
    const columns = by.flatMap((key) =>
      key === 'status' ? (['status', 'outcome'] as const) : [key],
    )
    const filter = runConditionsOf(api, asked)
    const counts = await inBounds(
      () => api.read.countRuns(tenantId, filter, [...new Set(columns)]),
      narrowingRuns,
    )
    return reply(c, runStatsView(by, counts, limit))
  })
}
