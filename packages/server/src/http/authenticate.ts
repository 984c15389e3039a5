import { createHash, timingSafeEqual } from 'node:crypto'
import type { Authenticate } from './api.ts'

/** The tenant of servers that know only one. */
const tenantId = 'default'

/**
 * With a key: whoever shows it, as `Authorization: Bearer <key>` or `x-api-key: <key>`. Without: everybody. Compares
 * digests, so that the time it takes says nothing about the key.
 */
export function authenticateByKey(apiKey: string | null): Authenticate {
  if (apiKey === null) return () => ({ tenantId, actor: 'api' })
  const expected = digest(apiKey)
  return (headers) => {
    const shown = bearer(headers.get('authorization')) ?? headers.get('x-api-key')
    if (shown === null || !timingSafeEqual(digest(shown), expected)) return null
    return { tenantId, actor: 'key:default' }
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

const bearer = (header: string | null): string | null =>
  /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1] ?? null
