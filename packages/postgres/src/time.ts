import { openPool } from './pool.ts'
import { only } from './query.ts'

/** The time of the database. */
export interface DatabaseTime {
  /** Milliseconds since the epoch. Rejects if Postgres does not answer. */
  now(): Promise<number>
  close(): Promise<void>
}

/** Opens it, as any role. Connects with the first call, and not for long: it is asked now and then. */
export function openDatabaseTime(url: string): DatabaseTime {
  const pool = openPool(url, { max: 1, name: 'signalbox-time' })
  return {
    async now() {
      const { rows } = await pool.query<{ now: number }>(
        'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now',
      )
      return only(rows).now
    },
    close: () => pool.end(),
  }
}
