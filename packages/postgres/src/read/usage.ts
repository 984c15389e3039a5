/**
 * Usage of runs, from their events alone: so a run that is deleted for its users, or whose cached state is gone, counts.
 *
 * U1 Tokens and money are those of answers of models in the time that is asked for, summaries of conversations and titles included, which are no turns; calls those that were begun in it, runs those
 *    that were created in it.
 * U2 Money is what the pinned definition says, rounded as budgets round it: each answer up, to a millionth of the unit.
 * U3 A run that a run has started counts by itself; nothing counts twice.
 * U4 Tokens that were read from a cache or written to it are parts of the input: they are shown beside it, and priced once.
 */
import { limits } from '@signalbox/core'
import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import { compile } from '../query.ts'
import { auditConditions } from './audit-conditions.ts'
import type { AuditFilter } from './audit-filter.ts'
import type { AuditScope } from './audit-scope.ts'

/** Keys that usage is grouped by. Times are UTC. */
export const usageKeys = ['user', 'end_user', 'agent', 'month', 'day'] as const
/** One of `usageKeys`. */
export type UsageKey = (typeof usageKeys)[number]

/** Which events count. */
export type UsageFilter = Pick<AuditFilter, 'since' | 'until' | 'agent'>

/** The same, with the types of events that say what is used. */
export const usedIn = (filter: UsageFilter): AuditFilter => ({
  ...filter,
  type: [
    'run.created',
    'model.completed',
    'context.compacted',
    'context.unchanged',
    'thread.titled',
    'title.unchanged',
    'effect.started',
  ],
})

/** Usage of the runs of a group. */
export interface UsageGroup {
  /** In the order of the keys; null where there is no user, or no end user. */
  readonly values: readonly (string | null)[]
  readonly runs: number
  /** Answers of models, retries included. A request that was too long to be sent is none. */
  readonly turns: number
  /** Calls of tools whose execution was begun, once each. */
  readonly calls: number
  readonly inputTokens: number
  readonly cachedInputTokens: number
  readonly cacheWriteTokens: number
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

/** Tokens of an answer, by their name in its usage. */
const tokens = (name: string): RawBuilder<unknown> =>
  sql`coalesce((t.turn #>> array['usage', ${sql.lit(name)}])::numeric, 0)`

/**
 * One group more than `limits.statsGroupsMax`, if there is one: by time in order, then the dearest, then the largest. Fields
 * are taken out of a payload once ("offset 0").
 */
export function usageQuery(
  { tenantId, filter }: { readonly tenantId: string; readonly filter: UsageFilter },
  by: readonly UsageKey[],
  scope: AuditScope | null = null,
): CompiledQuery<UsageGroup> {
  const conditions = auditConditions(usedIn(filter), scope)
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
      coalesce(sum(input), 0)::float8 as "inputTokens", coalesce(sum(cached), 0)::float8 as "cachedInputTokens",
      coalesce(sum(output), 0)::float8 as "outputTokens", coalesce(sum(cost), 0)::float8 as cost,
      coalesce(sum(written), 0)::float8 as "cacheWriteTokens"
    from (
      select ${sql.join([...keys, sql`(e.type = 'run.created')::int as runs`])},
        (e.type = 'model.completed'
          and not (e.verdict = 'error' and e.payload #>> '{room,unsent}' is not null))::int as turns,
        (e.type = 'effect.started' and e.tool is not null and e.payload ->> 'attempt' = '1')::int as calls,
        t.input, t.cached, t.written, t.output,
        ceil((t.input - c.cached - c.written) * coalesce(p.input, 0) + c.cached * coalesce(p.cached, 0)
          + c.written * coalesce(p.written, 0) + t.output * coalesce(p.output, 0)) as cost
      from signalbox.event e
        join signalbox.run r on r.id = e.run_id
        ${first}
        left join lateral (
          select ${tokens('inputTokens')} as input, ${tokens('cachedInputTokens')} as cached,
            ${tokens('cacheWriteTokens')} as written, ${tokens('outputTokens')} as output,
            t.turn ->> 'provider' as provider, t.turn ->> 'model' as model
          from (select case e.type when 'model.completed' then e.payload -> 'turn' else e.payload end as turn offset 0) t
          where e.type in ('model.completed', 'context.compacted', 'context.unchanged', 'thread.titled', 'title.unchanged')
          offset 0
        ) t on true
        left join lateral (
          select least(t.cached, t.input) as cached,
            least(t.written, t.input - least(t.cached, t.input)) as written
        ) c on true
        left join lateral (
          select p.input, p.cached, p.written, p.output from price p
          where p.hash = r.definition_hash and (p.n = 0 or p.provider = t.provider and p.model = t.model)
          order by (p.provider = t.provider and p.model = t.model) desc, p.n
          limit 1
        ) p on t.provider is not null
      where ${sql.join(conditions, sql` and `)}
    ) used
    group by ${sql.join(names)}
    order by ${sql.join([...times, sql`cost desc`, sql`7 desc`, ...names])}
    limit ${limits.statsGroupsMax + 1}`)
}
