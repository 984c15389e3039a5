/**
 * Patterns of JSON Schema for Ajv, matched in linear time: a schema may be that of somebody else's server, its text is a model's, and a
 * backtracking matcher would need years for some pairs of them, in which nothing else of the process goes on.
 */
import { RE2JS } from 're2js'

interface Pattern {
  test(text: string): boolean
  /** Ajv tells patterns apart by their texts. */
  toString(): string
}

/** Matches patterns as RE2 reads them. `instead` makes those that RE2 does not know, such as lookahead. */
export function linearPatterns(instead: (pattern: string) => Pattern) {
  const regExp = (pattern: string): Pattern => {
    try {
      const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern))
      return { test: (text) => compiled.test(text), toString: () => pattern }
    } catch {
      return instead(pattern)
    }
  }
  return Object.assign(regExp, { code: 'linear patterns' })
}

/** Of a pattern that is nobody's here to compare. */
export const anyText = (pattern: string): Pattern => ({
  test: () => true,
  toString: () => pattern,
})
