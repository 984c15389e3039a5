/**
 * A text in which a guardrail looks for things, while it grows. Nothing waits but what is pending.
 *
 * S1 A place is pending from which something that is looked for may still begin, grow, or cease to count, given more text. What
 *    stands before it is decided: whatever follows, a search of the whole text finds the same there. Decided text goes out, judged.
 * S2 So text and verdict are those of a search of the whole text, and depend on nothing else. Each pattern goes on where it was:
 *    what a cut of the text takes away, `Progress` keeps.
 * S3 The first finding of a guardrail that does not redact ends the text: what stands before it goes out, of itself nothing.
 * S4 Of a part that is cut off, what is pending never goes out.
 * S5 No cut is within a character or a marker, and nothing is found within a marker.
 */
import type { RE2JS } from 're2js'
import type { Redacted } from './chain.ts'
import type { Finding, Search, Watch } from './finding.ts'
import { cutBefore, isHigh, marker, openMarker, outsideMarkers } from './marker.ts'
import { withoutOverlaps } from './overlaps.ts'
import { guardrailRefusal, type TailFlow } from './search-outcome.ts'
import type { Stepwise } from './steps.ts'
import type { Staged, TextStage } from './text-stage.ts'

/** A long piece is taken in pieces of so many code units: a search costs no more than that, and what waits. */
const pieceChars = 512
/** The same of a whole text, of which nothing goes out. */
const findChars = 4096

const none: readonly Finding[] = []
const noneTaken: readonly Redacted[] = []
const nothingBefore = (): string => ''
const nothing: Staged = { text: '', taken: [], refusal: null }

export class SearchedText implements TextStage {
  readonly #search: Search
  /** The text that went out last, as far as it is looked back on, and the text that waits. */
  #text = ''
  /** Where what is not decided begins in it. */
  #from = 0
  /** Where waiting begins in it: at or behind `from`, for something that was found may end within what is not decided. */
  #out = 0
  /** The first half of a character, without the second. */
  #half = ''
  /** The end of the last finding. */
  #found = 0
  /** The part that sticks out behind it of a finding that began within it. */
  #rest: Finding | null = null
  #next = new Map<RE2JS, number>()
  #watch: Watch
  #tail: TailFlow | null
  /** Where it begins in all that was pushed. */
  #base = 0

  constructor(search: Search) {
    this.#search = search
    this.#watch = search.watch()
    this.#tail = search.tail?.() ?? null
  }

  push(text: string): Staged {
    if (text.length <= pieceChars) return this.#push(text)
    let out = ''
    const taken: Redacted[] = []
    for (let at = 0; at < text.length; at += pieceChars) {
      const staged = this.#push(text.slice(at, at + pieceChars))
      out += staged.text
      taken.push(...staged.taken)
      if (staged.refusal !== null) return { text: out, taken, refusal: staged.refusal }
    }
    return { text: out, taken, refusal: null }
  }

