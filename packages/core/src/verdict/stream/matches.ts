/** All matches of a pattern in a text, on a linear-time engine. */
import type { RE2JS } from 're2js'
import type { Finding } from './finding.ts'

/** Where something stands. Code units, `end` not included. */
export interface Place {
  readonly start: number
  readonly end: number
  /** It reaches the end of what is seen, but for signs that more of it may follow. */
  readonly open?: boolean
}

/** What to look for, and which matches count. */
export interface Wanted {
  readonly kind: string
  readonly pattern: RE2JS
  /** The group that is the finding; 0, the default, is all of the match. */
  readonly group?: number
  /** Makes a finding of a match, or null if it does not count. Default: all count, as they are. */
  readonly accept?: (place: Place) => Place | null
  /** Look on right behind where a match began, if it does not count. Only for patterns that are short at their longest. */
  readonly retryWithin?: boolean
}

/** From left to right, never overlapping. What stands before `from` is context. */
export function matchesOf(wanted: Wanted, text: string, from = 0): readonly Finding[] {
  const { kind, pattern, group = 0, accept = asIs, retryWithin = false } = wanted
  // The automaton that only says yes or no is many times faster than the one that says where.
  if (!pattern.test(text)) return []
  const matcher = pattern.matcher(text)
  const found: Finding[] = []
  for (let at = from; at < text.length && matcher.find(at);) {
    const place = accept({ start: matcher.start(group), end: matcher.end(group) })
    if (place !== null) found.push({ kind, ...place })
    if (place !== null) at = Math.max(place.end, matcher.start() + 1)
    else at = retryWithin ? matcher.start() + 1 : matcher.end()
  }
  return found
}

const asIs = (place: Place): Place => place
