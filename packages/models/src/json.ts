/**
 * What may be stored as JSON. Postgres refuses \u0000 and lone surrogates in jsonb, JCS has no form for them, and a
 * `__proto__` key is never what a tool asked for. Such values are refused, not cleaned: cleaning would be repair.
 */
import { type Json, type JsonObject, limits } from '@signalbox/core'

/** Is the value JSON that the register can store, at most `limits.jsonDepthMax` deep? */
export function isStorable(value: unknown, depth = 1): value is Json {
  switch (typeof value) {
    case 'string':
      return isStorableText(value)
    case 'number':
      return Number.isFinite(value)
    case 'boolean':
      return true
    case 'object':
      break
    default:
      return false
  }
  if (value === null) return true
  if (depth > limits.jsonDepthMax) return false
  if (Array.isArray(value)) return value.every((item) => isStorable(item, depth + 1))
  return Object.entries(value).every(
    ([key, item]) => key !== '__proto__' && isStorableText(key) && isStorable(item, depth + 1),
  )
}

/** Is the value a JSON object that the register can store? */
export function isStorableObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && isStorable(value)
}

/** Is the JSON value an object? */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The nesting of a parsed JSON value: 0 for a scalar. Stops counting one past `limits.jsonDepthMax`. */
export function jsonDepth(value: unknown, depth = 0): number {
  if (typeof value !== 'object' || value === null || depth > limits.jsonDepthMax) return depth
  let deepest = depth + 1
  for (const item of Object.values(value)) deepest = Math.max(deepest, jsonDepth(item, depth + 1))
  return deepest
}

/** Provider metadata as plain JSON, undefined if there is none or it cannot be stored. */
export function storableMeta(value: unknown): JsonObject | undefined {
  if (value === undefined || value === null) return undefined
  const plain: unknown = JSON.parse(JSON.stringify(value))
  return isStorableObject(plain) && Object.keys(plain).length > 0 ? plain : undefined
}

function isStorableText(value: string): boolean {
  return !value.includes('\u0000') && value.isWellFormed()
}
