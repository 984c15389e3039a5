/** The addresses of A2A: a card, JSON-RPC and REST for each agent, and REST as 0.3 has it. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { Api, ApiEnv } from '../../http/api.ts'
import { answers, ProblemDocument, jsonBody, reply } from '../../http/answers.ts'
import { findAgent } from '../../http/find.ts'
import { Problem } from '../../http/problem.ts'
import { Term } from '../../http/wire/ids.ts'
import { jsonRpc, olderRest, rest } from './bindings.ts'
import { agentCard } from './card.ts'
import type { A2aOperation } from './operations.ts'

const tags = ['A2A']
const AgentPath = z.object({ agent: Term })
/** The id of a task, and a verb behind it. */
const TaskPath = AgentPath.extend({ run_id: z.string().min(1).max(220) })
const Anything = z.looseObject({})
const base = '/a2a/{agent}'

/** Operations at addresses of their own. */
interface RestBinding {
  readonly base: string
  readonly of: string
  readonly respond: typeof rest
}
const current: RestBinding = { base, of: 'A2A', respond: rest }
const older: RestBinding = { base: `${base}/v1`, of: 'A2A 0.3', respond: olderRest }
const cardPath = '.well-known/agent-card.json'

/** In A2A's words once it is known that it is A2A that is spoken. */
const refused: ReturnType<typeof answers> = {
  default: {
    description: 'A refusal.',
    content: {
      'application/json': { schema: Anything },
      'application/problem+json': { schema: ProblemDocument },
    },
  },
}

const good = (description: string): ReturnType<typeof answers> => ({
  ...answers({ description, schema: Anything, types: ['application/json', 'text/event-stream'] }),
  ...refused,
})

export function a2aRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  cardRoutes(app, api)
  const rpc = createRoute({
    method: 'post',
    path: base,
    tags,
    summary: 'A2A: the JSON-RPC binding',
    request: { params: AgentPath, body: jsonBody(Anything) },
    responses: good('A response of JSON-RPC 2.0, or updates of a task.'),
  })
  app.openapi(rpc, (c) => jsonRpc(api, c, c.req.valid('param').agent))
  listRoute(app, api)
  for (const binding of [current, older]) {
    sendRoutes(app, api, binding)
    taskRoutes(app, api, binding)
    refusedRoutes(app, api, binding)
  }
}

function cardRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const cardOf = (name: string, { env, req }: Context<ApiEnv>) => {
    const agent = findAgent(api, name)
    const arrival = { url: req.url, headers: req.raw.headers, peer: env?.peer }
    const place = `${api.publicAddress(arrival)}/a2a/${encodeURIComponent(agent.name)}`
    return agentCard(agent, {
      base: place,
      version: api.version,
      takesFiles: api.directories === null,
    })
  }
  const card = createRoute({
    method: 'get',
    path: `${base}/${cardPath}`,
    tags,
    summary: 'A2A: the card of an agent',
    request: { params: AgentPath },
    responses: answers({ description: 'The card.', schema: Anything }, ['unknown_agent']),
  })
  app.openapi(card, (c) => reply(c, cardOf(c.req.valid('param').agent, c)))

  const root = createRoute({
    method: 'get',
    path: `/${cardPath}`,
    tags,
    summary: 'A2A: the card of the host, which is that of its first agent',
    responses: answers({ description: 'The card.', schema: Anything }),
  })
  app.openapi(root, (c) => {
    const [first = ''] = api.agents.keys()
    return reply(c, cardOf(first, c))
  })
}

