/** Crons: made, searched, counted, changed, deleted. Who fires them stands in `crons/`. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import type { Api, ApiEnv } from '../api.ts'
import { answers, jsonBody, reply } from '../answers.ts'
import { agentNamed } from '../find.ts'
import { changeCron, createCron, findCron, unknownCron } from '../keep-cron.ts'
import type { ProblemCode } from '../problem-codes.ts'
import { Id, ThreadPath } from '../wire/ids.ts'
import {
  CronCount,
  CronCreate,
  cronFilter,
  CronPatch,
  CronSearch,
  CronView,
  cronView,
} from '../../wires/langgraph/crons.ts'

const tags = ['Crons']
const params = z.object({ cron_id: Id })
const path = '/runs/crons/{cron_id}'
const problems: readonly ProblemCode[] = ['unknown_agent', 'unknown_thread', 'not_available']

export function cronRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  createRoutes(app, api)
  searchRoutes(app, api)
  changeRoutes(app, api)
}

const places = [
  { where: '/threads/{thread_id}/runs/crons', of: ThreadPath, on: 'on a thread' },
  { where: '/runs/crons', of: z.object({}), on: 'each on a new thread' },
]

function createRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  for (const { where, of, on } of places) {
    const create = createRoute({
      method: 'post',
      path: where,
      tags,
      summary: `Makes a cron: runs at times, ${on}`,
      request: { params: of, body: jsonBody(CronCreate) },
      responses: answers({ description: 'The cron.', schema: CronView }, [
        ...problems,
        'quota_reached',
      ]),
    })
    app.openapi(create, async (c) => {
      // As it was sent: what is kept goes through the same schema again at each time.
      const sent: unknown = await c.req.json()
      const threadId = c.req.param('thread_id') ?? null
      return reply(c, cronView(await createCron(api, c.get('caller'), { sent, threadId })))
    })
  }
}

function searchRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const assistantOf = (name: string | null | undefined) => (name ? agentNamed(api, name) : null)
  const search = createRoute({
    method: 'post',
    path: '/runs/crons/search',
    tags,
    summary: 'Searches the crons, newest first',
    request: { body: jsonBody(CronSearch) },
    responses: answers({ description: 'A page of crons.', schema: z.array(CronView) }),
  })
  app.openapi(search, async (c) => {
    const asked = c.req.valid('json')
    const filter = cronFilter(asked, assistantOf(asked.assistant_id))
    const found = await api.resources.crons.crons(c.get('caller').tenantId, filter)
    return reply(c, found.map(cronView))
  })

  const count = createRoute({
    method: 'post',
    path: '/runs/crons/count',
    tags,
    summary: 'Counts the crons',
    request: { body: jsonBody(CronCount) },
    responses: answers({ description: 'How many there are.', schema: z.number().int() }),
  })
  app.openapi(count, async (c) => {
    const asked = c.req.valid('json')
    const filter = cronFilter(asked, assistantOf(asked.assistant_id))
    return reply(c, await api.resources.crons.count(c.get('caller').tenantId, filter))
  })
}

function changeRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const change = createRoute({
    method: 'patch',
    path,
    tags,
    summary: 'Changes a cron: the fields that are sent',
    request: { params, body: jsonBody(CronPatch) },
    responses: answers({ description: 'The cron.', schema: CronView }, [
      ...problems,
      'unknown_cron',
    ]),
  })
  app.openapi(change, async (c) => {
    const { cron_id: cronId } = c.req.valid('param')
    const sent = c.req.valid('json')
    return reply(c, cronView(await changeCron(api, c.get('caller'), { cronId, sent })))
  })

  const get = createRoute({
    method: 'get',
    path,
    tags,
    summary: 'Gets a cron, and what came of its last time',
    request: { params },
    responses: answers({ description: 'The cron.', schema: CronView }, ['unknown_cron']),
  })
  app.openapi(get, async (c) => {
    const { cron_id: cronId } = c.req.valid('param')
    return reply(c, cronView(await findCron(api, c.get('caller'), cronId)))
  })

  const remove = createRoute({
    method: 'delete',
    path,
    tags,
    summary: 'Deletes a cron. Its runs stay',
    request: { params },
    responses: answers({ description: 'It is not there any more.', status: 204 }, ['unknown_cron']),
  })
  app.openapi(remove, async (c) => {
    const { cron_id: cronId } = c.req.valid('param')
    const { tenantId } = c.get('caller')
    if (!(await api.resources.crons.delete(tenantId, cronId))) throw unknownCron(cronId)
    return c.body(null, 204)
  })
}
