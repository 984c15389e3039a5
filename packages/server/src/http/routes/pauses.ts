/** Pauses of agents, tools and queues: set, listed, lifted. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import type { Api, ApiEnv } from '../api.ts'
import { answers, jsonBody, reply } from '../answers.ts'
import { setPause, unknownPause } from '../set-pause.ts'
import { Id } from '../wire/ids.ts'
import { Pause, PauseCreate, pauseView } from '../wire/pause-view.ts'

const tags = ['Pauses']

export function pauseRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const problems = ['unknown_target', 'quota_reached', 'pause_unconfirmed'] as const
  const create = createRoute({
    method: 'post',
    path: '/pauses',
    tags,
    summary: 'Pauses an agent, a tool or a queue: from the answer on, nothing new of it starts',
    request: { body: jsonBody(PauseCreate) },
    responses: {
      ...answers({ description: 'The pause, if it was set now.', schema: Pause, status: 201 }),
      ...answers(
        {
          description: 'The pause, if it stood before: with this reason and this end.',
          schema: Pause,
        },
        problems,
      ),
    },
  })
  app.openapi(create, async (c) => {
    const { isNew, pause } = await setPause(api, c.get('caller'), c.req.valid('json'))
    return reply(c, pauseView(pause), { status: isNew ? 201 : 200 })
  })

  const list = createRoute({
    method: 'get',
    path: '/pauses',
    tags,
    summary: 'Lists the pauses that stand, in the order in which they were set',
    responses: answers({ description: 'The pauses.', schema: z.array(Pause) }),
  })
  app.openapi(list, async (c) => {
    const pauses = await api.read.pauses(c.get('caller').tenantId)
    return reply(c, pauses.map(pauseView))
  })

  const lift = createRoute({
    method: 'delete',
    path: '/pauses/{pause_id}',
    tags,
    summary: 'Lifts a pause: what waited for it goes on',
    request: { params: z.object({ pause_id: Id }) },
    responses: answers({ description: 'It does not stand any more.', status: 204 }, [
      'unknown_pause',
    ]),
  })
  app.openapi(lift, async (c) => {
    const { pause_id: pauseId } = c.req.valid('param')
    const { tenantId, actor } = c.get('caller')
    if (!(await api.commands.resume({ tenantId, actor, pauseId }))) throw unknownPause(pauseId)
    api.log.info('a pause was lifted', { tenant: tenantId, pause: pauseId, actor })
    return c.body(null, 204)
  })
}
