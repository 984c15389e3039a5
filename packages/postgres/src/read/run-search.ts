/**
 * Runs of all threads, page by page. A filter that an index serves is asked value by value, each in the order of the page and no
 * further than it: so a page costs what it shows, also where hardly a run of many is wanted.
 */
import { type JsonObject, limits, type StateName } from '@signalbox/core'
import type { RunHead } from '@signalbox/engine'
import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import { build, compile, isUuid, pageSize } from '../query.ts'
import { shownColumns } from './listings.ts'
import {
  allOf,
  cohortsOf,
  conditionsOf,
  endedAt,
  inCohort,
  type RunConditions,
} from './run-conditions.ts'
import { type WaitsFor, waitsFor } from './waits-for.ts'

/** Which runs a page shows. */
export interface RunSearch extends RunConditions {
  /** Default false: newest first. */
  readonly oldestFirst?: boolean
  /** `next` of the page before. Throws a RangeError if it is none. */
  readonly after?: string | undefined
  /** Only runs with an id before this UUID: none that is created from now on. */
  readonly before?: string | undefined
  /** At most `limits.pageMax`, which is the default. */
  readonly limit?: number
}

/** A run, and what its head does not hold. */
export interface ListedRun extends RunHead {
  /** Milliseconds since the epoch; null while it goes on. */
  readonly endedAt: number | null
  /** Null when it has ended. */
  readonly waitsFor: WaitsFor | null
  /** The call of its parent that it does the work of. */
  readonly parentCall: string | null
  /** The runs that its first event names: which it reruns, and which it retries. */
  readonly rerunOf: string | null
  readonly retryOf: string | null
  /** The event that says why a run failed; null where none does. */
  readonly failure: { readonly type: string; readonly payload: JsonObject } | null
}

/** A page of a search. */
export interface RunPage {
  readonly runs: readonly ListedRun[]
  /** Where to go on, as `after`; null at the end. */
  readonly next: string | null
}

/** May the text be the `after` of a search? */
export const isRunPosition = isUuid

const rowsOf = ({ limit }: RunSearch): number => pageSize(limit, limits.pageMax)

/** One row more than the page shows, if there is one. */
export function runSearchQuery(filter: RunSearch): CompiledQuery<ListedRun> {
  const { after, before, oldestFirst = false } = filter
  if (after !== undefined && !isUuid(after)) throw new RangeError('`after` is no position of runs')
  const order = oldestFirst ? sql`asc` : sql`desc`
  const rows = sql`limit ${rowsOf(filter) + 1}`
  const wanted = allOf([
    conditionsOf(filter),
    ...(after === undefined ? [] : [behindRun(after, oldestFirst)]),
    ...(before === undefined ? [] : [behindRun(before, false)]),
  ])
  const arms = armsOf(filter).map(
    ({ from, only }) =>
      sql`(select r.id from ${from} where ${only} and ${wanted} order by r.id ${order} ${rows})`,
  )
  const none = sql`(select null::uuid as id where false)`
  const found = sql<{ id: string }>`(
    select id from (${sql.join(arms.length === 0 ? [none] : arms, sql` union all `)}) each_of
    order by id ${order} ${rows})`
  return build
    .selectFrom('run as r')
    .innerJoin(found.as('found'), 'found.id', 'r.id')
    .select(shownColumns)
    .select([
      endedAt.as('endedAt'),
      waitsFor.as('waitsFor'),
      sql<
        string | null
      >`(select p.spec ->> 'callId' from signalbox.effect p where p.id = r.parent_effect)`.as(
        'parentCall',
      ),
      named('rerun', 'rerun_of').as('rerunOf'),
      named('retry', 'retry_of').as('retryOf'),
      failure.as('failure'),
    ])
    .orderBy('r.id', oldestFirst ? 'asc' : 'desc')
    .compile()
}

/** The metadata says that there may be something to read; the first event says what. */
const named = (field: string, mark: string): RawBuilder<string | null> => sql<string | null>`case
  when r.metadata ? ${sql.lit(mark)} then (
    select c.payload #>> array[${sql.lit(field)}, 'runId'] from signalbox.event c
    where c.run_id = r.id and c.seq = 1) end`

