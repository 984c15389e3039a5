/** Events: of one run, and of everything (the audit). */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { limits } from '@signalbox/core'
import type { AuditEvent, AuditFilter } from '@signalbox/postgres'
import type { Api, ApiEnv } from '../api.ts'
import { answers, reply } from '../answers.ts'
import { findRun } from '../find.ts'
import { ndjsonResponse, wantsNdjson } from '../ndjson.ts'
import { nextLink } from '../next-link.ts'
import { Event, eventView } from '../wire/event-view.ts'
import { AfterSeq, Id, Instant, Limit, Term } from '../wire/ids.ts'
import { runAddresses } from './runs.ts'

const tags = ['Events']
const pageDefault = 100
const types = ['application/json', 'application/x-ndjson']

const page = (next: z.ZodType) =>
  z.object({
    events: z.array(Event),
    /** Where to go on, as `after`; null at the end of what is there now. */
    next: next.nullable(),
  })

export function eventRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  for (const { path, params } of runAddresses) {
    const schema = page(z.number().int())
    const list = createRoute({
      method: 'get',
      path: `${path}/events`,
      tags,
      summary: 'Lists the events of a run, in order',
      request: { params, query: z.object({ after: AfterSeq, limit: Limit }) },
      responses: answers({ description: 'Events.', schema, types }, ['unknown_run']),
    })
    app.openapi(list, async (c) => {
      const { after = 0, limit } = c.req.valid('query')
      const head = await findRun(api, c.get('caller'), c.req.valid('param'))
      if (wantsNdjson(c)) return ndjsonResponse(runPages(api, head, { after, limit }))
      const size = limit ?? pageDefault
      const found = await api.read.runEvents(head.tenantId, head.runId, { after, limit: size })
      const next = found.length === size ? (found.at(-1)?.seq ?? null) : null
      return reply(c, { events: found.map(eventView), next })
    })
  }
  auditRoute(app, api)
}

async function* runPages(
  api: Pick<Api, 'read'>,
  run: { readonly tenantId: string; readonly runId: string },
  from: { readonly after: number; readonly limit: number | undefined },
) {
  let { after } = from
  let left = from.limit ?? Number.POSITIVE_INFINITY
  while (left > 0) {
    const limit = Math.min(left, limits.pageMax)
    const found = await api.read.runEvents(run.tenantId, run.runId, { after, limit })
    yield found.map(eventView)
    if (found.length < limit) return
    after = found.at(-1)?.seq ?? after
    left -= found.length
  }
}

/** A transaction and a place in it, as unsigned and signed 64-bit numbers. */
function isPosition(text: string): boolean {
  const [, transaction, place] = /^(\d{20})-(\d{20})$/.exec(text) ?? []
  if (transaction === undefined || place === undefined) return false
  return BigInt(transaction) < 2n ** 64n && BigInt(place) < 2n ** 63n
}

const AuditQuery = z.object({
  type: Term.optional(),
  thread_id: Id.optional(),
  run_id: Id.optional(),
  tool: Term.optional(),
  actor: Term.optional(),
  verdict: Term.optional(),
  since: Instant,
  until: Instant,
  after: z
    .string()
    .refine(isPosition, 'takes the position of an event, as `next` or `position` gave it')
    .optional(),
  limit: Limit,
})

function auditRoute(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const audit = createRoute({
    method: 'get',
    path: '/events',
    tags,
    summary: 'The audit: events of all runs, in the order of the feed',
    request: { query: AuditQuery },
    responses: answers({ description: 'Events.', schema: page(z.string()), types }),
  })
  app.openapi(audit, async (c) => {
    const query = c.req.valid('query')
    const { tenantId } = c.get('caller')
    const filter = await filterOf(api, tenantId, query)
    if (wantsNdjson(c)) return ndjsonResponse(auditPages(api, tenantId, filter))
    const limit = query.limit ?? pageDefault
    const found = await readAudit(api, tenantId, { ...filter, limit })
    const next = found.length === limit ? (found.at(-1)?.position ?? null) : null
    const headers = next === null ? {} : { link: nextLink(c.req.url, next) }
    return reply(c, { events: found.map(eventView), next }, { headers })
  })
}

/** Null: the run that is asked for is not there, so nothing is. */
type Filter = AuditFilter | null

async function filterOf(
  api: Pick<Api, 'read'>,
  tenantId: string,
  query: z.output<typeof AuditQuery>,
): Promise<Filter> {
  const { run_id, thread_id: threadId, ...rest } = query
  const run = run_id === undefined ? null : await api.read.run(tenantId, run_id)
  if (run_id !== undefined && !run) return null
  const filter = { ...rest, threadId, ...(run ? { runId: run.runId } : {}) }
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined))
}

async function readAudit(
  api: Pick<Api, 'read'>,
  tenantId: string,
  filter: Filter,
): Promise<readonly AuditEvent[]> {
  return filter === null ? [] : api.read.events(tenantId, filter)
}

async function* auditPages(api: Pick<Api, 'read'>, tenantId: string, filter: Filter) {
  if (filter === null) return
  let { after } = filter
  let left = filter.limit ?? Number.POSITIVE_INFINITY
  while (left > 0) {
    const limit = Math.min(left, limits.pageMax)
    const from = after === undefined ? {} : { after }
    const found = await readAudit(api, tenantId, { ...filter, ...from, limit })
    yield found.map(eventView)
    if (found.length < limit) return
    after = found.at(-1)?.position ?? after
    left -= found.length
  }
}
