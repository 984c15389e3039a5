/** The store in LangGraph's words: items, searches, namespaces. */
import { z } from '@hono/zod-openapi'
import { JsonObjectSchema, limits } from '@signalbox/core'
import type { StoreItem } from '@signalbox/postgres'
import { Flag, Term } from '../../http/wire/ids.ts'
import { iso } from '../../http/wire/iso.ts'
import { notYet } from '../../http/wire/not-yet.ts'
import { StoreFilter } from './store-filter.ts'

const labelMessage = `takes 1 to ${limits.storeLabelCharsMax} characters, without "." and control characters`

const Label = z
  .string()
  .min(1, labelMessage)
  .max(limits.storeLabelCharsMax, labelMessage)
  .refine((label) => !/[.\p{Cc}]/u.test(label) && label.isWellFormed(), labelMessage)

const Labels = z
  .array(Label)
  .max(limits.storeDepthMax, `takes at most ${limits.storeDepthMax} labels`)
  .refine(
    (labels) => Buffer.byteLength(labels.join('.')) <= limits.storeNamespaceBytesMax,
    `takes at most ${limits.storeNamespaceBytesMax} bytes`,
  )

const Namespace = Labels.min(1, 'takes at least one label').openapi({ type: 'array' })

const Value = JsonObjectSchema.refine(
  (value) => Buffer.byteLength(JSON.stringify(value)) <= limits.storeValueBytesMax,
  `takes at most ${limits.storeValueBytesMax} bytes of JSON`,
).openapi({ type: 'object' })

const notIndexed = 'Items are not indexed by meaning: search by namespace_prefix and filter.'

export const StorePutBody = z
  .object({
    namespace: Namespace,
    key: Term,
    value: Value,
    index: notYet(notIndexed, [false]),
    /** Minutes the item lives after it was written, and after it was read. */
    ttl: z
      .number()
      .positive('takes a number of minutes above 0')
      .max(limits.storeTtlMinutesMax, `takes at most ${limits.storeTtlMinutesMax} minutes`)
      .nullish(),
  })
  .openapi('StorePut')

export const StoreDeleteBody = z.object({ namespace: Namespace, key: Term }).openapi('StoreDelete')

export const StoreGetQuery = z.object({
  /** Labels joined by ".". */
  namespace: z
    .string()
    .transform((text) => text.split('.'))
    .pipe(Namespace)
    .openapi({ type: 'string' }),
  key: Term,
  refresh_ttl: Flag,
})

const Offset = z.number().int().min(0).max(1_000_000).default(0)

export const StoreSearchBody = z
  .object({
    namespace_prefix: Labels.nullish().openapi({ type: ['array', 'null'] }),
    filter: StoreFilter,
    limit: z
      .number()
      .int()
      .min(1, 'takes at least 1')
      .max(limits.storePageMax, `takes at most ${limits.storePageMax}`)
      .default(10),
    offset: Offset,
    query: notYet(notIndexed),
    /** False: what is found does not live longer for it. */
    refresh_ttl: z.boolean().nullish(),
  })
  .openapi('StoreSearch')

/** `*` stands for any one label. */
export const NamespacesBody = z
  .object({
    prefix: Labels.nullish().openapi({ type: ['array', 'null'] }),
    suffix: Labels.nullish().openapi({ type: ['array', 'null'] }),
    max_depth: z.number().int().min(1, 'takes at least 1').max(limits.storeDepthMax).nullish(),
    limit: z.number().int().min(1, 'takes at least 1').max(limits.pageMax).default(100),
    offset: Offset,
  })
  .openapi('StoreNamespaces')

export const Item = z
  .object({
    namespace: z.array(z.string()),
    key: z.string(),
    value: z.record(z.string(), z.unknown()),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi('StoreItem')
export type Item = z.infer<typeof Item>

/** The document of an item. */
export const itemView = (item: StoreItem): Item => ({
  namespace: [...item.namespace],
  key: item.key,
  value: { ...item.value },
  created_at: iso(item.createdAt),
  updated_at: iso(item.updatedAt),
})
