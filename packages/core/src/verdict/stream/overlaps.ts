/** Findings that overlap. */
import type { Finding } from './finding.ts'

/** The leftmost first, and of those that begin together the longest; none before `from`. */
export function withoutOverlaps(findings: readonly Finding[], from = 0): readonly Finding[] {
  const kept: Finding[] = []
  for (const one of findings.toSorted((a, b) => a.start - b.start || b.end - a.end))
    if (one.start >= (kept.at(-1)?.end ?? from)) kept.push(one)
  return kept
}
