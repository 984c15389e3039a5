/** Queries of the read models: runs, and what waits for a human. The tenant is not a parameter: RLS is. */
import { limits, type Outcome, type RunStatus } from '@signalbox/core'
import type { RunHead } from '@signalbox/engine'
import { type CompiledQuery, sql } from 'kysely'
import { build, isUuid, pageSize } from '../query.ts'
import { runColumns } from '../rows.ts'
import { waitsBelow } from './waits-below.ts'

/** A page of a listing: at most `limits.pageMax` rows. */
export interface Page {
  readonly limit?: number
  readonly offset?: number
}

/** Which runs a listing shows. */
export interface RunFilter extends Page {
  readonly threadId?: string
  readonly agent?: string
  readonly status?: RunStatus
  /** Also those that were rolled back. Default false. */
  readonly rolledBack?: boolean
  /** Only those with a place in the conversation, by place: from this one on, or the last one first. */
  readonly places?: number | 'last'
  /** Runs that are shown in one of these statuses, or have ended with one of these outcomes. */
  readonly among?: {
    readonly statuses: readonly RunStatus[]
    readonly outcomes: readonly Outcome[]
  }
}

/** Neither the run nor its thread is deleted for its users, and it is no run of a memory. Asked row by row: as a join it would read all threads. */
export const isShown = sql<boolean>`not r.hidden and coalesce(
  (select t.hidden_at is null and t.kind is null from signalbox.thread t
    where t.tenant_id = r.tenant_id and t.thread_id = r.thread_id), true)`

/** The columns of a run that is shown. */
export const shownColumns = [...runColumns, waitsBelow.as('waitsBelow')] as const

/** The status that a run is shown with; its own where both that it may be shown with are asked for, or neither is. */
const statusAmong = (statuses: readonly RunStatus[]) =>
  statuses.includes('running') === statuses.includes('waiting')
    ? sql`r.status`
    : sql`case when ${waitsBelow} then 'waiting' else r.status end`

/** The run itself wins over an alias that looks like its id. With `hidden`, also what is deleted for its users. */
export function runQuery(
  idOrAlias: string,
  { hidden = false }: { readonly hidden?: boolean } = {},
): CompiledQuery<RunHead> {
  const byAlias = build.selectFrom('alias').select('run_id').where('key', '=', idOrAlias)
  const all = build.selectFrom('run as r').select(shownColumns)
  const runs = hidden ? all : all.where(isShown)
  if (!isUuid(idOrAlias)) return runs.where('r.id', '=', byAlias).compile()
  return runs
    .where((where) => where.or([where('r.id', '=', idOrAlias), where('r.id', '=', byAlias)]))
    .orderBy(sql`r.id <> ${idOrAlias}::uuid`)
    .limit(1)
    .compile()
}

/** Of many ids, those that are shown; in any order. */
export function runsNamedQuery(runIds: readonly string[]): CompiledQuery<RunHead> {
  return build
    .selectFrom('run as r')
    .select(shownColumns)
    .where(isShown)
    .where(sql<boolean>`r.id = any(${[...runIds]}::uuid[])`)
    .compile()
}

/** Of many runs, those that have events beyond the last one known. Also of those deleted for their users: they still end. */
export function runsBeyondQuery(
  known: readonly Pick<RunHead, 'runId' | 'seq'>[],
): CompiledQuery<Pick<RunHead, 'runId' | 'seq'>> {
  const ids = known.map(({ runId }) => runId)
  const seqs = known.map(({ seq }) => seq)
  return sql<Pick<RunHead, 'runId' | 'seq'>>`
    select r.id as "runId", r.seq
    from unnest(${ids}::uuid[], ${seqs}::int[]) as known (id, seq)
    join signalbox.run r on r.id = known.id and r.seq > known.seq`.compile(build)
}

function orderOf({ places }: RunFilter): ['r.id' | 'r.place', 'asc' | 'desc'] {
  if (places === undefined) return ['r.id', 'desc']
  return ['r.place', places === 'last' ? 'desc' : 'asc']
}

/** Newest first, unless asked by place: run ids are UUIDv7. */
export function runsQuery(filter: RunFilter): CompiledQuery<RunHead> {
  let query = build
    .selectFrom('run as r')
    .select(shownColumns)
    .where(isShown)
    .orderBy(...orderOf(filter))
    .limit(pageSize(filter.limit, limits.pageMax))
    .offset(filter.offset ?? 0)
  if (filter.places !== undefined) query = query.where('r.place', 'is not', null)
  if (typeof filter.places === 'number') query = query.where('r.place', '>=', filter.places)
  // Recorded, and still to be had by its id.
  if (!filter.rolledBack)
    query = query.where(sql<boolean>`r.outcome is distinct from 'rolled_back'`)
  if (filter.threadId !== undefined) query = query.where('r.thread_id', '=', filter.threadId)
  if (filter.agent !== undefined) query = query.where('r.agent', '=', filter.agent)
  if (filter.status !== undefined) query = query.where('r.status', '=', filter.status)
  if (filter.among !== undefined) {
    const { statuses, outcomes } = filter.among
    query = query.where(
      sql<boolean>`(${statusAmong(statuses)} = any(${[...statuses]}::text[]) or r.outcome = any(${[...outcomes]}))`,
    )
  }
  return query.compile()
}
