/** Patterns of the user's own, in RE2 syntax: matching takes time in proportion to the text, whatever they are. */
import { RE2JS } from 're2js'
import { createSearch, type Finding, type SeenText } from '../finding.ts'
import { matchesOf } from '../matches.ts'
import type { Guardrail } from '../part.ts'
import { patternLength } from '../pattern-length.ts'
import { PatternProgram, PatternScan } from '../pattern-scan.ts'
import type { PatternsSpec } from '@signalbox/core'

const windowMax = 1024
const instructionsMax = 4096
/** Instructions times characters held: what one step may cost. Beyond it a hostile text would take a core for minutes. */
const workMax = 200_000

/** Looks for the patterns in text and reasoning; what it takes out is marked `[redacted:<name>]`. */
export function createPatterns(spec: PatternsSpec): Guardrail {
  const wanted = spec.patterns.map(({ name, pattern }) => ({
    kind: name,
    pattern: RE2JS.compile(pattern),
  }))
  const lengths = wanted.map(({ pattern }) => patternLength(pattern, instructionsMax).max)
  const programs = wanted.map(({ pattern }) => new PatternProgram(pattern))
  return createSearch({
    id: spec.id ?? spec.use,
    name: 'Patterns',
    window: Math.min(windowMax, Math.max(...lengths)),
    action: spec.action,
    reach: spec,
    watch: () => {
      const scans = programs.map((program) => new PatternScan(program))
      return {
        pending: (text, from, shown) =>
          Math.min(text.length, ...scans.map((scan) => scan.pending(text, from, shown))),
      }
    },
    lookBack: 2,
    find: (seen) => wanted.flatMap((one) => findOne(one, seen)),
    label: (kind) => `something that matches the pattern "${kind}"`,
  })
}

/** Why a pattern cannot be used: refused by the engine, without a bound, or matching nothing at all. */
export function patternProblem(source: string): string | null {
  let pattern: RE2JS
  try {
    pattern = RE2JS.compile(source)
  } catch (error) {
    return error instanceof Error ? error.message : 'is no pattern'
  }
  const { min, max, instructions } = patternLength(pattern, instructionsMax)
  if (instructions > instructionsMax)
    return `compiles to ${instructions} instructions, ${instructionsMax} are allowed`
  if (min === 0) return 'matches the empty text'
  if (max === Infinity)
    return 'can match without end (*, + or {n,}); give each repetition a bound, e.g. {1,50}'
  if (max > windowMax)
    return `can match ${max} UTF-16 code units (two for a character beyond U+FFFF), ${windowMax} are seen at once`
  return instructions * max > workMax
    ? `is too much work: ${instructions} instructions over ${max} characters; shorten its repetitions`
    : null
}

/** The character that went out last is looked at with the text, so that `^` and `\b` mean what they say. */
function findOne(wanted: { kind: string; pattern: RE2JS }, seen: SeenText): readonly Finding[] {
  if (seen.progress) return matchesOf(wanted, seen)
  const before = seen.before()
  return matchesOf(wanted, { ...seen, text: before + seen.text }, before.length).map(
    ({ kind, start, end }) => ({
      kind,
      start: start - before.length,
      end: end - before.length,
    }),
  )
}
