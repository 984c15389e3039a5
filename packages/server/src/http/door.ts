/**
 * Which pages may talk to this server. A browser sends what any page tells it to, so a server that lets in everybody who
 * reaches it would let in every page that its operator looks at.
 *
 * D1 Where no key is asked for, a request names a host of ours, and what a page sends comes from a page of ours or of an origin
 *    that CORS allows. Everything else is refused before anything looks at it, on every route.
 * D2 A page of an origin that CORS allows reads every answer, refusals too. It is never let in by credentials that the browser
 *    keeps, and `null` is no origin.
 */
import type { Context, MiddlewareHandler } from 'hono'
import type { Api, ApiEnv } from './api.ts'
import { isOfHost } from './origins.ts'
import { Problem } from './problem.ts'

/** What a process knows of hosts and origins. */
export interface Door {
  /** Is no key asked for? Null: one always is. Rejects if that cannot be found out. */
  readonly isOpen: (() => Promise<boolean>) | null
  /** Is it a name of this server? */
  readonly knowsHost: (host: string) => boolean
  /** Are pages of this origin as good as the server's own? */
  readonly isOurs: (origin: string) => boolean
  /** Null: no page of another origin may read anything. */
  readonly cors: Cors | null
}

export interface Cors {
  readonly allows: (origin: string) => boolean
  /** Names of headers that requests may have, and of those of answers that pages may read. */
  readonly headers: string
  readonly expose: string
}

/** Refuses whoever comes through a browser from somewhere else. */
export const refuseForeign =
  (api: Pick<Api, 'door'>): MiddlewareHandler<ApiEnv> =>
  async (c, next) => {
    const { door } = api
    const host = c.req.header('host')
    // Two of them: what stands in front of this server may have looked at the other (RFC 9112, section 3.2).
    if (host === undefined || host.includes(','))
      throw new Problem('malformed_request', { detail: 'Send one Host header.' })
    const refusal = door.isOpen && refusalOf(door, host, c.req.raw)
    if (refusal && (await isOpen(door))) throw refusal
    await next()
  }

/** Who cannot be told to be safe is not. */
const isOpen = async ({ isOpen: ask }: Door): Promise<boolean> =>
  ask !== null && ask().catch(() => true)

function refusalOf(door: Door, host: string, { method, url, headers }: Request): Problem | null {
  // An address that is written out names a host as well, and that is the one that counts.
  const stranger = [host, new URL(url).host].find((each) => !door.knowsHost(each))
  if (stranger !== undefined)
    return new Problem('foreign_host', {
      detail: `This server is not known as "${stranger.slice(0, 100)}". Ask it as localhost, or name the host in server.hosts.`,
      field: 'host',
    })
  const origin = headers.get('origin')
  if (origin === null)
    return isSentFromElsewhere(method, headers) ? foreign('sec-fetch-site') : null
  const isKnown = isOfHost(origin, host) || door.isOurs(origin) || door.cors?.allows(origin)
  return isKnown ? null : foreign('origin')
}

const foreign = (field: string): Problem =>
  new Problem('foreign_origin', {
    detail:
      'A page of another origin asks. If it may, name its origin in server.origins, or in server.cors.origins.',
    field,
  })

/** What a browser says of a request that has no Origin. A link may be followed from anywhere, and reads no answer. */
function isSentFromElsewhere(method: string, headers: Headers): boolean {
  if (!['cross-site', 'same-site'].includes(headers.get('sec-fetch-site') ?? '')) return false
  const isLink =
    headers.get('sec-fetch-mode') === 'navigate' && headers.get('sec-fetch-dest') === 'document'
  return !isLink || !['GET', 'HEAD'].includes(method)
}

/**
 * Refuses a WebSocket of a page, whatever key is asked for: a browser opens one without asking, and sends its cookies along,
 * by which a proxy may know who is there. So what CORS allows, without cookies, counts only where no key is asked for.
 *
 * @throws Problem `foreign_origin`
 */
export async function refuseForeignSocket(door: Door, headers: Headers): Promise<void> {
  const origin = headers.get('origin')
  if (origin === null || isOfHost(origin, headers.get('host') ?? '') || door.isOurs(origin)) return
  if (door.cors?.allows(origin) && (await isOpen(door))) return
  throw foreign('origin')
}

const switchingProtocols = 101
/** How long browsers may keep what a preflight was answered. Seconds; none keeps it longer. */
const maxAgeS = 7200
const methods = 'GET,HEAD,POST,PUT,PATCH,DELETE'

/** Lets pages of allowed origins read what is answered, whoever answers it. */
export const cors =
  (api: Pick<Api, 'door'>): MiddlewareHandler<ApiEnv> =>
  async (c, next) => {
    await next()
    const { cors: rules } = api.door
    // A socket that was taken has no headers any more.
    if (rules === null || c.res.status === switchingProtocols) return
    c.header('vary', 'Origin', { append: true })
    const origin = c.req.header('origin')
    if (origin === undefined || !rules.allows(origin)) return
    c.header('access-control-allow-origin', origin)
    c.header('access-control-expose-headers', rules.expose)
  }

/** Answers what browsers ask before a request of another origin. No key comes with that, and nothing is done. */
export const preflights =
  (api: Pick<Api, 'door'>): MiddlewareHandler<ApiEnv> =>
  async (c, next) => {
    const { cors: rules } = api.door
    if (rules === null || !isPreflight(c) || !rules.allows(c.req.header('origin') ?? ''))
      return next()
    return c.body(null, 204, {
      'access-control-allow-methods': methods,
      'access-control-allow-headers': rules.headers,
      'access-control-max-age': String(maxAgeS),
      // Browsers that ask before a public page may reach an address of a private network.
      ...(c.req.header('access-control-request-private-network') === 'true'
        ? { 'access-control-allow-private-network': 'true' }
        : {}),
    })
  }

const isPreflight = ({ req }: Context<ApiEnv>): boolean =>
  req.method === 'OPTIONS' && req.header('access-control-request-method') !== undefined
