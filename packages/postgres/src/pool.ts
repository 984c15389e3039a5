/**
 * Pools of connections that come and go.
 *
 * P1 A connection that falls silent (a failover, a firewall that forgets) is given up: whoever waits for its answer gets an error, and
 *    the connection is not used again. An append may be repeated (P3 of the ports), reads anyway.
 * P2 Nothing that is lost ends the process: the next query gets another connection, or the error.
 */
import { type Client, Pool, type PoolClient } from 'pg'

export interface PoolOptions {
  /** Connections at most. */
  readonly max: number
  /** Queries of one connection are sent without waiting for the answers of those before. */
  readonly pipeline?: boolean
  /** Shown in `pg_stat_activity`. */
  readonly name: string
  /** Acts as this role instead of the one that logs in. */
  readonly role?: string
  /** The database gives up a statement that takes longer. Milliseconds. */
  readonly statementMsMax?: number
}

/** Options that every connection to Postgres is opened with. Times in milliseconds. */
export const lifelines = {
  /** A peer that vanished is found by the kernel, also where nobody asks anything: after some 20 s. */
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  connectionTimeoutMillis: 10_000,
  /** For an answer. Nothing that is asked takes as long, migrations aside. */
  query_timeout: 30_000,
} as const

/** How long a pool waits at its end for what is under way. Milliseconds. */
const endMsMax = 2_000

/** Opens a pool. Its `end` cuts what does not answer. */
export function openPool(url: string, options: PoolOptions): Pool {
  const pool = new Pool({
    connectionString: url,
    max: options.max,
    pipeline: options.pipeline ?? false,
    application_name: options.name,
    ...lifelines,
    ...(options.role === undefined ? {} : { options: `-c role=${options.role}` }),
    ...(options.statementMsMax === undefined ? {} : { statement_timeout: options.statementMsMax }),
  })
  pool.on('error', () => {
    // An idle connection was lost. Without a listener Node would end the process for it.
  })
  const open = new Set<PoolClient>()
  pool.on('connect', (client) => {
    open.add(client)
    client.on('error', () => {
      // Lost while it is checked out: whoever holds it gets the error from the query, but 'error' must have a listener.
    })
  })
  pool.on('remove', (client) => open.delete(client))
  const close = pool.end.bind(pool)
  const end = async (): Promise<void> => {
    const cut = setTimeout(() => {
      // In the middle of a query that destroys the socket.
      for (const client of open) if (isClient(client)) void client.end().catch(() => undefined)
    }, endMsMax)
    try {
      await close()
    } finally {
      clearTimeout(cut)
    }
  }
  return Object.assign(pool, { end })
}

const isClient = (client: PoolClient): client is PoolClient & Client => 'end' in client