/** Only notes follow the decision that ends a run: so many events are looked at, backwards. */
const eventsAfterEnd = 500

/**
 * The last word about the model, or the fault, of a run that failed. An answer that closed well is the last word, too: then nothing
 * is shown, and of it nothing is read. What was erased says nothing.
 */
const failure = sql<ListedRun['failure']>`case when r.outcome in ('failed', 'interrupted') then (
  select case when f.type <> 'model.completed' and f.payload is not null
    then jsonb_build_object('type', f.type, 'payload', f.payload) end
  from signalbox.event f
  where f.run_id = r.id and f.seq > r.seq - ${sql.lit(eventsAfterEnd)}
    and f.type in ('turn.cut', 'run.faulted', 'context.exhausted', 'context.unchanged', 'model.completed')
  order by f.seq desc limit 1) end`

const behindRun = (runId: string, oldestFirst: boolean): RawBuilder<unknown> =>
  oldestFirst ? sql`r.id > ${runId}::uuid` : sql`r.id < ${runId}::uuid`

/** A part of the runs that one index has in the order of the page. */
interface Arm {
  readonly from: RawBuilder<unknown>
  readonly only: RawBuilder<unknown>
}

const runTable = sql`signalbox.run r`

/** The filter that an index serves best, value by value. */
function armsOf(filter: RunSearch): readonly Arm[] {
  const { endUsers, threadIds, agents } = filter
  if (endUsers !== undefined) return distinct(endUsers).map(armOfUser)
  if (threadIds !== undefined)
    return distinct(threadIds).map((id) => ({ from: runTable, only: sql`r.thread_id = ${id}` }))
  const cohorts = cohortsOf(filter)
  if (cohorts !== null) return cohorts.map((cohort) => ({ from: runTable, only: inCohort(cohort) }))
  if (agents !== undefined)
    return distinct(agents).map((agent) => ({ from: runTable, only: sql`r.agent = ${agent}` }))
  return [{ from: runTable, only: sql`true` }]
}

const distinct = (values: readonly string[]): readonly string[] => [...new Set(values)]

const armOfUser = (endUser: string): Arm => ({
  from: sql`signalbox.end_user_run u join signalbox.run r on r.id = u.run_id`,
  only: sql`u.end_user = ${endUser}`,
})

/** The page that rows make. */
export function runPage(found: readonly ListedRun[], filter: RunSearch): RunPage {
  const runs = found.slice(0, rowsOf(filter))
  return { runs, next: found.length > runs.length ? (runs.at(-1)?.runId ?? null) : null }
}

/** Keys that runs are counted by. */
export const runCountKeys = ['status', 'state', 'agent', 'outcome'] as const
/** A key that runs are counted by. `status` is that of the register. */
export type RunCountKey = (typeof runCountKeys)[number]

/** How many runs share these values. */
export interface RunCount {
  readonly status: RunHead['status'] | null
  readonly state: StateName | null
  readonly agent: string | null
  readonly outcome: RunHead['outcome']
  readonly count: number
}

const countColumns = {
  status: sql.ref('r.status'),
  state: sql.ref('r.state_name'),
  agent: sql.ref('r.agent'),
  outcome: sql.ref('r.outcome'),
} as const satisfies Readonly<Record<RunCountKey, RawBuilder<unknown>>>

/** Counts by some keys, the largest first; a key that was not asked for is null. One group more than `limits.statsGroupsMax`, if there is one. */
export function runCountQuery(
  filter: RunConditions,
  by: readonly RunCountKey[],
): CompiledQuery<RunCount> {
  const columns = runCountKeys.map((key) =>
    by.includes(key) ? sql`${countColumns[key]} as ${sql.ref(key)}` : sql`null as ${sql.ref(key)}`,
  )
  const grouped =
    by.length === 0 ? sql`` : sql`group by ${sql.join(by.map((key) => countColumns[key]))}`
  return compile(sql<RunCount>`
    select ${sql.join(columns)}, count(*)::int as count
    from ${runTable} where ${conditionsOf(filter)} ${grouped}
    order by count desc, 1, 2, 3, 4 limit ${limits.statsGroupsMax + 1}`)
}
