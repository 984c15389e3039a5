/**
 * Values that are known by what stands before them, in a text that grows: where one begins, and how far it goes. A value is a run
 * of characters behind the end of a lead. Only the run waits; of the lead the state of the automaton is kept.
 */
import type { LeadMachine, LeadState } from './lead-machine.ts'
import type { MatchPlace } from './matches.ts'

/** The form of a value that may stand behind a lead. Both look from where the lead ended (flag `y`). */
export interface ValueForm {
  /** The value, group 1, and what must stand behind it. */
  readonly whole: RegExp
  /** Does it reach the end of the text, so that more could belong to it? It does if `whole` does. */
  readonly begun: RegExp
}

/** A value, and the number of its lead. */
export interface LedPlace extends MatchPlace {
  readonly lead: number
}

interface Candidate {
  readonly lead: number
  /** From the beginning of the scan. */
  readonly at: number
  /** How long the value is; null while more of it may follow. */
  length: number | null
}

export class LeadScan {
  readonly #machine: LeadMachine
  readonly #forms: readonly ValueForm[]
  #state: LeadState
  #candidates: Candidate[] = []
  /** Code units that were looked at. */
  #scanned = 0

  constructor(machine: LeadMachine, forms: readonly ValueForm[]) {
    this.#machine = machine
    this.#forms = forms
    this.#state = machine.stateOf(machine.start())
  }

  /** Has no lead ended whose value is still to be asked for? */
  get isIdle(): boolean {
    return this.#candidates.length === 0
  }

  /** Looks at what stands from `shown` on. Returns where the first value begins that is not over; the text's end if none does. */
  pending(text: string, shown: number): number {
    const base = this.#scanned - shown
    let state = this.#machine.resume(this.#state)
    for (let at = shown; at < text.length;) {
      const unit = text.charCodeAt(at)
      const rune = unit < 0xd800 ? unit : (text.codePointAt(at) ?? 0)
      state = this.#machine.after(state, rune)
      if ((state & 1) === 1)
        for (const lead of this.#machine.endedAt(state))
          this.#candidates.push({ lead, at: base + at, length: null })
      at += rune > 0xffff ? 2 : 1
    }
    this.#state = this.#machine.stateOf(state)
    this.#scanned += text.length - shown
    return this.#candidates.length === 0 ? text.length : this.#judge(text, base)
  }

  /** The values that begin before this place; they are not asked for again. */
  values(text: string, limit: number): readonly LedPlace[] {
    if (this.#candidates.length === 0) return []
    const base = this.#scanned - text.length
    const due = this.#candidates.filter(({ at }) => at - base < limit)
    this.#candidates = this.#candidates.filter(({ at }) => at - base >= limit)
    return due.flatMap(({ lead, at, length }) => {
      const start = at - base
      const chars = length ?? this.#length(lead, text, start)
      return chars === 0 ? [] : [{ lead, start, end: start + chars }]
    })
  }

  #judge(text: string, base: number): number {
    let first = text.length
    this.#candidates = this.#candidates.filter((candidate) => {
      if (candidate.length !== null) return true
      const start = candidate.at - base
      if (reaches(this.#forms[candidate.lead]?.begun, text, start)) {
        first = Math.min(first, start)
        return true
      }
      candidate.length = this.#length(candidate.lead, text, start)
      return candidate.length > 0
    })
    return first
  }

  #length(lead: number, text: string, start: number): number {
    const whole = this.#forms[lead]?.whole
    if (!whole) return 0
    whole.lastIndex = start
    return whole.exec(text)?.[1]?.length ?? 0
  }
}

function reaches(begun: RegExp | undefined, text: string, start: number): boolean {
  if (!begun) return false
  begun.lastIndex = start
  return begun.test(text)
}
