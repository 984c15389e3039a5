/**
 * The open text of guardrails that have a window, which are those of users: what came and is not judged yet, what was judged and is
 * held back, what went out.
 *
 * H1 Steps depend on the text alone, never on how it came: one ends at every 32nd code unit of the open text, one sooner
 *    where that would cut a surrogate pair, and one at its end.
 * H2 Of what passed, all but the last `window` code units goes out; the rest is seen again with the next step.
 * H3 Text that is held back when a step trips never goes out.
 * H4 Of a part that is cut off, the last `window` code units never go out: they may begin what a guardrail looks for.
 */
import { cutBefore, isHigh } from './marker.ts'
import { ReleasedText } from './released-text.ts'

const stepChars = 32

/** Judges a text; null if the attempt ended on it. */
export type JudgeText = (text: string, last: boolean) => string | null

/** One kind of text of one attempt. Parts follow one another; in `released` a line feed stands between them. */
export class HeldText {
  readonly #window: number
  #raw = ''
  /** Code units of the open part that were judged. */
  #judged = 0
  #held = ''
  readonly #released = new ReleasedText()

  /** `window`: code units, 0 to 1024. */
  constructor(window: number) {
    this.#window = window
  }

  /** The end of what went out, for looking back. */
  get released(): string {
    return this.#released.end
  }

  /** Takes more text; returns what may go out. Nothing follows a step that tripped. */
  push(text: string, judge: JudgeText): string {
    this.#raw += text
    let out = ''
    let from = 0
    for (let size = this.#stepSize(from); size > 0; size = this.#stepSize(from)) {
      const released = this.#step(this.#raw.slice(from, from + size), judge)
      if (released === null) return out
      out += released
      from += size
    }
    if (from > 0) this.#raw = this.#raw.slice(from)
    return out
  }

  /** The part ends: everything goes out, if it passes. A part without text is not judged. */
  end(judge: JudgeText): string {
    if (this.#judged + this.#raw.length === 0) return ''
    const passed = judge(this.#held + this.#raw, true)
    if (passed === null) return ''
    this.#raw = this.#held = ''
    this.#judged = 0
    this.#released.add(passed)
    this.#released.part()
    return passed
  }

  /** The part is cut off: the rest of it is judged, and goes out but for what is held back. */
  cut(judge: JudgeText): string {
    if (this.#judged + this.#raw.length === 0) return ''
    const passed = judge(this.#held + this.#raw, false)
    if (passed === null) return ''
    this.#raw = this.#held = ''
    this.#judged = 0
    const released = passed.slice(0, cutBefore(passed, passed.length - this.#window))
    this.#released.add(released)
    return released
  }

  #stepSize(from: number): number {
    const toBoundary = stepChars - (this.#judged % stepChars)
    const size = this.#judged % stepChars === stepChars - 1 ? 1 + stepChars : toBoundary
    const end = from + size
    if (end > this.#raw.length) return 0
    return isHigh(this.#raw, end - 1) ? size - 1 : size
  }

  #step(step: string, judge: JudgeText): string | null {
    this.#judged += step.length
    const passed = judge(this.#held + step, false)
    if (passed === null) return null
    const cut = cutBefore(passed, passed.length - this.#window)
    this.#held = passed.slice(cut)
    const released = passed.slice(0, cut)
    this.#released.add(released)
    return released
  }
}
