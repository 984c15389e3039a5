/** Queries of the read models: runs, threads, and what waits for a human. The tenant is not a parameter: RLS is. */
import { limits, type RunStatus } from '@signalbox/core'
import type { EffectRow, RunHead, Thread } from '@signalbox/engine'
import { type CompiledQuery, sql } from 'kysely'
import { build, inMs, isUuid, pageSize } from '../query.ts'
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
}

/** A thread without the key of its content. */
export type ThreadView = Omit<Thread, 'contentKey'>

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
  return query.compile()
}

const threads = build
  .selectFrom('thread')
  .select(['thread_id as threadId', 'tenant_id as tenantId', 'metadata'])
  .select(inMs('created_at').as('createdAt'))

export function threadQuery(threadId: string): CompiledQuery<ThreadView> {
  return threads.where('thread_id', '=', threadId).compile()
}

/** Newest first. */
export function threadsQuery(page: Page): CompiledQuery<ThreadView> {
  return threads
    .orderBy('created_at', 'desc')
    .orderBy('thread_id')
    .limit(pageSize(page.limit, limits.pageMax))
    .offset(page.offset ?? 0)
    .compile()
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
