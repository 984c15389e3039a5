/** Findings that overlap. */
import type { Finding } from './finding.ts'

/** The findings that are left, from left to right. */
export interface Apart {
  readonly kept: readonly Finding[]
  /** The part of a finding that sticks out behind the last one. A finding that begins where it begins, and is longer, comes before it. */
  readonly rest: Finding | null
}

/**
 * The leftmost first, and of those that begin together the longest. Of one that begins within another and ends behind it the rest
 * counts as one that begins there: all that was found is covered. None before `from`.
 */
export function withoutOverlaps(findings: readonly Finding[], from = 0): Apart {
  const kept: Finding[] = []
  let end = from
  let rest: Finding | null = null
  const keep = (one: Finding): void => {
    kept.push(one)
    end = one.end
    rest = null
  }
  for (const one of findings.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    // Nothing else covers all of the rest.
    if (rest !== null && (one.start > end || (one.start === end && one.end < endOf(rest))))
      keep(rest)
    if (one.end <= end) continue
    if (one.start >= end) keep(one)
    else if (one.end > endOf(rest)) rest = { ...one, start: end }
  }
  return { kept, rest }
}

const endOf = (one: Finding | null): number => one?.end ?? 0

/** All of them, where no more can follow. */
export function allApart(findings: readonly Finding[]): readonly Finding[] {
  const { kept, rest } = withoutOverlaps(findings)
  return rest ? [...kept, rest] : kept
}
