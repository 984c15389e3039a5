/**
 * Looks at JSON before anything else does: how deep it is, whether a key would reach a prototype, and whether another reader
 * could read it otherwise. What one of them judges, another one may execute.
 */
import { ambiguityOf, limits } from '@signalbox/core'

/** What is wrong with a text that should be JSON, or its value. */
export type GuardedJson =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false
      readonly code:
        | 'malformed_json'
        | 'json_too_deep'
        | 'forbidden_key'
        | 'forbidden_text'
        | 'ambiguous_json'
      readonly detail: string
    }

const forbidden = new Set(['__proto__', 'constructor', 'prototype'])

/** Parses JSON of at most `limits.jsonDepthMax` levels whose keys and texts can be stored. Never throws. */
export function guardJson(text: string): GuardedJson {
  // Before parsing: a parser that recurses must never see the nesting of a hostile text.
  if (deeperThan(text, limits.jsonDepthMax))
    return no('json_too_deep', `The body is nested deeper than ${limits.jsonDepthMax} levels.`)
  let refused: GuardedJson | null = null
  try {
    const value: unknown = JSON.parse(text, (key, each: unknown) => {
      if (forbidden.has(key)) refused ??= no('forbidden_key', `The key "${key}" is not allowed.`)
      if (!isStorableText(key) || (typeof each === 'string' && !isStorableText(each)))
        refused ??= no('forbidden_text', 'A text holds U+0000 or half of a surrogate pair.')
      return each
    })
    const ambiguity = ambiguityOf(text)
    if (ambiguity !== null)
      refused ??= no('ambiguous_json', `The body can be read in two ways: ${ambiguity}.`)
    return refused ?? { ok: true, value }
  } catch {
    return no('malformed_json', 'The body is not a JSON document.')
  }
}

const no = (code: Exclude<GuardedJson, { ok: true }>['code'], detail: string): GuardedJson => ({
  ok: false,
  code,
  detail,
})

/** Postgres keeps neither U+0000 nor lone surrogates. */
export const isStorableText = (text: string): boolean =>
  text.isWellFormed() && !text.includes('\u0000')

function deeperThan(text: string, max: number): boolean {
  let depth = 0
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (quoted) {
      if (char === '\\') at += 1
      else if (char === '"') quoted = false
    } else if (char === '"') quoted = true
    else if (char === '{' || char === '[') {
      depth += 1
      if (depth > max) return true
    } else if (char === '}' || char === ']') depth -= 1
  }
  return false
}
