/** A stored document without values that look like secrets. A sound definition has none (I20); this is for one that is not. */
import type { Json, JsonObject } from '@signalbox/core'
import { createRedact } from '../../observe/redact.ts'

const redact = createRedact([])
const isList = (value: Json): value is readonly Json[] => Array.isArray(value)

/** The same document, and whether anything was taken out. */
export function withoutSecrets(document: JsonObject): {
  readonly value: JsonObject
  readonly redacted: boolean
} {
  let redacted = false
  const clean = (name: string, value: Json): Json => {
    if (isList(value)) return value.map((each) => clean(name, each))
    if (typeof value === 'object' && value !== null) return cleanAll(value)
    if (typeof value !== 'string') return value
    // By its name and by its looks.
    const entry: unknown = redact({ [name]: value })
    const seen: unknown =
      typeof entry === 'object' && entry !== null ? Object.values(entry)[0] : value
    if (typeof seen !== 'string' || seen === value) return value
    redacted = true
    return seen
  }
  const cleanAll = (object: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(object).map(([name, value]) => [name, clean(name, value)]))
  return { value: cleanAll(document), redacted }
}
