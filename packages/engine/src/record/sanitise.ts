/**
 * The boundary of the register: JSON that comes from models, tools and clients is made storable before it is hashed,
 * because jsonb refuses `\u0000` and lone surrogates, and reads 1e400 back as Infinity (reference: durability, 1.7).
 */
import { type Json, type JsonObject, limits } from '@signalbox/core'

/** Text without NUL and without lone surrogates; both become U+FFFD. */
export const sanitiseText = (text: string): string =>
  text.includes('\u0000') || !text.isWellFormed()
    ? text.replaceAll('\u0000', '\uFFFD').toWellFormed()
    : text

/** Any value as storable JSON. What JSON cannot say becomes text that says so; circles and depths are cut. */
export function sanitise(value: unknown, depth = 0): Json {
  if (typeof value === 'string') return sanitiseText(value)
  if (typeof value === 'boolean' || value === null) return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object') return value === undefined ? null : `[${typeof value}]`
  if (depth >= limits.jsonDepthMax) return '[too deep]'
  if (Array.isArray(value)) return value.map((each) => sanitise(each, depth + 1))
  return sanitiseObject(value, depth)
}

/** An object's own enumerable properties, sanitised; undefined ones are left out, as JSON does. */
export function sanitiseObject(value: object, depth = 0): JsonObject {
  const clean: Record<string, Json> = {}
  for (const [key, each] of Object.entries(value)) {
    if (each === undefined || key === '__proto__') continue
    clean[sanitiseText(key)] = sanitise(each, depth + 1)
  }
  return clean
}
