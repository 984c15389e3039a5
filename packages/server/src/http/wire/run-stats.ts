/** Counts of runs as the wire shows them. */
import { z } from '@hono/zod-openapi'
import { limits } from '@signalbox/core'
import { type RunCount, runCountKeys, type RunCountKey } from '@signalbox/postgres'
import { groupBy } from './group-by.ts'
import { wireStatus } from './run-view.ts'

/** What runs may be counted by. */
export const runStatsKeys = runCountKeys

/** What to count by, in the order of the columns. */
export const RunGroupBy = groupBy(runStatsKeys, { default: 'status', example: 'agent,outcome' })

/** What is answered. */
export const RunStats = z
  .object({
    group_by: z.array(z.enum(runStatsKeys)),
    /** The values by key, and `count`; the largest first. `outcome` is null for runs that go on. */
    groups: z.array(z.record(z.string(), z.union([z.string(), z.number(), z.null()]))),
    /** How many there are in the groups that are shown. */
    total: z.number().int(),
    /** Are there more groups than are shown? */
    truncated: z.boolean(),
  })
  .openapi('RunStats')

/** Counts as they are answered: at most `limit` groups. */
export function runStatsView(
  by: readonly RunCountKey[],
  counts: readonly RunCount[],
  limit: number,
): z.input<typeof RunStats> {
  const groups = new Map<string, Record<string, string | number | null> & { count: number }>()
  for (const row of counts) {
    const values = Object.fromEntries(by.map((key) => [key, valueOf(row, key)]))
    const name = JSON.stringify(values)
    groups.set(name, { ...values, count: (groups.get(name)?.count ?? 0) + row.count })
  }
  const sorted = [...groups.values()].toSorted((one, other) => other.count - one.count)
  const shown = sorted.slice(0, limit)
  return {
    group_by: [...by],
    groups: shown,
    total: shown.reduce((sum, { count }) => sum + count, 0),
    truncated: sorted.length > limit || counts.length > limits.statsGroupsMax,
  }
}

const valueOf = (row: RunCount, key: RunCountKey): string | null =>
  key === 'status' && row.status !== null
    ? wireStatus({ status: row.status, outcome: row.outcome })
    : row[key]
