/** Filters over the values of items, as conditions on jsonb. Keys and operands are parameters, never SQL. */
import type { Json } from '@signalbox/core'
import { type RawBuilder, sql } from 'kysely'

/** How a field of a value is compared. Numbers compare with numbers and texts with texts; with any other it is false. */
export type StoreOperator = 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte'

/** One condition of a filter: the field at this path, compared with this. */
export interface StoreCondition {
  readonly path: readonly string[]
  readonly operator: StoreOperator
  readonly operand: Json
}

const orders = { gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` } as const

/** The condition on `i.value`. A field that is not there equals nothing, and differs from everything. */
export function conditionOf({ path, operator, operand }: StoreCondition): RawBuilder<unknown> {
  const field = sql`(i.value #> ${[...path]}::text[])`
  const other = sql`${JSON.stringify(operand)}::jsonb`
  if (operator === 'eq') return sql`coalesce(${field} = ${other}, false)`
  if (operator === 'ne') return sql`${field} is distinct from ${other}`
  // jsonb orders values of all types; only those of one type are meant to be compared.
  return sql`coalesce(jsonb_typeof(${field}) = jsonb_typeof(${other})
    and ${field} ${orders[operator]} ${other}, false)`
}
