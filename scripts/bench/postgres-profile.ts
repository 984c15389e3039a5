/** Where the time of Postgres goes, as it counts itself when it is asked to. */
import type { Counters } from './cost.ts'

export interface Called {
  readonly name: string
  readonly calls: number
  /** Milliseconds, time in which others had the processor included. */
  readonly ms: number
}

export interface PostgresProfile {
  /** Of functions, without what they call. */
  readonly functions: readonly Called[]
  /** Of statements, by their first words. */
  readonly statements: readonly Called[]
}

const rowsMax = 15

/** Begins to count anew. */
export async function resetPostgresProfile(counters: Counters): Promise<void> {
  await counters.query('create extension if not exists pg_stat_statements')
  await counters.query('select pg_stat_reset(), pg_stat_statements_reset()')
}

/** What was counted since; most first. Functions are late by up to a second. */
export async function readPostgresProfile(counters: Counters): Promise<PostgresProfile> {
  const functions = await counters.query<Called>(`
    select funcname as name, calls::int, self_time as ms from pg_stat_user_functions
    order by self_time desc limit ${rowsMax}`)
  const statements = await counters.query<Called>(`
    select left(regexp_replace(query, '\\s+', ' ', 'g'), 100) as name, calls::int,
      total_exec_time + total_plan_time as ms
    from pg_stat_statements where toplevel order by total_exec_time desc limit ${rowsMax}`)
  return { functions, statements }
}
