/** Queries of the read models: runs, and what waits for a human. The tenant is not a parameter: RLS is. */
import { limits, type Outcome, type RunStatus } from '@signalbox/core'
import type { EffectRow, RunHead } from '@signalbox/engine'
import { type CompiledQuery, sql } from 'kysely'
import { build, isUuid, pageSize } from '../query.ts'
import { effectColumns, runColumns } from '../rows.ts'

/** A page of a listing: at most `limits.pageMax` rows. */
export interface Page {
  readonly limit?: number
  readonly offset?: number
}

/** Which runs a listing shows. */
export interface RunFilter extends Page {
  readonly threadId?: string
  readonly status?: RunStatus
  /** Runs that are in one of these statuses, or have ended with one of these outcomes. */
  readonly among?: {
    readonly statuses: readonly RunStatus[]
    readonly outcomes: readonly Outcome[]
  }
}

/** The run itself wins over an alias that looks like its id. */
export function runQuery(idOrAlias: string): CompiledQuery<RunHead> {
  const byAlias = build.selectFrom('alias').select('run_id').where('key', '=', idOrAlias)
  const runs = build.selectFrom('run as r').select(runColumns)
  if (!isUuid(idOrAlias)) return runs.where('r.id', '=', byAlias).compile()
  return runs
    .where((where) => where.or([where('r.id', '=', idOrAlias), where('r.id', '=', byAlias)]))
    .orderBy(sql`r.id <> ${idOrAlias}::uuid`)
    .limit(1)
    .compile()
}

/** Newest first: run ids are UUIDv7. */
export function runsQuery(filter: RunFilter): CompiledQuery<RunHead> {
  let query = build
    .selectFrom('run as r')
    .select(runColumns)
    .orderBy('r.id', 'desc')
    .limit(pageSize(filter.limit, limits.pageMax))
    .offset(filter.offset ?? 0)
  if (filter.threadId !== undefined) query = query.where('r.thread_id', '=', filter.threadId)
  if (filter.status !== undefined) query = query.where('r.status', '=', filter.status)
  if (filter.among !== undefined) {
    const { statuses, outcomes } = filter.among
    query = query.where(
      sql<boolean>`(r.status = any(${[...statuses]}) or r.outcome = any(${[...outcomes]}))`,
    )
  }
  return query.compile()
}

/** Effects of living runs whose outcome is unknown, oldest run first. */
export function unknownEffectsQuery(): CompiledQuery<EffectRow> {
  return build
    .selectFrom('effect as e')
    .innerJoin('run as r', 'r.id', 'e.run_id')
    .select(effectColumns)
    .where('e.status', '=', 'unknown')
    .where('r.status', '<>', 'ended')
    .orderBy('e.run_id')
    .orderBy('e.id')
    .limit(limits.pageMax)
    .compile()
}
