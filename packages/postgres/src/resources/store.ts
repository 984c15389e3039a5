/** The store of a tenant: documents under namespaces. Reads go through RLS, writes through functions that check the tenant. */
import type { JsonObject } from '@signalbox/core'
import { sql } from 'kysely'
import { compile, only } from '../query.ts'
import type { AsTenant } from '../read/tenant-session.ts'
import {
  itemQuery,
  itemsQuery,
  type NamespaceSearch,
  namespacesQuery,
  type StoreItem,
  type StoreKey,
  type StoreSearch,
} from './store-queries.ts'

/** An item to put under a key. */
export interface StorePut extends StoreKey {
  readonly value: JsonObject
  /** Minutes the item lives; null: until it is deleted. */
  readonly ttlMinutes: number | null
}

/** Documents of one tenant. What belongs to another one, or has expired, is not there. */
export interface Store {
  item(tenantId: string, key: StoreKey): Promise<StoreItem | null>
  items(tenantId: string, search: StoreSearch): Promise<readonly StoreItem[]>
  namespaces(tenantId: string, search: NamespaceSearch): Promise<readonly (readonly string[])[]>
  /** Writes an item whole. `full`: the tenant has `limits.storeItemsMax` others. */
  put(tenantId: string, item: StorePut): Promise<'ok' | 'full'>
  delete(tenantId: string, key: StoreKey): Promise<void>
  /** Items that were read live as long again as they were given. */
  prolong(tenantId: string, keys: readonly StoreKey[]): Promise<void>
}

/** The store over sessions that read, and that write. */
export function storeOf(read: AsTenant, write: AsTenant): Store {
  return {
    item: async (tenantId, key) => (await read(tenantId, itemQuery(key)))[0] ?? null,
    items: (tenantId, search) => read(tenantId, itemsQuery(search)),
    namespaces: async (tenantId, search) =>
      (await read(tenantId, namespacesQuery(search))).map((row) => row.namespace),
    async put(tenantId, { namespace, key, value, ttlMinutes }) {
      const put = sql<{ readonly code: 'ok' | 'full' }>`select signalbox.put_store_item(${tenantId},
        ${[...namespace]}::text[], ${key}, ${JSON.stringify(value)}::jsonb, ${ttlMinutes}::float8) as code`
      return only(await write(tenantId, compile(put))).code
    },
    async delete(tenantId, { namespace, key }) {
      const gone = sql<object>`
        select signalbox.delete_store_item(${tenantId}, ${[...namespace]}::text[], ${key})`
      await write(tenantId, compile(gone))
    },
    async prolong(tenantId, keys) {
      const items = JSON.stringify(keys.map(({ namespace, key }) => ({ namespace, key })))
      const call = sql<object>`select signalbox.prolong_store_items(${tenantId}, ${items}::jsonb)`
      await write(tenantId, compile(call))
    },
  }
}
