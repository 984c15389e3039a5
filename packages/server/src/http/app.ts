/** The HTTP app: middleware outside, routes inside, problems at the edge. */
import { OpenAPIHono } from '@hono/zod-openapi'
import type { MiddlewareHandler } from 'hono'
import type { Api, ApiEnv } from './api.ts'
import { readBody } from './body.ts'
import { onError } from './failures.ts'
import { onInvalid } from './invalid.ts'
import { notFound } from './not-found.ts'
import { Problem } from './problem.ts'
import { approvalRoutes } from './routes/approvals.ts'
import { assistantRoutes } from './routes/assistants.ts'
import { eventRoutes } from './routes/events.ts'
import { healthRoutes } from './routes/health.ts'
import { metaRoutes } from './routes/meta.ts'
import { runBatchRoutes } from './routes/run-batches.ts'
import { runCreateRoutes } from './routes/run-creates.ts'
import { runRoutes } from './routes/runs.ts'
import { threadStateRoutes } from './routes/thread-states.ts'
import { threadRoutes } from './routes/threads.ts'
import { unknownRoutes } from './routes/unknown.ts'

/** Open to everybody, so that a load balancer needs no key. */
const openPaths = new Set(['/ok'])

/** Makes the app. It holds nothing that must be closed. */
export function createApp(
  api: Api,
  outermost: readonly MiddlewareHandler[] = [],
): OpenAPIHono<ApiEnv> {
  const app = guarded(api, outermost)
  app.use(readBody(api.settings.bodyBytesMax))
  threadRoutes(app, api)
  threadStateRoutes(app, api)
  runBatchRoutes(app, api)
  runCreateRoutes(app, api)
  runRoutes(app, api)
  eventRoutes(app, api)
  approvalRoutes(app, api)
  unknownRoutes(app, api)
  assistantRoutes(app, api)
  metaRoutes(app, api)
  const document = describe(app, api.version)
  app.get('/openapi.json', (c) => c.json(document))
  app.notFound(notFound(document.paths ?? {}))
  return app
}

/** The app of a process that serves no API: its health and its metrics, under the same rules. */
export function createHealthApp(
  api: Guards & Parameters<typeof healthRoutes>[1],
  outermost: readonly MiddlewareHandler[] = [],
): OpenAPIHono<ApiEnv> {
  const app = guarded(api, outermost)
  healthRoutes(app, api)
  const paths = { '/ok': { get: {} }, '/metrics': { get: {} } }
  app.notFound(notFound(paths, ' This process serves /ok and /metrics; others serve the API.'))
  return app
}

type Guards = Pick<Api, 'authenticate' | 'stopping' | 'log' | 'random'>

function guarded(api: Guards, outermost: readonly MiddlewareHandler[]): OpenAPIHono<ApiEnv> {
  const app = new OpenAPIHono<ApiEnv>({ defaultHook: onInvalid })
  app.onError(onError(api))
  app.use(...outermost, refuseWhenStopping(api), authenticated(api))
  return app
}

function describe(app: OpenAPIHono<ApiEnv>, version: string) {
  const { openAPIRegistry } = app
  openAPIRegistry.registerComponent('securitySchemes', 'key', { type: 'http', scheme: 'bearer' })
  return app.getOpenAPI31Document({
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
}

const refuseWhenStopping =
  (api: Pick<Api, 'stopping'>): MiddlewareHandler =>
  async (_, next) => {
    if (api.stopping.aborted)
      throw new Problem('shutting_down', {
        detail: 'This process is stopping. Another one answers in a moment.',
        headers: { 'retry-after': '2', connection: 'close' },
      })
    await next()
  }

const authenticated =
  (api: Pick<Api, 'authenticate'>): MiddlewareHandler<ApiEnv> =>
  async (c, next) => {
    const caller = api.authenticate(c.req.raw.headers)
    if (caller) c.set('caller', caller)
    else if (!openPaths.has(c.req.path))
      throw new Problem('unauthenticated', {
        detail: 'Send Authorization: Bearer <key>, or x-api-key: <key>.',
        headers: { 'www-authenticate': 'Bearer' },
      })
    await next()
  }
