import { Pool } from 'pg'

export interface PoolOptions {
  /** Connections at most. */
  readonly max: number
  /** Queries of one connection are sent without waiting for the answers of those before. */
  readonly pipeline?: boolean
  /** Shown in `pg_stat_activity`. */
  readonly name: string
  /** Acts as this role instead of the one that logs in. */
  readonly role?: string
}

/** Opens a pool that survives the loss of idle connections: the next query gets a new one, or the error. */
export function openPool(url: string, options: PoolOptions): Pool {
  const pool = new Pool({
    connectionString: url,
    max: options.max,
    pipeline: options.pipeline ?? false,
    application_name: options.name,
    connectionTimeoutMillis: 10_000,
    ...(options.role === undefined ? {} : { options: `-c role=${options.role}` }),
  })
  pool.on('error', () => {
    // An idle connection was lost. Without a listener Node would end the process for it.
  })
  pool.on('connect', (client) => {
    client.on('error', () => {
      // Lost while it is checked out: whoever holds it gets the error from the query, but 'error' must have a listener.
    })
  })
  return pool
}
