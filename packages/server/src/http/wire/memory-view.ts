/** Memories on the wire. */
import { z } from '@hono/zod-openapi'
import { endOfDay, limits, MemoryKind } from '@signalbox/core'
import type { MemoryEntry, MemoryView } from '@signalbox/engine'
import { isStorableText } from '../json-guard.ts'
import { Id, Term } from './ids.ts'
import { iso } from './iso.ts'

/** Whose memory a request is about. */
export const MemoryQuery = z.object({
  /** The agent whose memory it is. Left out: the only one that remembers anything. */
  agent: Term.optional(),
  /** The pseudonym of an end user, or the id of a user. Left out: whoever asks, by the headers of `server.identity`. */
  subject: Term.optional(),
})

/** The same, as it was right after an event of it. */
export const MemoryAt = MemoryQuery.extend({
  /** `<run_id>:<seq>`, as `at` of an answer. Left out: now. */
  at: z
    .string()
    .regex(/^[0-9a-f-]{36}:\d{1,9}$/, 'takes <run_id>:<seq>')
    .optional(),
})

/** The item that is removed. */
export const MemoryItemQuery = MemoryQuery.extend({ id: Id })

/** An item as a person writes it. */
export const MemoryItemPut = z
  .strictObject({
    ...MemoryQuery.shape,
    /** The item that gets another text. Left out: a new one. */
    id: Id.optional(),
    /** One sentence about the user. */
    text: z
      .string()
      .trim()
      .min(1, 'must not be empty')
      .max(limits.memoryItemCharsMax)
      .refine(isStorableText, 'takes text without U+0000')
      .refine((text) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text), 'takes one line'),
    kind: MemoryKind.default('preference'),
    /** The last day on which it holds, as YYYY-MM-DD. */
    until: z
      .string()
      .refine((day) => endOfDay(day) !== null, 'takes a day as YYYY-MM-DD')
      .nullish(),
  })
  .openapi('MemoryItemPut')

/** Whether a memory is paused. */
export const MemoryPause = z
  .strictObject({
    ...MemoryQuery.shape,
    /** False: the pause ends. */
    paused: z.boolean().default(true),
  })
  .openapi('MemoryPause')

const Source = z.object({
  run_id: z.string(),
  seq: z.number().int(),
  /** Is anything of the event left? Not if it was erased, or its run deleted or rolled back. */
  stands: z.boolean(),
})

export const MemoryItem = z
  .object({
    id: z.string(),
    kind: MemoryKind,
    /** Null: it was erased. */
    text: z.string().nullable(),
    by: z.enum(['model', 'person']),
    confidence: z.number(),
    since: z.string(),
    until: z.string().nullable(),
    /** How often the user said it again. */
    confirmed: z.number().int(),
    /** The events that hold the words it was made of: GET /runs/{run_id}/events shows them. None of what a person wrote. */
    sources: z.array(Source),
    /** The event that gave it its text. */
    changed_by: z.object({ run_id: z.string(), seq: z.number().int() }),
    /** Is it withheld, since nothing is left of what it was made of? */
    withheld: z.boolean(),
  })
  .openapi('MemoryItem')

export const Memory = z
  .object({
    agent: z.string(),
    scope: z.string(),
    /** Null where it is nobody's own. */
    subject: z.string().nullable(),
    /** Nothing is learned into it just now, and nothing of it is shown. */
    paused: z.boolean(),
    /** Its newest event: with `at` it is shown as it was then. Null: it is empty, and was ever since. */
    at: z.string().nullable(),
    items: z.array(MemoryItem),
  })
  .openapi('Memory')

export const MemoryErased = z
  .object({
    /** Memories of the subject that were erased. */
    memories: z.array(
      z.object({
        scope: z.string(),
        agent: z.string().nullable(),
        /** Texts that were removed. */
        texts: z.number().int(),
      }),
    ),
    /** What may quote it all the same, and is not erased by this. */
    remains: z.array(z.string()),
  })
  .openapi('MemoryErased')

export function itemView({ item, text, standing }: MemoryEntry): z.infer<typeof MemoryItem> {
  const left = new Set(standing.map(({ runId, seq }) => `${runId}:${seq}`))
  const sources = [...item.sources, ...item.confirmedBy]
  return {
    id: item.id,
    kind: item.kind,
    text,
    by: item.by,
    confidence: item.confidence,
    since: iso(item.since),
    until: item.until === undefined ? null : iso(item.until),
    confirmed: item.confirmedBy.length,
    sources: sources.map(({ runId, seq }) => ({
      run_id: runId,
      seq,
      stands: left.has(`${runId}:${seq}`),
    })),
    changed_by: { run_id: item.at.runId, seq: item.at.seq },
    withheld: item.by === 'model' && left.size === 0,
  }
}

export const memoryView = (
  { isPaused, at, entries }: MemoryView,
  of: Pick<z.infer<typeof Memory>, 'agent' | 'scope' | 'subject'>,
): z.infer<typeof Memory> => ({
  ...of,
  paused: isPaused,
  at: at && `${at.runId}:${at.seq}`,
  items: entries.map(itemView),
})
