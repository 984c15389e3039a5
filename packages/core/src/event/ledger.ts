/**
 * Notes about acts that belong to no run: they stand in the ledger run of their tenant and month, on the same chain as all
 * events. None holds a key, a secret, or the id of a user as a client knows it.
 */
import { z } from 'zod'
import { JsonObjectSchema } from '../json.ts'

/** The target of a pause: an agent, a tool or a queue, by its name. */
export const PauseTarget = z.union([
  z.strictObject({ agent: z.string() }),
  z.strictObject({ tool: z.string() }),
  z.strictObject({ queue: z.string() }),
])
/** The target of a pause: an agent, a tool or a queue, by its name. */
export type PauseTarget = z.infer<typeof PauseTarget>

/** Payload schemas of ledger notes by type, newest versions. Times in milliseconds since the epoch. */
export const ledgerSchemas = {
  /** A key of the API was made. Its text is nowhere; `expiresAt` is null for a key that never expires. */
  'key.created': z.object({
    key: z.string(),
    name: z.string(),
    scopes: z.array(z.string()),
    expiresAt: z.number().int().nullable(),
  }),
  /** A key of the API was revoked, for the first time. */
  'key.revoked': z.object({ key: z.string() }),
  /** A run of the tenant was about to use this definition, for the first time: the configuration of an agent changed. */
  'definition.used': z.object({ hash: z.string(), agent: z.string() }),
  /** An assistant was changed; `version` is the one that stands then, null for one that is deleted. `agent`, of a new version. */
  'assistant.changed': z.object({
    assistant: z.string(),
    change: z.enum(['created', 'updated', 'deleted', 'latest_set']),
    agent: z.string().optional(),
    version: z.number().int().nullable(),
  }),
  /** Events were exported. Recorded before the first byte; `events` is how many, where that was known by then. */
  'export.made': z.object({
    format: z.string(),
    filter: JsonObjectSchema,
    events: z.number().int().nullable(),
  }),
  /** An actor read the log in the hour that begins at `hour`; `path` is the first address. Once per actor and hour. */
  'log.searched': z.object({ path: z.string(), hour: z.number().int() }),
  /** A pseudonym was computed for the id of a user, which is recorded nowhere. */
  'user.pseudonymized': z.object({ pseudonym: z.string() }),
  /** An agent, a tool or a queue was paused; without `until`, until the pause is lifted. */
  'pause.set': z.object({
    pause: z.string(),
    target: PauseTarget,
    reason: z.string(),
    until: z.number().int().optional(),
  }),
  /** A pause was lifted before its end. */
  'pause.lifted': z.object({
    pause: z.string(),
    target: PauseTarget,
    reason: z.string(),
    until: z.number().int().optional(),
  }),
} as const

/** Types of ledger notes. */
export type LedgerType = keyof typeof ledgerSchemas
