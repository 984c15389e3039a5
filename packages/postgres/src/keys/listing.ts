/** Keys as people see them: everything but what opens. */
import { type CompiledQuery, sql } from 'kysely'
import { compile } from '../query.ts'

/** A key of a tenant. Times in milliseconds since the epoch. */
export interface ListedKey {
  readonly id: string
  readonly tenantId: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly createdAt: number
  readonly createdBy: string
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  readonly revokedBy: string | null
  /** To the minute; null: never. */
  readonly lastUsedAt: number | null
  readonly status: 'live' | 'expired' | 'revoked'
}

const columns = sql`
  id, tenant_id as "tenantId", name, scopes, signalbox.to_ms(created_at)::float8 as "createdAt",
  created_by as "createdBy", signalbox.to_ms(expires_at)::float8 as "expiresAt",
  signalbox.to_ms(revoked_at)::float8 as "revokedAt", revoked_by as "revokedBy",
  signalbox.to_ms(last_used_at)::float8 as "lastUsedAt",
  case when revoked_at is not null then 'revoked'
    when expires_at <= clock_timestamp() then 'expired' else 'live' end as status`

/** Newest first. The tenant stands here too, for the owner of the schema, whom row-level security shows all. */
export const keysQuery = (
  tenantId: string,
  page: { readonly limit: number; readonly offset: number },
): CompiledQuery<ListedKey> =>
  compile(sql<ListedKey>`
    select ${columns} from signalbox.api_key where tenant_id = ${tenantId}
    order by created_at desc, id limit ${page.limit} offset ${page.offset}`)

/** One key of a tenant. */
export const keyQuery = (tenantId: string, id: string): CompiledQuery<ListedKey> =>
  compile(sql<ListedKey>`
    select ${columns} from signalbox.api_key where tenant_id = ${tenantId} and id = ${id}`)
