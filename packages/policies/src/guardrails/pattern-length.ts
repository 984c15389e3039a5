/** The program that the engine compiled a pattern to: its instructions, and how much it can match. */
import type { RE2JS } from 're2js'
import { z } from 'zod'

/** Instructions of re2js, by their numbers in 2.10; a program of another shape does not parse. */
export const op = { alt: 1, altMatch: 2, capture: 3, empty: 4, fail: 5, match: 6, nop: 7 } as const
const runeOps = { rune: 8, rune1: 9, any: 10, anyNotNewline: 11 } as const

/** An instruction, as the engine has compiled it. */
const Compiled = z.object({
  op: z.number().int().min(1).max(11),
  out: z.number().int(),
  arg: z.number().int(),
  runes: z.instanceof(Int32Array),
  matchRune: z.custom<(rune: number) => boolean>((value) => typeof value === 'function'),
})
const Program = z.object({ start: z.number().int(), inst: z.array(z.unknown()) })
type Compiled = z.infer<typeof Compiled>

/** An instruction, as far as a scan of a growing text asks for it. */
export interface Instruction extends Pick<Compiled, 'op' | 'out' | 'arg'> {
  readonly takes: (rune: number) => boolean
}

/** The instructions of a pattern, and the number of the first. */
export function patternProgram(pattern: RE2JS): {
  readonly start: number
  readonly inst: readonly Instruction[]
} {
  const { start, inst } = Program.parse(pattern.re2().prog)
  return { start, inst: inst.map(readInstruction) }
}

function readInstruction(one: unknown): Instruction {
  const read = Compiled.parse(one)
  const takes = (rune: number): boolean =>
    read.op === runeOps.any ||
    (read.op === runeOps.anyNotNewline ? rune !== 10 : read.matchRune.call(one, rune))
  return { op: read.op, out: read.out, arg: read.arg, takes }
}

/** Does it take a character? Else it is a fork, a match, or a question about the place. */
export const takesOne = (one: { readonly op: number }): boolean => one.op >= runeOps.rune

export const isFork = (one: { readonly op: number }): boolean =>
  one.op === op.alt || one.op === op.altMatch

interface Span {
  readonly min: number
  readonly max: number
}

/** Least and most UTF-16 code units that the pattern can match; `max` is Infinity where it can repeat without end. */
export interface PatternLength extends Span {
  /** Size of the program: what one step of matching may cost. */
  readonly instructions: number
}

/** Measures a compiled pattern. Recurses as deep as the program is long: refuse large programs before. */
export function patternLength(pattern: RE2JS, instructionsMax: number): PatternLength {
  const { start, inst } = Program.parse(pattern.re2().prog)
  if (inst.length > instructionsMax) return { min: 0, max: Infinity, instructions: inst.length }
  const known = new Map<number, Span>()
  const measure = (at: number): Span => {
    const seen = known.get(at)
    if (seen) return seen
    // Until it is measured, coming here again means to go round without end.
    known.set(at, { min: Infinity, max: Infinity })
    const measured = measureOne(Compiled.parse(inst[at]), measure)
    known.set(at, measured)
    return measured
  }
  return { ...measure(start), instructions: inst.length }
}

function measureOne(one: Compiled, measure: (at: number) => Span): Span {
  if (one.op === op.fail) return { min: Infinity, max: 0 }
  if (one.op === op.match) return { min: 0, max: 0 }
  const next = measure(one.out)
  if (isFork(one)) {
    const other = measure(one.arg)
    return { min: Math.min(next.min, other.min), max: Math.max(next.max, other.max) }
  }
  return takesOne(one) ? { min: next.min + 1, max: next.max + widest(one) } : next
}

/** Two for what can take a character beyond the basic plane. */
const widest = ({ op: which, runes }: Compiled): number =>
  which === runeOps.any || which === runeOps.anyNotNewline || (runes.at(-1) ?? 0) > 0xffff ? 2 : 1
