/** Which runs a search finds, as conditions over `run as r`. */
import { type JsonObject, Outcome, RunStatus, type StateName } from '@signalbox/core'
import { type RawBuilder, sql } from 'kysely'
import { isShown, type RunFilter } from './listings.ts'
import { waitsBelow } from './waits-below.ts'
import { statusesWaitingFor, type WaitKind, waitsFor } from './waits-for.ts'

/** Which runs are wanted. Filters join with "and", the values of one with "or"; a list without values finds nothing. */
export interface RunConditions {
  /** UUIDs. */
  readonly runIds?: readonly string[]
  readonly threadIds?: readonly string[]
  readonly agents?: readonly string[]
  readonly states?: readonly StateName[]
  readonly outcomes?: readonly Outcome[]
  /** Runs that are in one of these statuses, or have ended with one of these outcomes. */
  readonly among?: NonNullable<RunFilter['among']>
  /** Pseudonyms. */
  readonly endUsers?: readonly string[]
  readonly waitsFor?: readonly WaitKind[]
  /** Keys and values that the metadata must have. */
  readonly metadata?: JsonObject
  /** Created from this time on, and before this one. Milliseconds since the epoch. */
  readonly since?: number | undefined
  readonly until?: number | undefined
  /** Ended from this time on, and before this one. Milliseconds since the epoch. */
  readonly endedSince?: number | undefined
  readonly endedUntil?: number | undefined
  /** Only those that nobody has asked to end. Default false. */
  readonly uncancelled?: boolean
}

type Condition = RawBuilder<unknown>

/** Conditions, joined with "and". */
export const allOf = (conditions: readonly Condition[]): Condition =>
  conditions.length === 0 ? sql`true` : sql.join([...conditions], sql` and `)

const isOneOf = (column: Condition, values: readonly string[] | undefined): Condition[] =>
  values === undefined ? [] : [sql`${column} = any(${[...values]}::text[])`]

/** When the run ended: its last decision stands behind every fact that was decided about. */
export const endedAt = sql<number | null>`case when r.status = 'ended' then (
  select signalbox.to_ms(d.at)::float8 from signalbox.event d
  where d.run_id = r.id and d.seq > r.decided and d.type = 'run.transitioned'
  order by d.seq limit 1) end`

/** Everything that is asked of a run. */
export function conditionsOf(filter: RunConditions): Condition {
  const { runIds, metadata, waitsFor: kinds, endUsers } = filter
  const conditions = [
    isShown,
    ...(runIds === undefined ? [] : [sql`r.id = any(${[...runIds]}::uuid[])`]),
    ...isOneOf(sql`r.thread_id`, filter.threadIds),
    ...isOneOf(sql`r.agent`, filter.agents),
    ...isOneOf(sql`r.state_name`, filter.states),
    ...cohortConditions(filter),
    ...(endUsers === undefined ? [] : [worksFor(endUsers)]),
    ...(metadata === undefined ? [] : [sql`r.metadata @> ${JSON.stringify(metadata)}::jsonb`]),
    ...createdWithin(filter),
    ...endedWithin(filter),
    ...(filter.uncancelled ? [sql`not r.cancel_requested`] : []),
    // Last, since it reads other tables.
    ...isOneOf(sql`(${waitsFor}) ->> 'kind'`, kinds),
  ]
  return allOf(conditions)
}

const worksFor = (endUsers: readonly string[]): Condition => sql`exists (
  select from signalbox.end_user_run u
  where u.tenant_id = r.tenant_id and u.end_user = any(${[...endUsers]}::text[]) and u.run_id = r.id)`

/**
 * An index serves each: the open runs of a status, the ended runs of an outcome. `isHeld`: of the running ones those that wait for nothing but
 * humans below them, or the others.
 */
export type Cohort =
  | { readonly status: RunStatus; readonly isHeld?: boolean }
  | { readonly outcome: Outcome }

/** The condition of one cohort. Its word is one of ours, so that the planner may know a partial index by it. */
export function inCohort(cohort: Cohort): Condition {
  if ('outcome' in cohort) return sql`r.outcome = ${sql.lit(cohort.outcome)}`
  const { status, isHeld } = cohort
  const inStatus = sql`r.status = ${sql.lit(status)}`
  if (isHeld === undefined) return inStatus
  return isHeld ? sql`${inStatus} and ${waitsBelow}` : sql`${inStatus} and not ${waitsBelow}`
}

