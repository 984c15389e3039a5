/**
 * Words that lead to a value, many at once: `password for the server is `, `Cookie: sid=`. One automaton over all of them, each
 * state of which is made when it is first reached: a character costs one look-up, in whatever text. What a text that went out led
 * to is the state; the text itself need not be kept.
 */
import { RE2JS } from 're2js'
import { op } from './pattern-length.ts'
import { type Instruction, isFork, patternProgram, takesOne } from './pattern-program.ts'

/** A state: the instructions that were reached by the last character, and whether that was part of a word. */
export interface LeadState {
  readonly reached: readonly number[]
  readonly wasWord: boolean
  /** By the next character: those of ASCII, and the others. */
  readonly ascii: (LeadStep | undefined)[]
  readonly steps: Map<number, LeadStep>
}

/** What the next character does: which leads end before it, and what state comes. */
export interface LeadStep {
  readonly ended: readonly number[]
  readonly to: LeadState
}

/** More of them are forgotten, and made again. */
const stepsMax = 50_000

/** Of an instruction about the place: at the border of a word, not at one. */
const wordBorder = 16
const noWordBorder = 32

const isWord = (rune: number): boolean =>
  (rune >= 0x61 && rune <= 0x7a) ||
  (rune >= 0x30 && rune <= 0x39) ||
  (rune >= 0x41 && rune <= 0x5a) ||
  rune === 0x5f

export class LeadMachine {
  readonly #inst: Instruction[] = []
  /** Which lead ends with an instruction. */
  readonly #leadOf = new Map<number, number>()
  readonly #starts: number[] = []
  readonly #states = new Map<string, LeadState>()
  readonly #openOf = new Map<number, readonly number[]>()
  readonly #firstOf = new Map<number, readonly number[]>()
  #steps = 0
  readonly start: LeadState

  /**
   * Patterns in RE2 syntax, without `^` and `$`. One that repeats without end costs less than one that counts: each number that
   * was counted is a state.
   */
  constructor(leads: readonly string[]) {
    leads.forEach((source, lead) => this.#add(source, lead))
    this.start = this.#stateOf([], false)
  }

  step(state: LeadState, rune: number): LeadStep {
    const known = rune < 0x80 ? state.ascii[rune] : state.steps.get(rune)
    if (known) return known
    this.#forgetSome()
    const step = this.#make(state, rune)
    if (rune < 0x80) state.ascii[rune] = step
    else state.steps.set(rune, step)
    this.#steps += 1
    return step
  }

  #add(source: string, lead: number): void {
    const { start, inst } = patternProgram(RE2JS.compile(source))
    const base = this.#inst.length
    inst.forEach((one, at) => {
      if (one.op === op.empty && (one.arg & ~(wordBorder | noWordBorder)) !== 0)
        throw new TypeError(`a lead may not ask for the end of a text: ${source}`)
      const arg = isFork(one) ? one.arg + base : one.arg
      this.#inst.push({ ...one, out: one.out + base, arg })
      if (one.op === op.match) this.#leadOf.set(base + at, lead)
    })
    this.#starts.push(base + start)
  }

  #make({ reached, wasWord }: LeadState, rune: number): LeadStep {
    const isAtBorder = wasWord !== isWord(rune)
    const ended: number[] = []
    const next = new Set(this.#begun(rune, isAtBorder))
    for (const from of reached)
      for (const at of this.#open(from, isAtBorder)) {
        const lead = this.#leadOf.get(at)
        const one = this.#inst[at]
        if (lead !== undefined) ended.push(lead)
        else if (one?.takes(rune)) next.add(one.out)
      }
    const to = this.#stateOf(
      next.size > 1 ? [...next].toSorted((x, y) => x - y) : [...next],
      isWord(rune),
    )
    return { ended, to }
  }

  /** What is reached by leads that begin with this character. */
  #begun(rune: number, isAtBorder: boolean): readonly number[] {
    const key = rune * 2 + Number(isAtBorder)
    const known = this.#firstOf.get(key)
    if (known) return known
    const begun = this.#starts
      .flatMap((start) => this.#open(start, isAtBorder))
      .flatMap((at) => {
        const one = this.#inst[at]
        return one?.takes(rune) === true ? [one.out] : []
      })
    this.#firstOf.set(key, begun)
    return begun
  }

  /** The instructions that take a character, and the ends, that are reached from this one without a character. */
  #open(from: number, isAtBorder: boolean): readonly number[] {
    const key = from * 2 + Number(isAtBorder)
    const known = this.#openOf.get(key)
    if (known) return known
    const border = isAtBorder ? wordBorder : noWordBorder
    const seen = new Set<number>()
    const open: number[] = []
    const todo = [from]
    for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
      const one = this.#inst[at]
      if (seen.has(at) || !one || one.op === op.fail) continue
      seen.add(at)
      if (one.op === op.match || takesOne(one)) open.push(at)
      else if (one.op !== op.empty || (one.arg & ~border) === 0) todo.push(one.out)
      if (isFork(one)) todo.push(one.arg)
    }
    this.#openOf.set(key, open)
    return open
  }

  #stateOf(reached: readonly number[], wasWord: boolean): LeadState {
    const key = `${wasWord ? 'w' : ''}${reached.join()}`
    const known = this.#states.get(key)
    if (known) return known
    const state = { reached, wasWord, ascii: [], steps: new Map<number, LeadStep>() }
    this.#states.set(key, state)
    return state
  }

  /** A hostile text reaches states without end. */
  #forgetSome(): void {
    if (this.#steps < stepsMax) return
    for (const { ascii, steps } of this.#states.values()) {
      ascii.length = 0
      steps.clear()
    }
    this.#states.clear()
    this.#firstOf.clear()
    this.#steps = 0
  }
}
