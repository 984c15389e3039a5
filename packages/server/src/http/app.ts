/** The HTTP app: middleware outside, routes inside, problems at the edge. */
import { OpenAPIHono } from '@hono/zod-openapi'
import type { MiddlewareHandler } from 'hono'
import type { Api, ApiEnv } from './api.ts'
import { authorized } from './authorize.ts'
import { readBody } from './body.ts'
import { compressed } from './compressed.ts'
import { cors, preflights, refuseForeign } from './door.ts'
import { onError } from './failures.ts'
import { fileBodies } from './file-bodies.ts'
import { onInvalid } from './invalid.ts'
import { notFound } from './not-found.ts'
import { described } from './openapi/described.ts'
import { Problem } from './problem.ts'
import { requestId } from './request-id.ts'
import { approvalRoutes } from './routes/approvals.ts'
import { inputRoutes } from './routes/inputs.ts'
import { assistantChangeRoutes } from './routes/assistant-changes.ts'
import { assistantRoutes } from './routes/assistants.ts'
import { chatRoutes } from './routes/chat.ts'
import { documentRoute } from './routes/document.ts'
import { auditQuestionRoutes } from './routes/audit-questions.ts'
import { auditRoutes } from './routes/audit.ts'
import { cronRoutes } from './routes/crons.ts'
import { definitionRoutes } from './routes/definitions.ts'
import { explanationRoutes } from './routes/explanation.ts'
import { eventRoutes } from './routes/events.ts'
import { fileChangeRoutes } from './routes/file-changes.ts'
import { fileRoutes } from './routes/files.ts'
import { healthRoutes } from './routes/health.ts'
import { keyRoutes } from './routes/keys.ts'
import { memoryRoutes } from './routes/memory.ts'
import { metaRoutes } from './routes/meta.ts'
import { pageRoutes } from './routes/pages.ts'
import { pseudonymRoutes } from './routes/pseudonyms.ts'
import { reportRoutes } from './routes/report.ts'
import { batchBytesMax } from '../wires/langgraph/runs-batch.ts'
import { imageRoutes } from './routes/images.ts'
import { runBatchRoutes } from './routes/run-batches.ts'
import { pauseRoutes } from './routes/pauses.ts'
import { queueRoutes } from './routes/queues.ts'
import { rerunRoutes } from './routes/reruns.ts'
import { retryRoutes } from './routes/retries.ts'
import { runCreateRoutes } from './routes/run-creates.ts'
import { runInputRoutes } from './routes/run-inputs.ts'
import { runSearchRoutes } from './routes/run-search.ts'
import { runRoutes } from './routes/runs.ts'
import { threadChangeRoutes } from './routes/thread-changes.ts'
import { threadContextRoutes } from './routes/thread-context.ts'
import { todoRoutes } from './routes/todos.ts'
import { threadEditRoutes } from './routes/thread-edits.ts'
import { storeRoutes } from './routes/store.ts'
import { threadStateRoutes } from './routes/thread-states.ts'
import { threadRoutes } from './routes/threads.ts'
import { unknownRoutes } from './routes/unknown.ts'
import { refuseBody } from '../wires/a2a/bindings.ts'
import { a2aRoutes } from '../wires/a2a/routes.ts'
import { agUiRoutes } from '../wires/ag-ui/routes.ts'
import { bringsFiles, uploadRoutes } from './routes/uploads.ts'
import { usageRoutes } from './routes/usage.ts'
import { webhookRoutes } from './routes/webhooks.ts'
import { agentProtocolRoutes } from '../wires/agent-protocol/routes.ts'

