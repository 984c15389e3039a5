import type { CompiledQuery } from 'kysely'
import type { Pool, QueryResultRow } from 'pg'
import { fetchRows } from '../query.ts'

/** Runs a query as one tenant; with `msMax`, for so long at most. */
export type AsTenant = <Row extends QueryResultRow>(
  tenantId: string,
  query: CompiledQuery<Row>,
  msMax?: number,
) => Promise<Row[]>

/**
 * Reads under row-level security (I19): the tenant is set for one read-only transaction, so that it can never leak into
 * the next one of the connection. With a pipelining pool the four statements are one round trip. `read write` is for the
 * functions that write for the current tenant only.
 */
export function tenantSession(
  pool: Pool,
  mode: 'read only' | 'read write' = 'read only',
): AsTenant {
  return async (tenantId, query, msMax) => {
    const client = await pool.connect()
    const settled = await Promise.allSettled([
      client.query(`begin ${mode}`),
      client.query(
        "select set_config('signalbox.tenant', $1, true)" +
          (msMax === undefined ? '' : ", set_config('statement_timeout', $2, true)"),
        msMax === undefined ? [tenantId] : [tenantId, String(msMax)],
      ),
      fetchRows(client, query),
      client.query('commit'),
    ])
    const failed = settled.find((one) => one.status === 'rejected')
    // After a failure the transaction may still be open: the connection is not used again.
    client.release(failed !== undefined)
    const [, , rows] = settled
    if (failed !== undefined || rows.status === 'rejected') throw firstReason(settled)
    return rows.value
  }
}

function firstReason(settled: readonly PromiseSettledResult<unknown>[]): unknown {
  for (const one of settled) if (one.status === 'rejected') return one.reason
  return new Error('unreachable: nothing failed')
}
