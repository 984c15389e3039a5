/** Keys on the wire. The text of one is shown where it is made, and nowhere else. */
import { z } from '@hono/zod-openapi'
import type { ListedKey } from '@signalbox/postgres'
import { keyNameCharsMax } from '../../keys/issue-key.ts'
import { type Scope, scopes } from '../../keys/scope.ts'
import { iso } from './iso.ts'

const isOnce = (names: readonly Scope[]): boolean => new Set(names).size === names.length

/** What a key is to be. */
export const KeyCreate = z
  .object({
    /** For humans; need not be unique, so that a key and its successor can share one. */
    name: z
      .string()
      .trim()
      .min(1)
      .max(keyNameCharsMax)
      .refine((name) => !/\p{Cc}/u.test(name), 'takes a name without control characters'),
    /** Without any, the key opens what needs none. */
    scopes: z
      .array(z.enum(scopes))
      .max(scopes.length)
      .refine(isOnce, 'takes each scope once at most'),
    /** When it expires; never, if left out or null. */
    expires_at: z.iso.datetime({ offset: true }).nullish(),
  })
  .openapi('KeyCreate')

/** A key, without what opens. */
export const Key = z
  .object({
    id: z.string(),
    name: z.string(),
    scopes: z.array(z.string()),
    status: z.enum(['live', 'expired', 'revoked']),
    created_at: z.string(),
    created_by: z.string(),
    expires_at: z.string().nullable(),
    revoked_at: z.string().nullable(),
    revoked_by: z.string().nullable(),
    /** To the minute. */
    last_used_at: z.string().nullable(),
  })
  .openapi('Key')

/** A key that was made just now. */
export const NewKey = Key.extend({
  /** The key itself. It is shown here and never again. */
  key: z.string(),
}).openapi('NewKey')

const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms))

/** A key as JSON. */
export const keyView = (key: ListedKey): z.infer<typeof Key> => ({
  id: key.id,
  name: key.name,
  scopes: [...key.scopes],
  status: key.status,
  created_at: iso(key.createdAt),
  created_by: key.createdBy,
  expires_at: isoOrNull(key.expiresAt),
  revoked_at: isoOrNull(key.revokedAt),
  revoked_by: key.revokedBy,
  last_used_at: isoOrNull(key.lastUsedAt),
})
