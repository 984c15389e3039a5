/**
 * The boundary for JSON that comes from the world (models, tools, web pages). jsonb refuses `\u0000` and lone surrogates,
 * and turns what is not finite into something else; one hostile page would stop a run. So it is mended before it is
 * hashed, once, where it enters. `append` refuses what did not pass here.
 */
import { limits, type Json } from '@signalbox/core'

/** Storable JSON, or why a value cannot become it. */
export type Sanitised =
  | { readonly ok: true; readonly value: Json }
  | {
      readonly ok: false
      /** `not_json`: a function, symbol, bigint, or something that is not plain data. */
      readonly code: 'not_finite' | 'too_deep' | 'not_json'
      /** Where, as a JSON pointer. */
      readonly path: string
    }

class Unfit extends Error {
  readonly code: 'not_finite' | 'too_deep' | 'not_json'
  readonly path: string
  constructor(code: 'not_finite' | 'too_deep' | 'not_json', path: string) {
    super(code)
    this.code = code
    this.path = path
  }
}

/**
 * Makes a value fit for the register: NUL and lone surrogates become U+FFFD in texts and names, absent properties are
 * dropped. Numbers that are not finite, nesting beyond `depthMax` (default `limits.jsonDepthMax`) and what is not JSON
 * are refused.
 */
export function sanitiseJson(value: unknown, depthMax: number = limits.jsonDepthMax): Sanitised {
  try {
    return { ok: true, value: clean(value, '', depthMax) }
  } catch (error) {
    if (error instanceof Unfit) return { ok: false, code: error.code, path: error.path }
    throw error
  }
}

/** NUL is replaced, never removed: removal could join what a filter saw apart. */
function cleanText(text: string): string {
  const wellFormed = text.toWellFormed()
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', '\uFFFD') : wellFormed
}

function clean(value: unknown, path: string, depth: number): Json {
  if (typeof value === 'string') return cleanText(value)
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new Unfit('not_finite', path)
    return value
  }
  if (typeof value !== 'object') throw new Unfit('not_json', path)
  if (depth <= 0) throw new Unfit('too_deep', path)
  if (Array.isArray(value)) {
    return Array.from(value, (entry: unknown, n) => clean(entry, `${path}/${n}`, depth - 1))
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) throw new Unfit('not_json', path)
  // `fromEntries` defines properties; an assignment to `__proto__` would not.
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, entry]) => entry !== undefined)
      .map(([key, entry]) => [cleanText(key), clean(entry, `${path}/${key}`, depth - 1)]),
  )
}
