/** What there is: agents, health, metrics, version. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import type { Api, ApiEnv } from '../api.ts'
import { answers, reply } from '../answers.ts'
import { lookUpAssistant } from '../find-assistant.ts'
import { Assistant, agentView, assistantView } from '../wire/agent-view.ts'
import { healthRoutes } from './health.ts'

const tags = ['Meta']

export function metaRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  healthRoutes(app, api)
  infoRoute(app, api)
  const list = createRoute({
    method: 'get',
    path: '/assistants',
    tags,
    summary: 'Lists the agents',
    responses: answers({ description: 'Agents.', schema: z.array(Assistant) }),
  })
  app.openapi(list, (c) => reply(c, [...api.agents.values()].map(agentView)))

  const get = createRoute({
    method: 'get',
    path: '/assistants/{assistant_id}',
    tags,
    summary: 'Gets an agent',
    request: { params: z.object({ assistant_id: z.string().max(200) }) },
    responses: answers({ description: 'The agent.', schema: Assistant }, ['unknown_agent']),
  })
  app.openapi(get, async (c) => {
    const { assistant_id: name } = c.req.valid('param')
    const named = await lookUpAssistant(api, c.get('caller'), name)
    return reply(c, 'agent' in named ? agentView(named.agent) : assistantView(api, named.stored))
  })
}

function infoRoute(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const info = createRoute({
    method: 'get',
    path: '/info',
    tags,
    summary: 'What this server is',
    responses: answers({
      description: 'Version and abilities.',
      schema: z
        .object({
          version: z.string(),
          roles: z.array(z.string()),
          flags: z.record(z.string(), z.boolean()),
        })
        .openapi('ServerInfo'),
    }),
  })
  app.openapi(info, (c) => {
    const flags = { assistants: true, crons: true, store: true, idempotency: true, audit: true }
    return reply(c, { version: api.version, roles: api.roles, flags })
  })
}
