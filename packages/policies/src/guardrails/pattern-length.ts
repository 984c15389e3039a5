/** How much a pattern can match, read off the program that the engine compiled it to. */
import type { RE2JS } from 're2js'
import { z } from 'zod'

/** Instructions of re2js, by their numbers in 2.10; a program of another shape does not parse. */
export const op = { alt: 1, altMatch: 2, capture: 3, empty: 4, fail: 5, match: 6, nop: 7 } as const
export const runeOps = { rune: 8, rune1: 9, any: 10, anyNotNewline: 11 } as const

const Instruction = z.object({
  op: z.number().int().min(1).max(11),
  out: z.number().int(),
  arg: z.number().int(),
  runes: z.instanceof(Int32Array),
})
const Program = z.object({ start: z.number().int(), inst: z.array(z.unknown()) })
type Instruction = z.infer<typeof Instruction>

/** Least and most UTF-16 code units that the pattern can match; `max` is Infinity where it can repeat without end. */
export interface PatternLength {
  readonly min: number
  readonly max: number
  /** Size of the program: what one step of matching may cost. */
  readonly instructions: number
}

/** Measures a compiled pattern. Recurses as deep as the program is long: refuse large programs before. */
export function patternLength(pattern: RE2JS, instructionsMax: number): PatternLength {
  const { start, inst } = Program.parse(pattern.re2().prog)
  if (inst.length > instructionsMax) return { min: 0, max: Infinity, instructions: inst.length }
  const known = new Map<number, { min: number; max: number }>()
  const measure = (at: number): { min: number; max: number } => {
    const seen = known.get(at)
    if (seen) return seen
    // Until it is measured, coming here again means to go round without end.
    known.set(at, { min: Infinity, max: Infinity })
    const measured = measureOne(Instruction.parse(inst[at]), measure)
    known.set(at, measured)
    return measured
  }
  return { ...measure(start), instructions: inst.length }
}

function measureOne(
  one: Instruction,
  measure: (at: number) => { min: number; max: number },
): { min: number; max: number } {
  if (one.op === op.fail) return { min: Infinity, max: 0 }
  if (one.op === op.match) return { min: 0, max: 0 }
  const next = measure(one.out)
  if (one.op === op.alt || one.op === op.altMatch) {
    const other = measure(one.arg)
    return { min: Math.min(next.min, other.min), max: Math.max(next.max, other.max) }
  }
  if (one.op < runeOps.rune) return next
  return { min: next.min + 1, max: next.max + widest(one) }
}

/** Two for what can take a character beyond the basic plane. */
const widest = ({ op: which, runes }: Instruction): number =>
  which === runeOps.any || which === runeOps.anyNotNewline || (runes.at(-1) ?? 0) > 0xffff ? 2 : 1
