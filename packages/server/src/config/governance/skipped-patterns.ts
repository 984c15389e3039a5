/**
 * Patterns that a configuration lists as skipped: a rule set from elsewhere may hold some that RE2 cannot use.
 *
 * S1 What can be used is used, listed or not: a list guards nothing away.
 * S2 Whatever is skipped is said at start, by name, with the reason.
 */
import type { PatternsSpec } from '@signalbox/core'
import { patternProblem } from '@signalbox/policies'
import { fail } from '../fail.ts'

/** A pattern that is not looked for, and why. */
export interface SkippedPattern {
  readonly field: string
  readonly pattern: string
  readonly reason: string
}

type Patterns = PatternsSpec['patterns']

/** The patterns that are looked for. @throws ConfigError for a list that names no pattern, or leaves none. */
export function withoutSkipped(
  patterns: Patterns,
  skip: readonly string[],
  at: { readonly field: string; readonly skipped: SkippedPattern[] },
): Patterns {
  const { field, skipped } = at
  const stray = skip.find((name) => patterns.every((pattern) => pattern.name !== name))
  if (stray !== undefined)
    fail('config_invalid', `${field}.skip`, `there is no pattern "${stray}" to skip`)
  const used = patterns.filter(({ name, pattern }) => {
    const reason = skip.includes(name) ? patternProblem(pattern) : null
    if (reason !== null) skipped.push({ field, pattern: name, reason })
    return reason === null
  })
  if (used.length === 0)
    fail('config_invalid', `${field}.skip`, 'all patterns are skipped: nothing would be looked for')
  return used
}
