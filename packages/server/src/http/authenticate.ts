/**
 * Who asks, by the key that is shown: the operator's, or one of a tenant.
 *
 * H1 One request shows one key. Two that differ are refused, whichever of them is good: a proxy that adds its own must not
 *    choose for whoever sent the other.
 * H2 Digests are compared, so that the time it takes says nothing about a key.
 * H3 What is wrong with a key is told only to who has all of it.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { ShownKey } from '@signalbox/postgres'
import type { KnownKeys } from '../keys/known-keys.ts'
import { readKey } from '../keys/key-text.ts'
import type { LastUsed } from '../keys/last-used.ts'
import { scopesIn } from '../keys/scope.ts'
import type { Authenticate, Identified } from './api.ts'
import { Problem } from './problem.ts'
import { everyScope } from './scopes.ts'

/** The tenant of the operator, and of servers that know only one. */
export const operatorTenant = 'default'

/** The actor of what the operator's key asks for. */
export const operatorActor = 'key:default'

/** Whoever it is may do everything. */
export const anybody: Authenticate = () =>
  Promise.resolve({ tenantId: operatorTenant, actor: 'api', scopes: everyScope })

const operator: Identified = {
  tenantId: operatorTenant,
  actor: operatorActor,
  scopes: everyScope,
}

/** Reads the metrics, for which no scope is asked, and does nothing else. */
const scraper: Identified = { tenantId: operatorTenant, actor: 'key:metrics', scopes: [] }

/** What keys are read with. */
export interface KeySources {
  /** Null: there is none. */
  readonly operatorKey: string | null
  /** Null: there is none. */
  readonly metricsKey: string | null
  readonly known: Pick<KnownKeys, 'shown'>
  readonly lastUsed: Pick<LastUsed, 'saw'>
}

/** Whoever shows a key, as `Authorization: Bearer <key>` or `x-api-key: <key>`. Rejects if Postgres does. */
export function authenticateByKey(sources: KeySources): Authenticate {
  const { known, lastUsed } = sources
  const isOperator = comparison(sources.operatorKey)
  const isScraper = comparison(sources.metricsKey)
  return async (headers) => {
    const text = shownIn(headers)
    if (text === null) return null
    if (isOperator(text)) return operator
    if (isScraper(text)) return scraper
    const key = readKey(text)
    if (key === null)
      throw unauthenticated('This is no key of this server. Was it cut, or mistyped?')
    const shown = await known.shown(key)
    if (shown === null) throw unauthenticated('This key is not known here.')
    if (shown.isRevoked) throw unauthenticated(`The key ${key.id} was revoked.`)
    if (hasExpired(shown)) throw unauthenticated(`The key ${key.id} has expired.`)
    lastUsed.saw(key.id)
    const { tenantId } = shown
    return {
      tenantId,
      actor: `key:${key.id}`,
      scopes: scopesIn(shown.scopes),
      stands: async () => {
        const now = await known.shown(key)
        return now !== null && !now.isRevoked && !hasExpired(now)
      },
    }
  }
}

const hasExpired = ({ leftMs }: ShownKey): boolean => leftMs !== null && leftMs <= 0

/** A refusal of credentials. */
export const unauthenticated = (detail: string): Problem =>
  new Problem('unauthenticated', { detail, headers: { 'www-authenticate': 'Bearer' } })

function comparison(expected: string | null): (text: string) => boolean {
  if (expected === null) return () => false
  const known = digest(expected)
  return (text) => timingSafeEqual(digest(text), known)
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

function shownIn(headers: Headers): string | null {
  const bearer = /^Bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '')?.[1]
  const own = headers.get('x-api-key')?.trim() || undefined
  if (bearer !== undefined && own !== undefined && bearer !== own)
    throw unauthenticated('Authorization and x-api-key show different keys. Send one of them.')
  return bearer ?? own ?? null
}
