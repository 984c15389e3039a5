/**
 * Filters as LangGraph's store has them: `{"field": value}`, `{"field": {"$gt": 5}}`, and nested objects of both. A word
 * that is no operator is refused: to ignore it would find too much.
 */
import { z } from '@hono/zod-openapi'
import { type Json, type JsonObject, JsonObjectSchema, limits } from '@signalbox/core'
import type { StoreCondition, StoreOperator } from '@signalbox/postgres'

const operators = new Map<string, StoreOperator>([
  ['$eq', 'eq'],
  ['$ne', 'ne'],
  ['$gt', 'gt'],
  ['$gte', 'gte'],
  ['$lt', 'lt'],
  ['$lte', 'lte'],
])

const ordered: readonly StoreOperator[] = ['gt', 'gte', 'lt', 'lte']

/** What a filter says, as conditions that all must hold. */
export const StoreFilter = JsonObjectSchema.nullish()
  .transform((filter, context): readonly StoreCondition[] => {
    const conditions: StoreCondition[] = []
    for (const found of conditionsIn(filter ?? {}, [])) {
      if ('operator' in found) conditions.push(found)
      else context.addIssue({ code: 'custom', path: [...found.path], message: found.message })
    }
    if (conditions.length <= limits.storeConditionsMax) return conditions
    context.addIssue({
      code: 'custom',
      message: `takes at most ${limits.storeConditionsMax} conditions`,
    })
    return z.NEVER
  })
  .openapi({ type: ['object', 'null'] })

interface Mistake {
  readonly path: readonly string[]
  readonly message: string
}

/** Depth is bounded by that of any body. */
function* conditionsIn(
  filter: JsonObject,
  path: readonly string[],
): Generator<StoreCondition | Mistake> {
  for (const [key, operand] of Object.entries(filter)) {
    if (key.startsWith('$')) yield operation(path, key, operand)
    else if (isFilter(operand)) yield* conditionsIn(operand, [...path, key])
    else yield { path: [...path, key], operator: 'eq', operand }
  }
}

/** An empty object is a value: with no condition in it, it would match whatever stands there. */
const isFilter = (operand: Json): operand is JsonObject =>
  typeof operand === 'object' &&
  operand !== null &&
  !Array.isArray(operand) &&
  Object.keys(operand).length > 0

function operation(path: readonly string[], word: string, operand: Json): StoreCondition | Mistake {
  const operator = operators.get(word)
  const at = [...path, word]
  if (operator === undefined || path.length === 0)
    return { path: at, message: `is none of ${[...operators.keys()].join(', ')} on a field` }
  if (ordered.includes(operator) && typeof operand !== 'number' && typeof operand !== 'string')
    return { path: at, message: 'takes a number or a text' }
  return { path, operator, operand }
}