function sendRoutes(app: OpenAPIHono<ApiEnv>, api: Api, binding: RestBinding): void {
  const ways = [
    { verb: 'send', name: 'SendMessage', what: 'sends a message and waits for what comes of it' },
    { verb: 'stream', name: 'SendStreamingMessage', what: 'sends a message and streams the task' },
  ] as const
  for (const { verb, name, what } of ways) {
    const route = createRoute({
      method: 'post',
      path: `${binding.base}/message:${verb}`,
      tags,
      summary: `${binding.of}: ${what}`,
      request: { params: AgentPath, body: jsonBody(Anything) },
      responses: good('The task, or its updates.'),
    })
    app.openapi(route, (c) => {
      const { agent } = c.req.valid('param')
      return binding.respond(api, c, { agent, name, params: c.req.valid('json') })
    })
  }
}

/** An address of A2A is an id, a colon and a verb; ids may hold colons too. */
const verbs = new Map<string, A2aOperation>([
  ['cancel', 'CancelTask'],
  ['subscribe', 'SubscribeToTask'],
])

function listRoute(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const list = createRoute({
    method: 'get',
    path: `${base}/tasks`,
    tags,
    summary: 'A2A: lists tasks, newest first',
    request: { params: AgentPath, query: Anything },
    responses: good('A page of tasks.'),
  })
  app.openapi(list, (c) => {
    const { agent } = c.req.valid('param')
    return rest(api, c, { agent, name: 'ListTasks', params: c.req.query() })
  })
}

function taskRoutes(app: OpenAPIHono<ApiEnv>, api: Api, binding: RestBinding): void {
  for (const method of ['get', 'post'] as const) {
    const route = createRoute({
      method,
      path: `${binding.base}/tasks/{run_id}`,
      tags,
      summary:
        method === 'get'
          ? `${binding.of}: gets a task, or with :subscribe follows it`
          : `${binding.of}: cancels a task with :cancel, follows it with :subscribe`,
      request: { params: TaskPath },
      responses: good('The task, or its updates.'),
    })
    app.openapi(route, (c) => {
      const { agent, run_id: task } = c.req.valid('param')
      const at = task.lastIndexOf(':')
      const name = verbs.get(task.slice(at + 1))
      const isVerb = at > 0 && name !== undefined && (method === 'post' || name !== 'CancelTask')
      if (!isVerb && method === 'post')
        throw new Problem('not_found', { detail: 'Takes :cancel or :subscribe after the id.' })
      const params = { ...c.req.query(), id: isVerb ? task.slice(0, at) : task }
      return binding.respond(api, c, { agent, name: isVerb ? name : 'GetTask', params })
    })
  }
}

/** What a client may ask for and is not here says so in A2A's words. */
function refusedRoutes(app: OpenAPIHono<ApiEnv>, api: Api, binding: RestBinding): void {
  const card = binding === older ? 'card' : 'extendedAgentCard'
  const ways: readonly (readonly ['get' | 'post' | 'delete', string, A2aOperation])[] = [
    ['post', 'tasks/{task}/pushNotificationConfigs', 'CreateTaskPushNotificationConfig'],
    ['get', 'tasks/{task}/pushNotificationConfigs', 'ListTaskPushNotificationConfigs'],
    ['get', 'tasks/{task}/pushNotificationConfigs/{config}', 'GetTaskPushNotificationConfig'],
    ['delete', 'tasks/{task}/pushNotificationConfigs/{config}', 'DeleteTaskPushNotificationConfig'],
    ['get', card, 'GetExtendedAgentCard'],
  ]
  for (const [method, path, name] of ways) {
    const route = createRoute({
      method,
      path: `${binding.base}/${path}`,
      tags,
      summary: `${binding.of}: ${name}, which is refused: webhooks and one card are what there is`,
      request: { params: looseParams(path) },
      responses: refused,
    })
    app.openapi(route, (c) =>
      binding.respond(api, c, { agent: c.req.param('agent') ?? '', name, params: {} }),
    )
  }
}

/** Every parameter of a path, any text that may stand there. */
function looseParams(path: string): z.ZodObject<Record<string, typeof Term>> {
  const names = [...path.matchAll(/\{([a-z]+)\}/g)].map(([, name = '']) => name)
  return z.object(Object.fromEntries(['agent', ...names].map((name) => [name, Term])))
}
