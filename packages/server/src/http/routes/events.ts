/** Events of one run. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { limits } from '@signalbox/core'
import type { Api, ApiEnv } from '../api.ts'
import { answers, reply } from '../answers.ts'
import { findRun } from '../find.ts'
import { ndjsonResponse, wantsNdjson } from '../ndjson.ts'
import { Event, eventView } from '../wire/event-view.ts'
import { AfterSeq, Limit } from '../wire/ids.ts'
import { runAddresses } from './runs.ts'

const tags = ['Events']
const pageDefault = 100
const types = ['application/json', 'application/x-ndjson']

const schema = z.object({
  events: z.array(Event),
  /** Where to go on, as `after`; null at the end of what is there now. */
  next: z.number().int().nullable(),
})

export function eventRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  for (const { path, params } of runAddresses) {
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
      if (wantsNdjson(c)) return ndjsonResponse(api, runPages(api, head, { after, limit }))
      const size = limit ?? pageDefault
      const found = await api.read.runEvents(head.tenantId, head.runId, { after, limit: size })
      const next = found.length === size ? (found.at(-1)?.seq ?? null) : null
      return reply(c, { events: found.map(eventView), next })
    })
  }
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