/** The open runs that are shown with these statuses. */
function shownWith(statuses: readonly RunStatus[]): readonly Cohort[] {
  const all = statuses.map((status): Cohort => ({ status }))
  const [runs, waits] = [statuses.includes('running'), statuses.includes('waiting')]
  if (runs === waits) return all
  const others = statuses.filter((status) => status !== 'running')
  return [...others.map((status) => ({ status })), { status: 'running', isHeld: waits }]
}

/** The cohorts that a search is about; null if it is about all of them. */
export function cohortsOf(filter: RunConditions): readonly Cohort[] | null {
  const { among, outcomes, states, waitsFor: kinds, endedSince, endedUntil } = filter
  const mustEnd = endedSince !== undefined || endedUntil !== undefined
  const limited = [among, outcomes, states, kinds].some((each) => each !== undefined)
  if (!limited && !mustEnd) return null
  const hasEnded = among?.statuses.includes('ended') ?? true
  const open = RunStatus.options.filter(
    (status) =>
      status !== 'ended' &&
      !mustEnd &&
      outcomes === undefined &&
      (among?.statuses.includes(status) ?? true) &&
      (states?.some((state) => statusesOf(state).includes(status)) ?? true) &&
      (kinds === undefined || statusesWaitingFor(kinds).includes(status)),
  )
  const ended = Outcome.options.filter(
    (outcome) =>
      kinds === undefined &&
      (hasEnded || among?.outcomes.includes(outcome)) &&
      (outcomes?.includes(outcome) ?? true) &&
      (states?.some((state) => statusesOf(state).includes('ended')) ?? true),
  )
  return [...shownWith(open), ...ended.map((outcome) => ({ outcome }))]
}

function cohortConditions(filter: RunConditions): Condition[] {
  const cohorts = cohortsOf(filter)?.map((cohort) => sql`(${inCohort(cohort)})`)
  const named =
    cohorts === undefined ? [] : [sql`(${sql.join([...cohorts, sql`false`], sql` or `)})`]
  // Recorded, and still to be had by its id, or by its outcome.
  const rolledBack = filter.outcomes?.includes('rolled_back') ?? filter.runIds !== undefined
  return rolledBack ? named : [...named, sql`r.outcome is distinct from 'rolled_back'`]
}

function statusesOf(state: StateName): readonly RunStatus[] {
  if (state === 'queued') return ['queued']
  if (state === 'completed' || state === 'failed' || state === 'cancelled') return ['ended']
  return ['running', 'waiting']
}

const time = (ms: number): Condition => sql`signalbox.from_ms(${ms}::bigint)`

/** Ids are of the clock of a server, times of that of Postgres: a day lies between what they may say of a run. */
const dayMs = 24 * 3600 * 1000

/** The smallest UUIDv7 of a moment. */
function uuidBound(ms: number): string {
  const hex = Math.min(Math.max(Math.trunc(ms), 0), 2 ** 48 - 1)
    .toString(16)
    .padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

function createdWithin({ since, until, endedUntil }: RunConditions): Condition[] {
  // A run that has ended was created before.
  const latest = Math.min(until ?? Infinity, endedUntil ?? Infinity)
  return [
    ...(since === undefined
      ? []
      : [sql`r.created_at >= ${time(since)} and r.id >= ${uuidBound(since - dayMs)}::uuid`]),
    ...(until === undefined ? [] : [sql`r.created_at < ${time(until)}`]),
    ...(latest === Infinity ? [] : [sql`r.id < ${uuidBound(latest + dayMs)}::uuid`]),
  ]
}

function endedWithin({ endedSince, endedUntil }: RunConditions): Condition[] {
  return [
    // Its row was last changed when it ended, or later: so few of the log are read.
    ...(endedSince === undefined
      ? []
      : [sql`r.updated_at >= ${time(endedSince)} and ${endedAt} >= ${endedSince}`]),
    ...(endedUntil === undefined ? [] : [sql`${endedAt} < ${endedUntil}`]),
  ]
}