/** Makes the app. It holds nothing that must be closed. */
export function createApp(
  api: Api,
  outermost: readonly MiddlewareHandler[] = [],
): OpenAPIHono<ApiEnv> {
  const app = guarded(api, outermost)
  app.use('/a2a/:agent/*', refuseBody)
  app.use(fileBodies(bringsFiles))
  app.use(
    readBody(api.settings.bodyBytesMax, new Map([['/runs/batch', batchBytesMax]]), bringsFiles),
  )
  threadRoutes(app, api)
  threadStateRoutes(app, api)
  threadChangeRoutes(app, api)
  threadEditRoutes(app, api)
  threadContextRoutes(app, api)
  todoRoutes(app, api)
  memoryRoutes(app, api)
  uploadRoutes(app, api)
  fileRoutes(app, api)
  fileChangeRoutes(app, api)
  imageRoutes(app, api)
  // Before addresses with the id of a run: `stats` and `retry` are none.
  runSearchRoutes(app, api)
  retryRoutes(app, api)
  queueRoutes(app, api)
  pauseRoutes(app, api)
  runBatchRoutes(app, api)
  runCreateRoutes(app, api)
  rerunRoutes(app, api)
  runRoutes(app, api)
  runInputRoutes(app, api)
  reportRoutes(app, api)
  explanationRoutes(app, api)
  chatRoutes(app, api)
  eventRoutes(app, api)
  auditRoutes(app, api)
  auditQuestionRoutes(app, api)
  definitionRoutes(app, api)
  usageRoutes(app, api)
  pseudonymRoutes(app, api)
  approvalRoutes(app, api)
  inputRoutes(app, api)
  unknownRoutes(app, api)
  webhookRoutes(app, api)
  assistantRoutes(app, api)
  keyRoutes(app, api)
  assistantChangeRoutes(app, api)
  storeRoutes(app, api)
  cronRoutes(app, api)
  metaRoutes(app, api)
  documentRoute(app, () => documentOf())
  pageRoutes(app, api, () => documentOf())
  agUiRoutes(app, api)
  a2aRoutes(app, api)
  agentProtocolRoutes(app, api)
  // Made when it is asked for: it takes a tenth of the time in which a process starts.
  const documentOf = once(() => describe(app, api.version))
  app.notFound(notFound(() => documentOf().paths ?? {}))
  return app
}

/** The app of a process that serves no API: its health and its metrics, under the same rules. */
export function createHealthApp(
  api: Guards & Parameters<typeof healthRoutes>[1],
  outermost: readonly MiddlewareHandler[] = [],
): OpenAPIHono<ApiEnv> {
  const app = guarded(api, outermost)
  healthRoutes(app, api)
  const paths = Object.fromEntries(
    ['/live', '/ready', '/ok', '/metrics'].map((path) => [path, { get: {} }]),
  )
  const served = ' This process serves /live, /ready, /ok and /metrics; others serve the API.'
  app.notFound(notFound(() => paths, served))
  return app
}

type Guards = Pick<Api, 'authenticate' | 'door' | 'stopping' | 'log' | 'random'>

function guarded(api: Guards, outermost: readonly MiddlewareHandler[]): OpenAPIHono<ApiEnv> {
  const app = new OpenAPIHono<ApiEnv>({ defaultHook: onInvalid })
  app.onError(onError(api))
  app.use(requestId(api.random), ...outermost, cors(api), refuseFragment)
  app.use(refuseForeign(api), preflights(api))
  app.use(compressed, refuseWhenStopping(api), authorized(api))
  return app
}

function once<T>(make: () => T): () => T {
  let made: { readonly it: T } | null = null
  return () => (made ??= { it: make() }).it
}

/** The OpenAPI document of an app, as of the routes that it has. */
export function describe(app: OpenAPIHono<ApiEnv>, version: string) {
  const { openAPIRegistry } = app
  openAPIRegistry.registerComponent('securitySchemes', 'key', { type: 'http', scheme: 'bearer' })
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Signalbox',
      version,
      description: 'Event-sourced agent orchestration. Errors are RFC 9457 problem documents.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{}, { key: [] }],
  })
  return described(document)
}

/** Without it, what stands before `#` would be served. */
const refuseFragment: MiddlewareHandler = async (c, next) => {
  if (c.req.url.includes('#'))
    throw new Problem('malformed_url', {
      detail: 'The address has a fragment, which no client sends. Percent-encode "#" as %23.',
    })
  await next()
}

/** A process that stops is alive, and must not be killed for it; and its last calls are counted. */
const answeredToTheEnd: readonly string[] = ['/live', '/metrics']

const refuseWhenStopping =
  (api: Pick<Api, 'stopping'>): MiddlewareHandler =>
  async (c, next) => {
    if (api.stopping.aborted && !answeredToTheEnd.includes(c.req.path))
      throw new Problem('shutting_down', {
        detail: 'This process is stopping. Another one answers in a moment.',
        headers: { 'retry-after': '2', connection: 'close' },
      })
    await next()
  }
