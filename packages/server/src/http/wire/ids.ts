/** Ids, names and texts as requests bring them. Each is bounded before it reaches an index. */
import { z } from '@hono/zod-openapi'
import { limits } from '@signalbox/core'
import { isStorableText } from '../json-guard.ts'

const idPattern = new RegExp(`^[A-Za-z0-9._:-]{1,${limits.idCharsMax}}$`)
const idMessage = `takes 1 to ${limits.idCharsMax} of A-Z a-z 0-9 . _ : -`

/** Is the text usable as an id or an idempotency key? */
export const isId = (text: string): boolean => idPattern.test(text)

export const Id = z.string().regex(idPattern, idMessage)

/** A text that is compared with an indexed column. */
export const Term = z
  .string()
  .min(1)
  .max(limits.idCharsMax)
  .refine(isStorableText, 'takes text without U+0000')

export const ThreadPath = z.object({ thread_id: Id })
export const RunPath = z.object({ run_id: Id })
export const ThreadRunPath = z.object({ thread_id: Id, run_id: Id })

/** A whole number in a query, at most `max`. */
export const wholeNumber = (max: number) =>
  z
    .string()
    .regex(/^\d{1,10}$/, 'takes a whole number')
    .transform(Number)
    .pipe(z.number().max(max, `takes at most ${max}`))

export const Limit = wholeNumber(limits.pageMax)
  .pipe(z.number().min(1, 'takes at least 1'))
  .optional()
  .openapi({ type: 'integer', minimum: 1, maximum: limits.pageMax })

export const Offset = wholeNumber(1_000_000)
  .optional()
  .openapi({ type: 'integer', minimum: 0, maximum: 1_000_000 })

/** The last sequence number that the caller has. */
export const AfterSeq = wholeNumber(2_147_483_647)
  .optional()
  .openapi({ type: 'integer', minimum: 0 })

/** `0`, `1`, `false` or `true`: a plain coercion would read `0` as true. */
export const Flag = z
  .enum(['0', '1', 'false', 'true'])
  .transform((text) => text === '1' || text === 'true')
  .optional()
  .openapi({ type: 'string', enum: ['0', '1', 'false', 'true'] })

/** Postgres knows no time before 4713 BC, and nothing here is older than the calendar. */
const earliestMs = Date.parse('0000-01-01T00:00:00Z')
const latestMs = 8.64e15

/** A time as ISO 8601 or as milliseconds since the epoch; answers milliseconds. */
export const Instant = z
  .string()
  .transform((text, context) => {
    const ms = /^\d{1,15}$/.test(text) ? Number(text) : Date.parse(text)
    if (ms >= earliestMs && ms <= latestMs) return ms
    const message = 'takes an ISO 8601 time from the year 0 on, or milliseconds'
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  })
  .optional()
  .openapi({ type: 'string', format: 'date-time' })
