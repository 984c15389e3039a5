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
  /** A key of the API was made. Its text is recorded nowhere. */
  'key.created': z.object({
    /** Its id, which is the middle part of its text. */
    key: z.string(),
    /** For humans. */
    name: z.string(),
    /** Its scopes. */
    scopes: z.array(z.string()),
    /** Milliseconds since the epoch; null: never. */
    expiresAt: z.number().int().nullable(),
  }),
  /** A key of the API was revoked, for the first time. */
  'key.revoked': z.object({
    /** Its id. */
    key: z.string(),
  }),
  /** A run of the tenant was about to use this definition, for the first time: the configuration of an agent changed. */
  'definition.used': z.object({
    /** sha256 of the definition, hex: `GET /definitions/{hash}` shows it. */
    hash: z.string(),
    agent: z.string(),
  }),
  /** An assistant was changed. */
  'assistant.changed': z.object({
    /** Its id. */
    assistant: z.string(),
    /** The kind of change. */
    change: z.enum(['created', 'updated', 'deleted', 'latest_set']),
    /** That it was made of; present with a new version. */
    agent: z.string().optional(),
    /** The version that runs use then; null for one that is deleted. */
    version: z.number().int().nullable(),
  }),
  /** Events were exported. Recorded before the first byte; the pieces of an export are recorded once an hour. */
  'export.made': z.object({
    /** `ndjson`, `csv` or `parquet`. */
    format: z.string(),
    /** Which events, as the request said; of a very long filter its names and its digest. */
    filter: JsonObjectSchema,
    /** How many; null where nobody had counted them by then. */
    events: z.number().int().nullable(),
  }),
  /** An actor read the log. Recorded once per actor and hour, before the first answer. */
  'log.searched': z.object({
    /** The first address that was asked. */
    path: z.string(),
    /** When the hour began, in milliseconds since the epoch. */
    hour: z.number().int(),
  }),
  /** A pseudonym was computed for the id of a user, which is recorded nowhere. */
  'user.pseudonymized': z.object({
    /** As runs have it in `endUser`. */
    pseudonym: z.string(),
  }),
  /** A memory was paused, so that nothing is learned into it nor shown of it; or the pause has ended. */
  'memory.set': z.object({
    /** Its thread. */
    memory: z.string(),
    paused: z.boolean(),
  }),
  /** A memory was erased: its key, its texts, and the words in the log of its runs. */
  'memory.erased': z.object({
    /** Its thread. */
    memory: z.string(),
    /** Texts that were removed. */
    texts: z.number().int(),
  }),
  /** An agent, a tool or a queue was paused; without `until`, until the pause is lifted. */
  'pause.set': z.object({
    /** Its id. */
    pause: z.string(),
    target: PauseTarget,
    reason: z.string(),
    /** When it ends by itself, in milliseconds since the epoch. */
    until: z.number().int().optional(),
  }),
  /** A pause was lifted before its end. */
  'pause.lifted': z.object({
    /** Its id. */
    pause: z.string(),
    target: PauseTarget,
    reason: z.string(),
    /** When it ends by itself, in milliseconds since the epoch. */
    until: z.number().int().optional(),
  }),
} as const

/** Types of ledger notes. */
export type LedgerType = keyof typeof ledgerSchemas
