/** The audit: events of all runs, how many there are of what, and saved questions. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { limits } from '@signalbox/core'
import { statsKeys } from '@signalbox/postgres'
import type { Api, ApiEnv } from '../api.ts'
import { answers, reply } from '../answers.ts'
import { exportResponse } from '../audit/export.ts'
import { type Format, FormatName, formatOf, mediaTypes } from '../audit/format.ts'
import { inBounds } from '../audit/in-bounds.ts'
import { filterOf, searchFilters } from '../audit/query.ts'
import { GroupBy, Stats, statsView } from '../audit/stats.ts'
import { nextLink } from '../next-link.ts'
import { Problem } from '../problem.ts'
import { Event, eventView } from '../wire/event-view.ts'
import { Flag, Limit, wholeNumber } from '../wire/ids.ts'

const tags = ['Audit']
const pageDefault = 100

const AuditQuery = z.object({
  ...searchFilters,
  format: FormatName,
  header: Flag,
  limit: wholeNumber(limits.exportRowsMax)
    .pipe(z.number().min(1, 'takes at least 1'))
    .optional()
    .openapi({ type: 'integer', minimum: 1, maximum: limits.exportRowsMax }),
})

const Page = z.object({
  events: z.array(Event),
  /** Where to go on, as `after`; null at the end of what is there now. A page of a search may be empty and have one. */
  next: z.string().nullable(),
})

export function auditRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  eventsRoute(app, api)
  statsRoute(app, api)
}

function eventsRoute(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const audit = createRoute({
    method: 'get',
    path: '/events',
    tags,
    summary: 'The audit: events of all runs, in the order of the feed',
    request: { query: AuditQuery },
    responses: answers({ description: 'Events.', schema: Page, types: Object.values(mediaTypes) }, [
      'question_too_broad',
    ]),
  })
  app.openapi(audit, async (c) => {
    const { format: named, header = true, limit, ...query } = c.req.valid('query')
    const caller = c.get('caller')
    const { tenantId } = caller
    const format = formatOf(c, named)
    const filter = await filterOf(api, tenantId, query)
    const { url } = c.req
    if (format !== 'json')
      return exportResponse(api, { caller, query, filter, format, limit, header, url })
    await api.logReads.searched(caller, '/events')
    const size = pageSize(limit)
    const { events, next } =
      filter === null
        ? { events: [], next: null }
        : await inBounds(() => api.read.audit(tenantId, { ...filter, limit: size }))
    const headers = next === null ? {} : { link: nextLink(url, next) }
    return reply(c, { events: events.map(eventView), next }, { headers })
  })
}

function pageSize(limit = pageDefault): number {
  if (limit <= limits.pageMax) return limit
  const others: readonly Format[] = ['ndjson', 'csv', 'parquet']
  throw new Problem('invalid_request', {
    detail: `limit: takes at most ${limits.pageMax} for JSON; more with format=${others.join(', ')}`,
    field: 'limit',
  })
}

function statsRoute(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const stats = createRoute({
    method: 'get',
    path: '/events/stats',
    tags,
    summary: `Counts events, or the runs that have them, by up to ${limits.statsKeysMax} of: ${statsKeys.join(', ')}`,
    request: {
      query: z.object({
        ...searchFilters,
        group_by: GroupBy,
        of: z.enum(['events', 'runs']).optional(),
        limit: Limit,
      }),
    },
    responses: answers({ description: 'Counts.', schema: Stats }, ['question_too_broad']),
  })
  app.openapi(stats, async (c) => {
    const {
      group_by: by,
      of = 'events',
      limit = limits.statsGroupsMax,
      ...query
    } = c.req.valid('query')
    const caller = c.get('caller')
    const { tenantId } = caller
    const filter = await filterOf(api, tenantId, query)
    await api.logReads.searched(caller, '/events/stats')
    const groups =
      filter === null ? [] : await inBounds(() => api.read.auditStats(tenantId, filter, { by, of }))
    return reply(c, statsView(by, groups, limit))
  })
}
