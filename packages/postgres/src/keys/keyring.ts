/**
 * Keys of the API, as they are stored. Nothing here ever holds a key: only its id and the sha256 of its text.
 *
 * K1 What belongs to a tenant is written and read as that tenant (I19). Only who shows the whole key learns whose it is.
 * K2 Nobody writes the table: every write is a function of the migration, which checks the tenant again.
 * K3 A key is made or revoked together with its record in the ledger, or not at all.
 */
import { type LedgerEntry, ledgerDraft, systemClock, systemRandom } from '@signalbox/engine'
import { type CompiledQuery, sql } from 'kysely'
import type { Pool, PoolClient } from 'pg'
import { openPool } from '../pool.ts'
import { compile, fetchRows, pageSize } from '../query.ts'
import { recordQuery } from '../register/ledger.ts'
import { keyQuery, keysQuery, type ListedKey } from './listing.ts'

/** A key that is to be made. Times in milliseconds since the epoch. */
export interface KeyDraft {
  readonly tenantId: string
  readonly id: string
  readonly name: string
  readonly scopes: readonly string[]
  /** sha256 of the whole text of the key, hex. */
  readonly digest: string
  readonly by: string
  /** Null: never. */
  readonly expiresAt: number | null
}

/** The entry in the database of a key that was shown. */
export interface ShownKey {
  readonly tenantId: string
  readonly scopes: readonly string[]
  readonly isRevoked: boolean
  /** Milliseconds until it expires, by the clock of the database; below 1 it has. Null: it never does. */
  readonly leftMs: number | null
}

/** Keys of all tenants, one tenant at a time. Every method rejects if Postgres does. */
export interface Keyring {
  /** Null: there is no such key, or its secret is another. */
  shown(key: { readonly id: string; readonly digest: string }): Promise<ShownKey | null>
  /** Answers the key; null if as many as `liveMax` of the tenant are live. */
  create(draft: KeyDraft, liveMax: number): Promise<ListedKey | null>
  /** Newest first. At most `keysPageMax`. */
  list(
    tenantId: string,
    page: { readonly limit?: number; readonly offset?: number },
  ): Promise<readonly ListedKey[]>
  /** Answers the key as it stands then, revoked now or before; null if the tenant has no such key. */
  revoke(
    tenantId: string,
    key: { readonly id: string; readonly by: string },
  ): Promise<ListedKey | null>
  /** Notes that keys are in use: to the minute. */
  touch(ids: readonly string[]): Promise<void>
  /** Was there ever a key, of any tenant? */
  hasAny(): Promise<boolean>
  close(): Promise<void>
}

/** Keys of one page at most. */
const keysPageMax = 1000

/** How to reach the keys. */
export interface KeyringOptions {
  readonly url: string
  /** Acts as this role instead of the one that logs in. */
  readonly role?: 'signalbox_owner'
}

/** Opens the keys, as `signalbox_app`. Connects with the first call. */
export function createKeyring({ url, role }: KeyringOptions): Keyring {
  const as = role === undefined ? {} : { role }
  const pool = openPool(url, { max: 3, name: 'signalbox-keys', ...as })
  return {
    shown: async ({ id, digest }) => (await fetchRows(pool, shownQuery(id, digest)))[0] ?? null,
    async create(draft, liveMax) {
      const { tenantId, id, by, name, expiresAt } = draft
      const text = JSON.stringify(draft)
      const write = compile(sql<{ code: string }>`
        select signalbox.create_api_key(${text}::jsonb, ${liveMax}::int) as code`)
      const scopes = [...draft.scopes]
      return inTenant(pool, tenantId, async (client) => {
        const [made] = await fetchRows(client, write)
        if (made?.code !== 'ok') return null
        const payload = { key: id, name, scopes, expiresAt }
        await record(client, { tenant: tenantId, type: 'key.created', payload, actor: by })
        return (await fetchRows(client, keyQuery(tenantId, id)))[0] ?? null
      })
    },
    list: (tenantId, { limit, offset = 0 }) =>
      inTenant(pool, tenantId, (client) =>
        fetchRows(client, keysQuery(tenantId, { limit: pageSize(limit, keysPageMax), offset })),
      ),
    async revoke(tenantId, { id, by }) {
      const write = compile(sql`select signalbox.revoke_api_key(${tenantId}, ${id}, ${by})`)
      return inTenant(pool, tenantId, async (client) => {
        const [before] = await fetchRows(client, keyQuery(tenantId, id))
        if (!before || before.revokedAt !== null) return before ?? null
        await fetchRows(client, write)
        // Two that revoke at once both saw it live: the key of the record lets one through.
        const about = { payload: { key: id }, actor: by, key: `key.revoked:${id}` }
        await record(client, { tenant: tenantId, type: 'key.revoked', ...about })
        return (await fetchRows(client, keyQuery(tenantId, id)))[0] ?? null
      })
    },
    touch: async (ids) => {
      await fetchRows(pool, compile(sql`select signalbox.touch_api_keys(${[...ids]})`))
    },
    hasAny: async () => {
      const found = sql<{ has: boolean }>`select signalbox.has_api_keys() as has`
      return (await fetchRows(pool, compile(found)))[0]?.has ?? false
    },
    close: () => pool.end(),
  }
}

const shownQuery = (id: string, digest: string): CompiledQuery<ShownKey> =>
  compile(sql<ShownKey>`
    select tenant_id as "tenantId", scopes, is_revoked as "isRevoked", left_ms::float8 as "leftMs"
    from signalbox.shown_api_key(${id}, decode(${digest}, 'hex'))`)

const record = (
  client: PoolClient,
  entry: LedgerEntry<'key.created'> | LedgerEntry<'key.revoked'>,
): Promise<unknown> =>
  fetchRows(client, recordQuery(ledgerDraft({ clock: systemClock, random: systemRandom }, entry)))

/** Works as one tenant, in one transaction. */
async function inTenant<T>(
  pool: Pool,
  tenantId: string,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  let broken = true
  try {
    await client.query('begin')
    await client.query("select set_config('signalbox.tenant', $1, true)", [tenantId])
    const done = await work(client)
    await client.query('commit')
    broken = false
    return done
  } finally {
    // After a failure the transaction may still be open: the connection is not used again.
    client.release(broken)
  }
}
