/**
 * Where a match of a pattern may have begun that is not over. The program of the pattern runs over the text with all its threads at
 * once; of each state the earliest beginning is kept. What asks for a border is taken as given: a thread too many holds text back,
 * a thread too few would let it out. Each character costs no more than the program is long.
 */
import type { RE2JS } from 're2js'
import { type Instruction, isFork, op, patternProgram, takesOne } from './pattern-length.ts'

/** Characters whose first states are remembered. */
const rememberedMax = 0x800

export class PatternProgram {
  readonly #inst: readonly Instruction[]
  readonly #first: readonly number[]
  readonly #firstOf = new Map<number, readonly number[]>()

  constructor(pattern: RE2JS) {
    const { start, inst } = patternProgram(pattern)
    this.#inst = inst
    this.#first = this.reach([start])
  }

  /** The states that wait for a character, or are a match, and can be reached from these without one. */
  reach(from: readonly number[]): readonly number[] {
    const seen = new Set<number>()
    const todo = [...from]
    for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
      if (seen.has(at)) continue
      seen.add(at)
      const one = this.#inst[at]
      if (!one || one.op === op.fail || one.op === op.match || takesOne(one)) continue
      todo.push(one.out)
      if (isFork(one)) todo.push(one.arg)
    }
    return [...seen].filter((at) => {
      const one = this.#inst[at]
      return one !== undefined && (one.op === op.match || takesOne(one))
    })
  }

  /** The states after a match that begins with this character. */
  begin(rune: number): readonly number[] {
    const known = this.#firstOf.get(rune)
    if (known) return known
    const first = this.#first.flatMap((at) => this.after(at, rune))
    if (rune < rememberedMax) this.#firstOf.set(rune, first)
    return first
  }

  /** The states after this one took the character; none if it does not. A match takes no more. */
  after(at: number, rune: number): readonly number[] {
    const one = this.#inst[at]
    if (!one || !takesOne(one) || !one.takes(rune)) return []
    return this.#after(at, one.out)
  }

  readonly #reached = new Map<number, readonly number[]>()

  #after(at: number, out: number): readonly number[] {
    const known = this.#reached.get(at) ?? this.reach([out])
    this.#reached.set(at, known)
    return known
  }
}

export class PatternScan {
  readonly #program: PatternProgram
  /** The threads, and how long ago each began, in code units. */
  #threads = new Map<number, number>()

  constructor(program: PatternProgram) {
    this.#program = program
  }

  /** The place of the earliest thread that lives, at or behind `from`; the text's end if none does. */
  pending(text: string, from: number, shown: number): number {
    for (let at = shown; at < text.length;) {
      const rune = text.codePointAt(at) ?? 0
      const width = rune > 0xffff ? 2 : 1
      this.#step(rune, width)
      at += width
    }
    let longest = 0
    for (const length of this.#threads.values()) if (length > longest) longest = length
    return Math.max(from, text.length - longest)
  }

  #step(rune: number, width: number): void {
    if (this.#threads.size === 0 && this.#program.begin(rune).length === 0) return
    const next = new Map<number, number>()
    const add = (states: readonly number[], length: number): void => {
      for (const state of states) if ((next.get(state) ?? 0) < length) next.set(state, length)
    }
    for (const [state, length] of this.#threads)
      add(this.#program.after(state, rune), length + width)
    add(this.#program.begin(rune), width)
    this.#threads = next
  }
}
