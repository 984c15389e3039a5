/**
 * Words that lead to a value, many at once: `password for the server is `, `Cookie: sid=`. One automaton over all of them, each
 * state of which is made when it is first reached: a character costs one look-up, in whatever text. What a text that went out led
 * to is the state; the text itself need not be kept.
 */
import { RE2JS } from 're2js'
import { unitsOf } from './border.ts'
import { type Instruction, isFork, op, patternProgram, takesOne } from './pattern-length.ts'

/** States, by their numbers: the instructions that were reached by the last character, whether that was part of a word, and which leads ended before it. */
interface States {
  readonly reached: (readonly number[])[]
  readonly wasWord: boolean[]
  readonly ended: (readonly number[])[]
  readonly numbers: Map<string, number>
}

/** A state that was reached, and of which states it is one. Its number is odd if leads ended before the last character. */
export interface LeadState {
  readonly states: States
  readonly number: number
}

/** More of them are forgotten, and made again. */
const stepsMax = 50_000
const statesMax = 8_192

const asciiChars = 0x80
/** Room for so many at first. */
const firstStates = 256

/** Of an instruction about the place: at the border of a word, not at one. */
const wordBorder = 16
const noWordBorder = 32

const isWord = unitsOf('A-Za-z0-9_')

export class LeadMachine {
  readonly #inst: Instruction[] = []
  /** Which lead ends with an instruction. */
  readonly #leadOf = new Map<number, number>()
  readonly #starts: number[] = []
  readonly #openOf = new Map<number, readonly number[]>()
  readonly #firstOf = new Map<number, readonly number[]>()
  #states: States = noStates()
  /** The state that comes, by the number of the state and the character of ASCII; 0 if that is not made. One place in memory for each step. */
  #ascii = new Int32Array(firstStates * asciiChars)
  /** The same for other characters. */
  readonly #others = new Map<number, number>()
  #steps = 0

  /**
   * Patterns in RE2 syntax, without `^` and `$`. One that repeats without end costs less than one that counts: each number that
   * was counted is a state.
   */
  constructor(leads: readonly string[]) {
    leads.forEach((source, lead) => this.#add(source, lead))
  }

  /** Before the first character. */
  start(): number {
    return this.#numberOf([], false, [])
  }

  /** The state of this number, to be resumed. */
  stateOf(number: number): LeadState {
    return { states: this.#states, number }
  }

  /** The number to go on from: another one if all were forgotten meanwhile. To be called before characters are looked at. */
  resume({ states, number }: LeadState): number {
    this.#forgetSome()
    if (states === this.#states) return number
    const index = number >> 1
    return this.#numberOf(
      states.reached[index] ?? [],
      states.wasWord[index] ?? false,
      states.ended[index] ?? [],
    )
  }

  /** The leads that ended before the last character of this state. */
  endedAt(number: number): readonly number[] {
    return this.#states.ended[number >> 1] ?? []
  }

  /** The state after this character. */
  after(number: number, rune: number): number {
    const isAscii = rune < asciiChars
    const place = isAscii ? (number >> 1) * asciiChars + rune : (number >> 1) * 0x200000 + rune
    const known = isAscii ? this.#ascii[place] : this.#others.get(place)
    if (known !== undefined && known !== 0) return known
    const next = this.#make(number >> 1, rune)
    if (isAscii) this.#ascii[place] = next
    else this.#others.set(place, next)
    this.#steps += 1
    return next
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

  #make(index: number, rune: number): number {
    const { reached, wasWord } = this.#states
    const isAtBorder = wasWord[index] !== isWord(rune)
    const ended: number[] = []
    const next = new Set(this.#begun(rune, isAtBorder))
    for (const from of reached[index] ?? [])
      for (const at of this.#open(from, isAtBorder)) {
        const lead = this.#leadOf.get(at)
        const one = this.#inst[at]
        if (lead !== undefined) ended.push(lead)
        else if (one?.takes(rune)) next.add(one.out)
      }
    const ascending = next.size > 1 ? [...next].toSorted((x, y) => x - y) : [...next]
    return this.#numberOf(ascending, isWord(rune), ended)
  }

  /** The instructions that are reached by leads that begin with this character. */
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

  #numberOf(reached: readonly number[], wasWord: boolean, ended: readonly number[]): number {
    const states = this.#states
    const key = `${wasWord ? 'w' : ''}${reached.join()};${ended.join()}`
    const known = states.numbers.get(key)
    if (known !== undefined) return known
    const index = states.reached.push(reached) - 1
    states.wasWord.push(wasWord)
    states.ended.push(ended)
    const number = index * 2 + (ended.length > 0 ? 1 : 0)
    states.numbers.set(key, number)
    if ((index + 1) * asciiChars > this.#ascii.length) {
      const larger = new Int32Array(this.#ascii.length * 2)
      larger.set(this.#ascii)
      this.#ascii = larger
    }
    return number
  }

  /** A hostile text reaches states without end. */
  #forgetSome(): void {
    if (this.#steps < stepsMax && this.#states.reached.length < statesMax) return
    this.#states = noStates()
    this.#ascii = new Int32Array(firstStates * asciiChars)
    this.#others.clear()
    this.#firstOf.clear()
    this.#steps = 0
  }
}

/** No state has the number 0. */
const noStates = (): States => ({
  reached: [[]],
  wasWord: [false],
  ended: [[]],
  numbers: new Map(),
})
