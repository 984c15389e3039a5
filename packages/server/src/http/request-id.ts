/** The id of a request: the caller's own `x-request-id`, or a new one. It stands in the answer and in the lines of the log. */
import type { Random } from '@signalbox/engine'
import type { MiddlewareHandler } from 'hono'
import { withinRequest } from '../observe/open-request.ts'
import type { ApiEnv } from './api.ts'

/** An id that is passed on as it is. Anything else could forge a line of a log, and is replaced. */
const acceptable = /^[A-Za-z0-9._=-]{1,128}$/

const switchingProtocols = 101

export const requestId =
  (random: Pick<Random, 'uuid'>): MiddlewareHandler<ApiEnv> =>
  async (c, next) => {
    const asked = c.req.header('x-request-id')
    const id = asked !== undefined && acceptable.test(asked) ? asked : random.uuid()
    c.set('requestId', id)
    await withinRequest(id, next)
    // A socket that was taken has no headers any more.
    if (c.res.status !== switchingProtocols) c.header('x-request-id', id)
  }
