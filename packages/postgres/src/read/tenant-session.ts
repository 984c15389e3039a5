import type { CompiledQuery } from 'kysely'
import type { Pool, QueryResultRow } from 'pg'
import { openPool } from '../pool.ts'
import { fetchRows } from '../query.ts'

/** How to reach what belongs to tenants. */
export interface TenantPoolOptions {
  /** Where to connect as `signalbox_app`. */
  readonly appUrl: string
  /** Connections at most, default 5. */
  readonly maxConnections?: number
}

/** Opens a pool whose sessions pipeline their statements. */
export const openTenantPool = ({ appUrl, maxConnections }: TenantPoolOptions, name: string): Pool =>
  openPool(appUrl, { max: maxConnections ?? 5, pipeline: true, name })

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
    const begun = client.query(`begin ${mode}`)
    const set = client.query(
      "select set_config('signalbox.tenant', $1, true)" +
        (msMax === undefined ? '' : ", set_config('statement_timeout', $2, true)"),
      msMax === undefined ? [tenantId] : [tenantId, String(msMax)],
    )
    const rows = fetchRows(client, query)
    const settled = await Promise.allSettled([begun, set, rows, client.query('commit')])
    const failed = settled.find((one) => one.status === 'rejected')
    // After a failure the transaction may still be open: the connection is not used again.
    client.release(failed !== undefined)
    if (failed !== undefined) throw failed.reason
    return rows
  }
}