  #push(text: string): Staged {
    const limit = this.#take(text)
    return limit <= this.#from ? nothing : this.#settle(limit)
  }

  /** Where the things stand in a whole text, and in none besides it. */
  *find(text: string): Stepwise<readonly Finding[]> {
    const found: Finding[] = []
    for (let at = 0; at < text.length; at += findChars) {
      const limit = this.#take(text.slice(at, at + findChars))
      if (limit > this.#from) found.push(...this.#place(limit))
      yield
    }
    this.#takeHalf()
    return [...found, ...this.#place(Infinity)]
  }

  /** More of the text. Answers up to where it is decided. */
  #take(text: string): number {
    const shown = this.#text.length
    const all = this.#half + text
    this.#half = isHigh(all, all.length - 1) ? all.slice(-1) : ''
    this.#text += this.#half === '' ? all : all.slice(0, -1)
    if (this.#text.length === shown) return this.#from
    return this.#limit(this.#watch.pending(this.#text, this.#from, shown))
  }

  /** No second half follows. */
  #takeHalf(): void {
    const shown = this.#text.length
    this.#text += this.#half
    if (this.#half !== '') this.#watch.pending(this.#text, this.#from, shown)
  }

  /** The findings before this place, counted from the beginning of all that was pushed. */
  #place(limit: number): readonly Finding[] {
    const base = this.#base
    const found = this.#decided(limit).map((finding) => ({
      ...finding,
      start: base + finding.start,
      end: base + finding.end,
    }))
    this.#forget(Math.min(limit, this.#text.length))
    return found
  }

  end(): Staged {
    this.#takeHalf()
    const staged = this.#settle(Infinity)
    if (staged.refusal !== null) return staged
    const text = staged.text + (this.#tail?.end() ?? '')
    this.#begin()
    return { ...staged, text }
  }

  cut(): Staged {
    this.#begin()
    return nothing
  }

  /** The next part begins behind a line feed, unless it is the first that has text. */
  #begin(): void {
    this.#text = this.#text === '' ? '' : '\n'
    this.#from = this.#out = this.#text.length
    this.#half = ''
    this.#found = 0
    this.#rest = null
    this.#next.clear()
    this.#watch = this.#search.watch()
    this.#tail = this.#search.tail?.() ?? null
  }

  #limit(pending: number): number {
    const at = Math.min(pending, openMarker(this.#text, this.#from))
    return cutBefore(this.#text, at)
  }

  /** Judges what stands before this place, and lets it out. */
  #settle(limit: number): Staged {
    const { action } = this.#search
    const taken: Finding[] = []
    let out = ''
    let from = this.#out
    for (const finding of this.#decided(limit)) {
      const before = this.#text.slice(from, finding.start)
      out += this.#tail?.text(before) ?? before
      if (action !== 'redact')
        return {
          text: out,
          taken: [],
          refusal: guardrailRefusal(this.#search, action, [finding.kind]),
        }
      out += this.#tail?.found(finding.kind) ?? marker(finding.kind)
      taken.push(finding)
      from = finding.end
    }
    const decided = Math.min(limit, this.#text.length)
    const rest = this.#text.slice(from, decided)
    out += this.#tail?.text(rest) ?? rest
    this.#out = Math.max(from, decided)
    this.#forget(decided)
    if (taken.length === 0) return { text: out, taken: noneTaken, refusal: null }
    const { id, name } = this.#search
    const guardrail = { id, name }
    return { text: out, taken: taken.map(({ kind }) => ({ guardrail, kind })), refusal: null }
  }

  /** The findings before this place, from left to right, without overlaps. */
  #decided(limit: number): readonly Finding[] {
    if (this.#rest === null && this.#watch.isQuiet?.(this.#text, this.#from)) return none
    const progress = { from: this.#from, limit, next: this.#next }
    const values = this.#watch.values?.(this.#text, limit)
    const all = this.#search.find({ text: this.#text, before: nothingBefore, progress, values })
    if (all.length === 0 && this.#rest === null) return all
    const due = all.filter(({ start }) => start >= this.#from && start < limit)
    const { kept, rest } = withoutOverlaps(this.#rest ? [this.#rest, ...due] : due, this.#found)
    // A finding that comes later may begin with it, and be longer.
    const isDue = rest !== null && rest.start < limit
    this.#rest = isDue ? null : rest
    const found = isDue ? [...kept, rest] : kept
    this.#found = found.at(-1)?.end ?? this.#found
    return outsideMarkers(this.#text, found)
  }

  /** The text before this place is decided. Some of it is kept for looking back. */
  #forget(decided: number): void {
    const drop = Math.max(0, decided - this.#search.lookBack)
    this.#base += drop
    this.#text = this.#text.slice(drop)
    this.#from = decided - drop
    this.#out -= drop
    this.#found = Math.max(0, this.#found - drop)
    const { start = 0, end = 0 } = this.#rest ?? {}
    if (this.#rest) this.#rest = { ...this.#rest, start: start - drop, end: end - drop }
    if (this.#next.size === 0) return
    for (const [pattern, at] of this.#next) this.#next.set(pattern, Math.max(0, at - drop))
  }
}
