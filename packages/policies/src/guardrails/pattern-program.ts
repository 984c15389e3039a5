/** The program that the engine compiled a pattern to: its instructions, as far as a scan of a growing text asks for them. */
import type { RE2JS } from 're2js'
import { z } from 'zod'
import { op, runeOps } from './pattern-length.ts'

/** An instruction, as the engine has compiled it. */
const Instruction = z.object({
  op: z.number().int(),
  out: z.number().int(),
  arg: z.number().int(),
  matchRune: z.custom<(rune: number) => boolean>((value) => typeof value === 'function'),
})
const Program = z.object({ start: z.number().int(), inst: z.array(z.unknown()) })

export interface Instruction {
  readonly op: number
  readonly out: number
  readonly arg: number
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
  const read = Instruction.parse(one)
  const takes = (rune: number): boolean =>
    read.op === runeOps.any ||
    (read.op === runeOps.anyNotNewline ? rune !== 10 : read.matchRune.call(one, rune))
  return { op: read.op, out: read.out, arg: read.arg, takes }
}

/** Does it take a character? Else it is a fork, a match, or a question about the place. */
export const takesOne = (one: Instruction): boolean => one.op >= runeOps.rune

export const isFork = (one: Instruction): boolean => one.op === op.alt || one.op === op.altMatch
