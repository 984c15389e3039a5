import type { MiddlewareHandler } from 'hono'
import { routePath } from 'hono/route'
import type { Metrics } from './metrics.ts'
import type { Tracing } from './tracing.ts'

/** Times each request by the pattern of its route: an address with ids in it would make a series of its own. */
export const measureHttp =
  (metrics: Pick<Metrics, 'http'>): MiddlewareHandler =>
  async (c, next) => {
    const end = metrics.http.startTimer({ method: c.req.method })
    await next()
    const path = routePath(c, -1)
    end({ route: path === '/*' ? 'none' : path, status: String(c.res.status) })
  }

/** Answers each request in the trace that its caller named. */
export const traceRequests =
  (tracing: Pick<Tracing, 'request'>): MiddlewareHandler =>
  (c, next) =>
    tracing.request(c.req.raw.headers, next)
