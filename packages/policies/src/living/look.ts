/** The results that a look at the source of a passport may have. */
import { ambiguityOf, type JsonObject } from '@signalbox/core'
import { canonical, sanitiseObject } from '@signalbox/engine'

/** `missing` and `invalid` are definite: the source was there and had no passport for us. */
export type LookResult =
  | { readonly how: 'read'; readonly passport: JsonObject; readonly text: string }
  | { readonly how: 'missing' | 'invalid'; readonly message: string }

/**
 * Looks once. Rejects when the source cannot be asked at all, which says nothing about the passport. `unchanged` only
 * where the looker has found something before.
 */
export type Look = (signal: AbortSignal) => Promise<LookResult | 'unchanged'>

/** A passport from its text; `text` of it is canonical JSON. Whether its fields are right, the evaluator says. */
export function passportIn(text: string): LookResult {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      const ambiguity = ambiguityOf(text)
      if (ambiguity !== null)
        return { how: 'invalid', message: `The passport can be read in two ways: ${ambiguity}.` }
      const passport = sanitiseObject(value)
      return { how: 'read', passport, text: canonical(passport) }
    }
  } catch {
    // Said below: the parser's own words quote the text.
  }
  return { how: 'invalid', message: 'The passport is not a JSON object.' }
}
