/** The agents, as LangGraph's clients ask for them. They come from the configuration; nobody makes one here. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import type { Api, ApiEnv } from '../api.ts'
import { answers, jsonBody, reply } from '../answers.ts'
import { findAgent } from '../find.ts'
import { Assistant, agentView } from '../wire/agent-view.ts'
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
    summary: 'Lists the versions of an agent: the one that is configured',
    request: { params, body: jsonBody(AssistantVersions, false) },
    responses: answers({ description: 'Versions.', schema: z.array(Assistant) }, ['unknown_agent']),
  })
  app.openapi(versions, (c) => {
    const agent = findAgent(api, c.req.valid('param').assistant_id)
    const { offset } = AssistantVersions.parse(c.req.valid('json'))
    return reply(c, offset === 0 ? [agentView(agent)] : [])
  })
}

function searchRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const search = createRoute({
    method: 'post',
    path: '/assistants/search',
    tags,
    summary: 'Searches the agents, by name',
    request: { body: jsonBody(AssistantSearch, false) },
    responses: answers({ description: 'A page of agents.', schema: z.array(Assistant) }),
  })
  app.openapi(search, (c) => {
    const asked = AssistantSearch.parse(c.req.valid('json'))
    const found = foundAssistants(api.agents.values(), asked)
    const headers = paginationHeaders(asked, found.length)
    return reply(c, assistantPage(found, asked), { headers })
  })

  const count = createRoute({
    method: 'post',
    path: '/assistants/count',
    tags,
    summary: 'Counts the agents',
    request: { body: jsonBody(AssistantCount, false) },
    responses: answers({ description: 'How many there are.', schema: z.number().int() }),
  })
  app.openapi(count, (c) => {
    const filter = AssistantCount.parse(c.req.valid('json'))
    return reply(c, foundAssistants(api.agents.values(), filter).length)
  })
}

const JsonSchema = z.record(z.string(), z.unknown()).nullable()
const Schemas = z.object({
  graph_id: z.string(),
  input_schema: JsonSchema,
  output_schema: JsonSchema,
  state_schema: JsonSchema,
  config_schema: JsonSchema,
  context_schema: JsonSchema,
})

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
  app.openapi(about('/graph', 'The machine of an agent, as a graph', Graph), (c) => {
    findAgent(api, c.req.valid('param').assistant_id)
    return reply(c, machineGraph())
  })
  app.openapi(about('/schemas', 'What an agent takes and gives', Schemas), (c) =>
    reply(c, schemasOf(findAgent(api, c.req.valid('param').assistant_id))),
  )
  const none = z.object({})
  app.openapi(about('/subgraphs', 'The graphs within that of an agent: none', none), (c) => {
    findAgent(api, c.req.valid('param').assistant_id)
    return reply(c, {})
  })
  const within = createRoute({
    ...about('/subgraphs/{namespace}', 'The graphs within a part of an agent: none', none),
    request: { params: params.extend({ namespace: z.string().max(200) }) },
  })
  app.openapi(within, (c) => {
    findAgent(api, c.req.valid('param').assistant_id)
    return reply(c, {})
  })
}
