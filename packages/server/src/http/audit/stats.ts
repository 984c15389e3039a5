/** Counts of events over HTTP. */
import { z } from '@hono/zod-openapi'
import { type StatsGroup, type StatsKey, statsKeys } from '@signalbox/postgres'
import { groupBy } from '../wire/group-by.ts'

/** What to count by, in the order of the columns. */
export const GroupBy = groupBy(statsKeys, { default: 'type', example: 'tool,verdict' })

/** What is answered. */
export const Stats = z
  .object({
    group_by: z.array(z.enum(statsKeys)),
    /** The values by key, and `count`. By time in order; then the largest first. */
    groups: z.array(z.record(z.string(), z.union([z.string(), z.number(), z.null()]))),
    /** Are there more groups than are shown? */
    truncated: z.boolean(),
  })
  .openapi('EventStats')

/** Groups as they are answered, at most `limit`. */
export function statsView(
  by: readonly StatsKey[],
  groups: readonly StatsGroup[],
  limit: number,
): z.input<typeof Stats> {
  return {
    group_by: [...by],
    groups: groups.slice(0, limit).map(({ values, count }) => ({
      ...Object.fromEntries(by.map((key, n) => [key, values[n] ?? null])),
      count,
    })),
    truncated: groups.length > limit,
  }
}
