/** Lets a request in: who asks must be known, and may do what the route is for. */
import type { MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import { METHOD_NAME_ALL } from 'hono/router'
import type { Api, ApiEnv, Identified } from './api.ts'
import { operatorTenant, unauthenticated } from './authenticate.ts'
import { Problem } from './problem.ts'
import { accessOf, missingScopes, type Needs } from './scopes.ts'
import { whileItStands } from './while-it-stands.ts'

/** Asks of every request what `scopes.ts` says. What it does not name is refused. */
export const authorized =
  (api: Pick<Api, 'authenticate'>): MiddlewareHandler<ApiEnv> =>
  async (c, next) => {
    const route = matchedRoutes(c).find(({ method }) => method !== METHOD_NAME_ALL)
    // Where there is nothing, only who is known is told so.
    const access = route === undefined ? 'known' : accessOf(route)
    if (access === 'open') return next()
    const caller = await api.authenticate(c.req.raw.headers)
    if (!caller) throw unauthenticated('Send Authorization: Bearer <key>, or x-api-key: <key>.')
    c.set('caller', caller)
    if (access === null)
      throw new Problem('forbidden_scope', {
        detail: 'Nothing says who may do this, so nobody may.',
      })
    if (access === 'operator' && caller.tenantId !== operatorTenant)
      throw new Problem('not_found', { detail: 'There is nothing at this address.' })
    if (typeof access === 'object') insistOn(access, caller)
    await next()
    const { stands } = caller
    if (stands !== undefined && isLong(c.res)) c.res = whileItStands(c.res, stands)
  }

/** @throws Problem `forbidden_scope` if the caller lacks what is needed */
export function insistOn(needs: Needs, caller: Pick<Identified, 'scopes'>): void {
  const scope = missingScopes(needs, caller.scopes)
  if (scope === null) return
  throw new Problem('forbidden_scope', {
    detail: `This asks for a key with the scope ${scope}.`,
    more: { scope },
  })
}

/** Answers that take as long as a run say so to proxies. */
const isLong = ({ headers }: Response): boolean =>
  headers.get('x-accel-buffering') === 'no' ||
  headers.get('content-type')?.startsWith('text/event-stream') === true
