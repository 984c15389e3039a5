/** Counts of events by what they are about, in one statement. */
import { limits } from '@signalbox/core'
import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import { compile } from '../query.ts'
import { auditConditions } from './audit-conditions.ts'
import type { AuditScope } from './audit-scope.ts'
import type { SearchFilter } from './audit-search.ts'
import { holdsText } from './searched-text.ts'

const iso = (column: RawBuilder<unknown>) =>
  sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`
/** From the epoch on, which is UTC: cheaper than to look for the time zone with each event. */
const binned = (width: string) =>
  sql`date_bin(${sql.lit(width)}::interval, e.at, timestamptz '1970-01-01 00:00:00+00')`
const asIs = (column: RawBuilder<unknown>) => column

/** Keys that events can be counted by. */
export const statsKeys = [
  'type',
  'tool',
  'verdict',
  'actor',
  'agent',
  'outcome',
  'end_user',
  'hour',
  'day',
] as const
/** One of `statsKeys`. */
export type StatsKey = (typeof statsKeys)[number]

/** The column that is grouped, and how a group is shown. */
const keys: Readonly<
  Record<
    StatsKey,
    { of: RawBuilder<unknown>; show: (group: RawBuilder<unknown>) => RawBuilder<unknown> }
  >
> = {
  type: { of: sql`e.type`, show: asIs },
  tool: { of: sql`e.tool`, show: asIs },
  verdict: { of: sql`e.verdict`, show: asIs },
  actor: { of: sql`e.actor`, show: asIs },
  // That of a ledger run is `-`, which names none.
  agent: { of: sql`nullif(r.agent, '-')`, show: asIs },
  outcome: { of: sql`r.outcome`, show: asIs },
  end_user: { of: sql`u.end_user`, show: asIs },
  hour: { of: binned('1 hour'), show: iso },
  day: { of: binned('1 day'), show: iso },
}

/** The subject of a count. `runs`: those that have such events, each once in a group. */
export interface StatsWish {
  readonly by: readonly StatsKey[]
  readonly of?: 'events' | 'runs'
}

/** How many events have these values, in the order of the keys. */
export interface StatsGroup {
  readonly values: readonly (string | null)[]
  readonly count: number
}

/** Nobody started a ledger run. As an array, which is made once: there is one per month. */
const notOfLedger = sql`e.run_id <> all (array(
  select l.id from signalbox.run l where l.agent = '-' and l.machine = 'ledger'))`

const isTime = (key: StatsKey): boolean => key === 'hour' || key === 'day'

const joined = {
  run: sql`join signalbox.run r on r.id = e.run_id`,
  endUser: sql`left join signalbox.end_user_run u on u.run_id = e.run_id`,
}

/** Groups by time come first, in order; then the largest. One group more than `limits.statsGroupsMax`, if there is. */
export function statsQuery(
  filter: SearchFilter,
  { by, of = 'events' }: StatsWish,
  scope: AuditScope | null = null,
): CompiledQuery<StatsGroup> {
  const { q } = filter
  const conditions = [
    ...auditConditions(filter, scope),
    ...(q === undefined ? [] : [holdsText(q)]),
    ...(of === 'runs' ? [notOfLedger] : []),
  ]
  const names = by.map((_, n) => sql.ref(`k${n}`))
  const grouped = by.map((key, n) => sql`${keys[key].of} as ${sql.ref(`k${n}`)}`)
  const joins = [
    ...(by.some((key) => key === 'agent' || key === 'outcome') ? [joined.run] : []),
    ...(by.includes('end_user') ? [joined.endUser] : []),
  ]
  const shown = by.map((key, n) => sql`${keys[key].show(sql.ref(`k${n}`))}`)
  const times = by.flatMap((key, n) => (isTime(key) ? [sql.ref(`k${n}`)] : []))
  const order = sql.join([...times, sql`n desc`, ...names])
  return compile(sql<StatsGroup>`
    select array[${sql.join(shown)}]::text[] as values, n::float8 as count
    from (
      select ${sql.join(grouped)}, ${of === 'runs' ? sql`count(distinct e.run_id)` : sql`count(*)`} as n
      from signalbox.event e ${sql.join(joins, sql` `)}
      where ${sql.join(conditions, sql` and `)}
      group by ${sql.join(names)}
    ) s
    order by ${order}
    limit ${limits.statsGroupsMax + 1}`)
}
