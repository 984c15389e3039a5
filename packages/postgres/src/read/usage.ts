/**
 * What runs have used, from their events alone: so a run that is deleted for its users, or whose cached state is gone, counts.
 *
 * U1 Tokens and money are those of answers of models in the time that is asked for, calls those that were begun in it, runs those
 *    that were created in it.
 * U2 Money is what the pinned definition says, rounded as budgets round it: each answer up, to a millionth of the unit.
 * U3 A run that a run has started counts by itself; nothing counts twice.
 */
import { limits } from '@signalbox/core'
import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import { compile } from '../query.ts'

/** What usage is grouped by. Times are UTC. */
export const usageKeys = ['user', 'end_user', 'agent', 'month', 'day'] as const
/** One of `usageKeys`. */
export type UsageKey = (typeof usageKeys)[number]

/** Which events count. Times in milliseconds since the epoch; `until` is not included. */
export interface UsageFilter {
  readonly since?: number | undefined
  readonly until?: number | undefined
  readonly agents?: readonly string[] | undefined
}

/** What the runs of a group have used. */
export interface UsageGroup {
  /** In the order of the keys; null where there is no user, or no end user. */
  readonly values: readonly (string | null)[]
  readonly runs: number
  /** Answers of models, retries included. */
  readonly turns: number
  /** Calls of tools whose execution was begun, once each. */
  readonly calls: number
  readonly inputTokens: number
  readonly cachedInputTokens: number
  readonly outputTokens: number
  /** Millionths of the unit of the prices. */
  readonly cost: number
}

const columns: Readonly<Record<UsageKey, RawBuilder<unknown>>> = {
  user: sql`f.payload #>> '{user,id}'`,
  end_user: sql`f.payload ->> 'endUser'`,
  agent: sql`r.agent`,
  month: sql`to_char(e.at at time zone 'UTC', 'YYYY-MM')`,
  day: sql`to_char(e.at at time zone 'UTC', 'YYYY-MM-DD')`,
}

const moment = (ms: number): RawBuilder<unknown> => sql`to_timestamp(${ms}::float8 / 1000)`

/** Tokens of an answer, by their name in its usage. */
const tokens = (name: string): RawBuilder<unknown> =>
  sql`coalesce((t.turn #>> array['usage', ${sql.lit(name)}])::numeric, 0)`

/** One group more than `limits.statsGroupsMax`, if there is one: by time in order, then the dearest, then the largest. */
export function usageQuery(
  tenantId: string,
  { since, until, agents }: UsageFilter,
  by: readonly UsageKey[],
): CompiledQuery<UsageGroup> {
  const wanted = [
    sql`e.tenant_id = ${tenantId}`,
    sql`e.type in ('run.created', 'model.completed', 'effect.started')`,
    ...(since === undefined ? [] : [sql`e.at >= ${moment(since)}`]),
    ...(until === undefined ? [] : [sql`e.at < ${moment(until)}`]),
    ...(agents === undefined ? [] : [sql`r.agent = any(${[...agents]}::text[])`]),
  ]
  const keys = by.map((key, n) => sql`${columns[key]} as ${sql.ref(`k${n}`)}`)
  const names = by.map((_, n) => sql.ref(`k${n}`))
  const times = by.flatMap((key, n) => (key === 'month' || key === 'day' ? [sql.ref(`k${n}`)] : []))
  const ofUsers = by.some((key) => key === 'user' || key === 'end_user')
  const first = ofUsers
    ? sql`left join signalbox.event f on f.run_id = e.run_id and f.seq = 1`
    : sql``
  return compile(sql<UsageGroup>`
    with price as materialized (select * from signalbox.model_prices(${tenantId}))
    select array[${sql.join(names)}]::text[] as values,
      sum(runs)::float8 as runs, sum(turns)::float8 as turns, sum(calls)::float8 as calls,
      sum(input)::float8 as "inputTokens", sum(cached)::float8 as "cachedInputTokens",
      sum(output)::float8 as "outputTokens", sum(cost)::float8 as cost
    from (
      select ${sql.join([...keys, sql`(e.type = 'run.created')::int as runs`])},
        (e.type = 'model.completed')::int as turns,
        (e.type = 'effect.started' and e.tool is not null and e.payload ->> 'attempt' = '1')::int as calls,
        t.input, t.cached, t.output,
        ceil((t.input - least(t.cached, t.input)) * coalesce(p.input, 0)
          + least(t.cached, t.input) * coalesce(p.cached, 0) + t.output * coalesce(p.output, 0)) as cost
      from signalbox.event e
        join signalbox.run r on r.id = e.run_id
        ${first}
        left join lateral (
          select ${tokens('inputTokens')} as input, ${tokens('cachedInputTokens')} as cached,
            ${tokens('outputTokens')} as output, t.turn ->> 'provider' as provider, t.turn ->> 'model' as model
          from (select e.payload -> 'turn' as turn offset 0) t
          where e.type = 'model.completed'
        ) t on true
        left join lateral (
          select p.input, p.cached, p.output from price p
          where p.hash = r.definition_hash and (p.n = 0 or p.provider = t.provider and p.model = t.model)
          order by (p.provider = t.provider and p.model = t.model) desc, p.n
          limit 1
        ) p on t.provider is not null
      where ${sql.join(wanted, sql` and `)}
    ) used
    group by ${sql.join(names)}
    order by ${sql.join([...times, sql`cost desc nulls last`, sql`7 desc`, ...names])}
    limit ${limits.statsGroupsMax + 1}`)
}
