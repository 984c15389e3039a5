/** The agents, and the assistants that were made of them, as LangGraph's clients ask for them. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { Api, ApiEnv } from '../api.ts'
import { answers, jsonBody, reply } from '../answers.ts'
import { findAssistant, type FoundAssistant, lookUpAssistant } from '../find-assistant.ts'
import { Assistant, agentView, assistantView } from '../wire/agent-view.ts'
import {
  AssistantCount,
  assistantPage,
  AssistantSearch,
  AssistantVersions,
  foundAssistants,
  Graph,
  machineGraph,
  schemasOf,
} from '../../wires/langgraph/assistants.ts'
import { paginationHeaders } from '../../wires/langgraph/pagination.ts'

const tags = ['Meta']
const params = z.object({ assistant_id: z.string().max(200) })
const path = '/assistants/{assistant_id}'

export function assistantRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  searchRoutes(app, api)
  aboutRoutes(app, api)
  const versions = createRoute({
    method: 'post',
    path: `${path}/versions`,
    tags,
    summary:
      'Lists the versions of an assistant, newest first; an agent has the one that is configured',
    request: { params, body: jsonBody(AssistantVersions, false) },
    responses: answers({ description: 'Versions.', schema: z.array(Assistant) }, ['unknown_agent']),
  })
  app.openapi(versions, async (c) => {
    const named = await lookUpAssistant(api, c.get('caller'), c.req.valid('param').assistant_id)
    const { offset, limit, metadata: sent } = AssistantVersions.parse(c.req.valid('json'))
    const metadata = sent ?? {}
    if ('agent' in named)
      return reply(c, foundAssistants([agentView(named.agent)], { metadata }).slice(offset))
    const { assistantId: id } = named.stored
    const { tenantId } = c.get('caller')
    const all = await api.resources.assistants.versions(tenantId, id, { offset, limit, metadata })
    return reply(
      c,
      all.map((each) => assistantView(api, each)),
    )
  })
}

const found = (api: Api, c: Context<ApiEnv>): Promise<FoundAssistant> =>
  findAssistant(api, c.get('caller'), c.req.param('assistant_id') ?? '')

/** Those of the configuration, and those that the tenant has made. */
async function everyAssistant(api: Api, c: Context<ApiEnv>): Promise<readonly Assistant[]> {
  const made = await api.resources.assistants.all(c.get('caller').tenantId)
  return [
    ...[...api.agents.values()].map(agentView),
    ...made.map((each) => assistantView(api, each)),
  ]
}

function searchRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const search = createRoute({
    method: 'post',
    path: '/assistants/search',
    tags,
    summary: 'Searches the assistants: those that are configured, and those that were made',
    request: { body: jsonBody(AssistantSearch, false) },
    responses: answers({ description: 'A page of assistants.', schema: z.array(Assistant) }),
  })
  app.openapi(search, async (c) => {
    const asked = AssistantSearch.parse(c.req.valid('json'))
    const matching = foundAssistants(await everyAssistant(api, c), asked)
    const headers = paginationHeaders(asked, matching.length)
    return reply(c, assistantPage(matching, asked), { headers })
  })

  const count = createRoute({
    method: 'post',
    path: '/assistants/count',
    tags,
    summary: 'Counts the assistants',
    request: { body: jsonBody(AssistantCount, false) },
    responses: answers({ description: 'How many there are.', schema: z.number().int() }),
  })
  app.openapi(count, async (c) => {
    const filter = AssistantCount.parse(c.req.valid('json'))
    return reply(c, foundAssistants(await everyAssistant(api, c), filter).length)
  })
}

const JsonSchema = z.record(z.string(), z.unknown()).nullable()
const Schemas = z
  .object({
    graph_id: z.string(),
    input_schema: JsonSchema,
    output_schema: JsonSchema,
    state_schema: JsonSchema,
    config_schema: JsonSchema,
    context_schema: JsonSchema,
  })
  .openapi('AssistantSchemas')

const about = (suffix: string, summary: string, schema: z.ZodType) =>
  createRoute({
    method: 'get',
    path: `${path}${suffix}`,
    tags,
    summary,
    request: { params },
    responses: answers({ description: summary, schema }, ['unknown_agent']),
  })

function aboutRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  app.openapi(about('/graph', 'The machine of an agent, as a graph', Graph), async (c) => {
    await found(api, c)
    return reply(c, machineGraph())
  })
  app.openapi(about('/schemas', 'What an agent takes and gives', Schemas), async (c) =>
    reply(c, schemasOf((await found(api, c)).definition)),
  )
  const none = z.object({})
  app.openapi(about('/subgraphs', 'The graphs within that of an agent: none', none), async (c) => {
    await found(api, c)
    return reply(c, {})
  })
  const within = createRoute({
    ...about('/subgraphs/{namespace}', 'The graphs within a part of an agent: none', none),
    request: { params: params.extend({ namespace: z.string().max(200) }) },
  })
  app.openapi(within, async (c) => {
    await found(api, c)
    return reply(c, {})
  })
}
