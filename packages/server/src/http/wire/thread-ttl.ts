/** How long threads live, as requests say it. */
import { z } from '@hono/zod-openapi'
import { limits } from '@signalbox/core'

const strategies = z.enum(['delete', 'keep_latest']).default('delete')

const keepLatest = {
  error: 'is not available in this version. The register keeps every state; use "delete".',
  params: { code: 'not_available' },
}

/** What becomes of a thread that is not needed any more. */
export const RemoveStrategy = strategies.refine(
  (strategy) => strategy !== 'keep_latest',
  keepLatest,
)

const takes = `takes minutes, more than 0 and at most ${limits.threadTtlMinutesMax}, or { "ttl": minutes, "strategy": "delete" }`

const Minutes = z
  .number(takes)
  .gt(0, takes)
  .max(limits.threadTtlMinutesMax, takes)
  .openapi({ description: 'Minutes after the thread was last used.' })

const Spelled = z.object({ ttl: Minutes, strategy: strategies }, takes)

/** A number is short for an object. Answers the minutes. */
export const ThreadTtl = z
  .union([Minutes, Spelled], takes)
  .nullish()
  .refine((ttl) => typeof ttl !== 'object' || ttl?.strategy !== 'keep_latest', {
    ...keepLatest,
    path: ['strategy'],
  })
  .transform((ttl) => (typeof ttl === 'object' && ttl !== null ? ttl.ttl : ttl))
