/** Keys as the command line shows them: what the API says of one, and a row for humans. */
import type { ListedKey } from '@signalbox/postgres'
import { oneLine } from '@signalbox/core/text'

const nameCharsMax = 40

const at = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())

/** A key as JSON, in the words of the API. */
export const keyDocument = (key: ListedKey) => ({
  id: key.id,
  tenant: key.tenantId,
  name: key.name,
  scopes: key.scopes,
  status: key.status,
  created_at: at(key.createdAt),
  created_by: key.createdBy,
  expires_at: at(key.expiresAt),
  revoked_at: at(key.revokedAt),
  revoked_by: key.revokedBy,
  last_used_at: at(key.lastUsedAt),
})

/** A key as a row of a table. */
export const keyRow = (key: ListedKey): Readonly<Record<string, string>> => ({
  key: key.id,
  name: oneLine(key.name, nameCharsMax),
  status: key.status,
  scopes: key.scopes.join(',') || 'none',
  expires: at(key.expiresAt) ?? 'never',
  used: at(key.lastUsedAt) ?? 'never',
})
