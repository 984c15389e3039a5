/**
 * How much of what is open in a register, over all tenants: for gauges.
 *
 * T1 One statement, which the database gives up after two seconds, over one connection of its own.
 * T2 Nothing that has ended is read: each part goes by an index of what is open, and counts to `countMax` at most.
 * T3 Names of queues, models and states only; no tenant, no run, no text of a user.
 */
import { sql } from 'kysely'
import { openPool } from '../pool.ts'
import { compile, fetchRows, only } from '../query.ts'

/** How many of a kind there are, and for how long the oldest has waited; null if there is none. */
export interface Backlog {
  readonly count: number
  readonly oldestMs: number | null
}

/** The open work of a register. A count that says `countMax` may be more. */
export interface Tally {
  /** Runs that have not ended, by their status and the state of their machine. */
  readonly runs: readonly {
    readonly status: string
    readonly state: string
    readonly count: number
  }[]
  /** Effects that may be performed now and that nobody performs, by queue: tool calls, model calls, webhooks. */
  readonly queues: readonly (Backlog & { readonly queue: string })[]
  /** Effects of open runs whose outcome is unknown. */
  readonly unknown: number
  /** Calls that wait for a human. */
  readonly approvals: Backlog
  /** Questions of models that wait for a person. */
  readonly inputs: Backlog
  /** Pauses that stand, by what they stop. */
  readonly pauses: readonly { readonly target: string; readonly count: number }[]
  /** Models that are not called for now, because they failed too often. */
  readonly openBreakers: readonly string[]
  /** How long the oldest event has been written that the feed does not show yet, in milliseconds. */
  readonly feedDelayMs: number
}

/** Tallies a register. */
export interface TallyReader {
  /** Rejects if Postgres does not answer in time. */
  read(): Promise<Tally>
  close(): Promise<void>
}

/** Where counting ends. */
const countMax = 100_000
const turnsMax = 2_000
const modelsMax = 100
const statementMsMax = 2_000

/** Milliseconds since a time that may be null. */
const ageMs = (time: string) =>
  sql`(case when ${sql.raw(time)} < now() then extract(epoch from now() - ${sql.raw(time)}) * 1000 else 0 end)::float8`

/** Of each queue and tenant what has waited longest, found by steps over the index. */
const turns = sql`with recursive turn as (
    (select e.queue, e.tenant_id, e.due from signalbox.effect e
      where e.status = 'pending' order by e.queue, e.tenant_id, e.due limit 1)
    union all
    select n.queue, n.tenant_id, n.due from turn t cross join lateral (
      select e.queue, e.tenant_id, e.due from signalbox.effect e
      where e.status = 'pending' and (e.queue, e.tenant_id) > (t.queue, t.tenant_id)
      order by e.queue, e.tenant_id, e.due limit 1) n
  )
  select queue, min(due) as due from (select queue, due from turn limit ${turnsMax}) t group by queue`

const queues = sql`
  select q.queue, w.count, case when w.count > 0 then ${ageMs('q.due')} end as "oldestMs"
  from (${turns}) q cross join lateral (
    select count(*)::int from (
      select from signalbox.effect e
      where e.status = 'pending' and e.queue = q.queue and e.due <= now() limit ${countMax}) w
  ) w
  order by q.queue`

const runs = sql`
  select status, state_name as state, count(*)::int
  from (select r.status, r.state_name from signalbox.run r where r.status <> 'ended' limit ${countMax}) r
  group by status, state_name`

const unknown = sql`
  select count(*)::int from (
    select from signalbox.effect e join signalbox.run r on r.id = e.run_id
    where e.status = 'unknown' and r.status <> 'ended' limit ${countMax}) e`

const approvals = sql`
  select count(*)::int, case when count(*) > 0 then ${ageMs('min(a.at)')} end as "oldestMs"
  from (select at from signalbox.approval where waits limit ${countMax}) a`

const inputs = sql`
  select count(*)::int, case when count(*) > 0 then ${ageMs('min(q.at)')} end as "oldestMs"
  from (select at from signalbox.question where waits limit ${countMax}) q`

const pauses = sql`
  select target, count(*)::int from signalbox.pause where coalesce(until > now(), true) group by target`

/** Whatever an open transaction holds back stands behind the oldest one that is open. */
const feedDelay = sql`
  select ${ageMs('e.at')} from signalbox.event e
  where e.xid >= pg_snapshot_xmin(pg_current_snapshot()) order by e.xid, e.gpos limit 1`

/** The tally, in one row. */
export const tallyQuery = () =>
  compile(sql<Tally>`
    select coalesce((select jsonb_agg(r) from (${runs}) r), '[]') as runs,
      coalesce((select jsonb_agg(q) from (${queues}) q), '[]') as queues,
      (${unknown}) as unknown,
      (select to_jsonb(a) from (${approvals}) a) as approvals,
      (select to_jsonb(q) from (${inputs}) q) as inputs,
      coalesce((select jsonb_agg(p) from (${pauses}) p), '[]') as pauses,
      coalesce((select jsonb_agg(b.model) from (
        select model from signalbox.breaker where opened_at is not null order by model limit ${modelsMax}) b),
        '[]') as "openBreakers",
      coalesce((${feedDelay}), 0)::float8 as "feedDelayMs"`)

/** Opens a reader, as `signalbox_engine`. Connects with the first call. */
export function createTallyReader(options: { readonly engineUrl: string }): TallyReader {
  const pool = openPool(options.engineUrl, { max: 1, name: 'signalbox-gauges', statementMsMax })
  return {
    async read() {
      const how = { name: 'tally', msMax: statementMsMax + 1_000 }
      return only(await fetchRows(pool, tallyQuery(), how))
    },
    close: () => pool.end(),
  }
}
