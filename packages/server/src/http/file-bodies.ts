/**
 * Bodies that are files, for the routes that take them.
 *
 * B1 Whatever refuses such a request, before its body was read or while it is, the rest of the body is passed over before the answer goes
 *    out: a client that listens when it has sent everything hears why.
 */
import type { MiddlewareHandler } from 'hono'
import { incomingBody } from '../files/incoming.ts'
import type { ApiEnv } from './api.ts'

/** Leaves the body of such a request, unread, as `incoming`. */
export const fileBodies =
  (
    bringsFiles: (request: { readonly method: string; readonly path: string }) => boolean,
  ): MiddlewareHandler<ApiEnv> =>
  async (c, next) => {
    const { raw, method, path } = c.req
    if (!bringsFiles({ method, path })) return next()
    const incoming = incomingBody(raw)
    c.set('incoming', incoming)
    await next()
    if (c.error) await incoming.passOver()
  }
