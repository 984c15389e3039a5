/** All matches of a pattern in a text, on a linear-time engine. */
import { RE2JS } from 're2js'
import type { Finding, SeenText } from './finding.ts'

/** Where something stands. Code units, `end` not included. */
export interface MatchPlace {
  readonly start: number
  readonly end: number
  /** It reaches the end of what is seen, but for signs that more of it may follow. */
  readonly open?: boolean
}

/** How far the search in a text that grows has come. */
export interface SearchProgress {
  /** Matches that begin before it are decided. */
  readonly from: number
  /** Matches that begin here or later are not decided yet: more text could change it. */
  readonly limit: number
  /** Where each pattern looks on. */
  readonly next: Map<RE2JS, number>
}

/** The pattern to look for, and which matches count. */
export interface WantedMatches {
  readonly kind: string
  readonly pattern: RE2JS
  /** The group that is the finding; 0, the default, is all of the match. */
  readonly group?: number
  /** Makes a finding of a match; or null if it does not count, or the place from which to look on. Default: all count, as they are. */
  readonly accept?: (place: MatchPlace) => MatchPlace | number | null
  /** Look on right behind where a match began, if it does not count. Only for patterns that are short at their longest. */
  readonly retryWithin?: boolean
}

/** From left to right, never overlapping. What stands before `from` is context. */
export function matchesOf(wanted: WantedMatches, seen: SeenText, from = 0): readonly Finding[] {
  const { kind, pattern, group = 0, accept = asIs, retryWithin = false } = wanted
  const { text, progress } = seen
  // The automaton that only says yes or no is many times faster than the one that says where.
  if (!pattern.test(text)) return []
  const matcher = pattern.matcher(text)
  const found: Finding[] = []
  // A finding that is only a group of its match may have the rest of the match in what went out before.
  const first = group === 0 ? (progress?.from ?? from) : from
  const limit = progress?.limit ?? Infinity
  let at = Math.max(first, progress?.next.get(pattern) ?? 0)
  while (at < text.length && at < limit && matcher.find(at)) {
    const start = matcher.start(group)
    const place = start < limit ? accept({ start, end: matcher.end(group) }) : limit
    if (start >= limit || (isPlace(place) && place.start >= limit)) break
    if (isPlace(place)) {
      found.push({ kind, ...place })
      at = Math.max(place.end, matcher.start() + 1)
    } else at = place ?? (retryWithin ? matcher.start() + 1 : matcher.end())
    progress?.next.set(pattern, at)
  }
  return found
}

const isPlace = (accepted: MatchPlace | number | null): accepted is MatchPlace =>
  accepted !== null && typeof accepted !== 'number'

const asIs = (place: MatchPlace): MatchPlace => place

/**
 * A pattern that is compiled at the first call, once: compiling all of them took a tenth of a process's start, and most processes
 * never look. @throws at that call if the pattern is wrong
 */
export function whenNeeded(pattern: string): () => RE2JS {
  let compiled: RE2JS | null = null
  return () => (compiled ??= RE2JS.compile(pattern))
}
