/** Queries of the store. The tenant is not a parameter of reads: RLS is. */
import { type JsonObject, limits } from '@signalbox/core'
import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import { compile, inMs, pageSize } from '../query.ts'
import type { Page } from '../read/listings.ts'
import { conditionOf, type StoreCondition } from './store-filter.ts'

/** Where an item stands. */
export interface StoreKey {
  /** From the outside in; 1 to `limits.storeDepthMax` labels. */
  readonly namespace: readonly string[]
  readonly key: string
}

/** An item. Times in milliseconds since the epoch. */
export interface StoreItem extends StoreKey {
  readonly value: JsonObject
  readonly createdAt: number
  readonly updatedAt: number
  /** Does it expire unless it is read? */
  readonly expires: boolean
}

/** Which items a search finds: those under a prefix, newest first. Conditions join with "and". */
export interface StoreSearch extends Page {
  readonly prefix: readonly string[]
  readonly conditions: readonly StoreCondition[]
}

/** Which namespaces a listing shows. `*` stands for any one label. */
export interface NamespaceSearch extends Page {
  readonly prefix: readonly string[]
  readonly suffix: readonly string[]
  /** Namespaces are cut to this many labels, and each is listed once. */
  readonly maxDepth?: number
}

const lives = sql`(i.expires_at is null or i.expires_at > now())`

const selected = sql`
  select i.namespace, i.key, i.value, ${inMs('i.created_at')} as "createdAt",
    ${inMs('i.updated_at')} as "updatedAt", i.ttl_minutes is not null as expires
  from signalbox.store_item i`

export function itemQuery({ namespace, key }: StoreKey): CompiledQuery<StoreItem> {
  return compile(sql<StoreItem>`${selected}
    where i.namespace = ${[...namespace]}::text[] and i.key = ${key} and ${lives}`)
}

export function itemsQuery(search: StoreSearch): CompiledQuery<StoreItem> {
  const conditions = [lives, ...under(search.prefix), ...search.conditions.map(conditionOf)]
  return compile(sql<StoreItem>`${selected} where ${sql.join(conditions, sql` and `)}
    order by i.updated_at desc, i.namespace, i.key
    limit ${pageSize(search.limit, limits.pageMax)} offset ${search.offset ?? 0}`)
}

export function namespacesQuery(
  search: NamespaceSearch,
): CompiledQuery<{ readonly namespace: string[] }> {
  const { prefix, suffix, maxDepth = limits.storeDepthMax } = search
  const anyLabel = prefix.indexOf('*')
  const conditions = [
    lives,
    ...under(anyLabel < 0 ? prefix : prefix.slice(0, anyLabel)),
    sql`cardinality(i.namespace) >= ${Math.max(prefix.length, suffix.length)}`,
    ...prefix.flatMap((label, n) => (label === '*' ? [] : [sql`i.namespace[${n + 1}] = ${label}`])),
    ...suffix.toReversed().flatMap((label, n) =>
      // Counted from the end.
      label === '*' ? [] : [sql`i.namespace[cardinality(i.namespace) - ${n}::int] = ${label}`],
    ),
  ]
  return compile(sql<{ readonly namespace: string[] }>`
    select distinct i.namespace[1:${maxDepth}] as namespace from signalbox.store_item i
    where ${sql.join(conditions, sql` and `)} order by 1
    limit ${pageSize(search.limit, limits.pageMax)} offset ${search.offset ?? 0}`)
}

/** Above all that a label may hold, and below every other label. */
const justAbove = (label: string): string => `${label}\u0001`

/** Namespaces under a prefix stand together in the key of the table: from the prefix up to its last label's successor. */
function under(prefix: readonly string[]): readonly RawBuilder<unknown>[] {
  const last = prefix.at(-1)
  if (last === undefined) return []
  const end = [...prefix.slice(0, -1), justAbove(last)]
  return [sql`i.namespace >= ${[...prefix]}::text[]`, sql`i.namespace < ${end}::text[]`]
}
