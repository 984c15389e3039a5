/**
 * Instructions that clients gave as system messages, each text once. A summary takes them over, as many as a fact may hold (C11).
 *
 * N1 Whether the runs that gave them were read or not, they are the same behind a summary, in the same order: what it left out does not come
 *    back with a run that is read again.
 */
import { limits } from '../limits.ts'

/** Instructions as the fact of a summary holds them. */
export interface KeptInstructions {
  /** In the order in which they were first given. */
  readonly texts: readonly string[]
  /** So many more had been given before, and are told no more. */
  readonly leftOut: number
}

export class GivenInstructions {
  /** In the order in which they were first given. */
  readonly #first = new Set<string>()
  /** The same texts in the order in which they were last given. */
  readonly #last = new Set<string>()
  #leftOut = 0

  get texts(): readonly string[] {
    return [...this.#first]
  }

  /** Texts that a summary has left out. */
  get leftOut(): number {
    return this.#leftOut
  }

  give(text: string): void {
    this.#first.add(text)
    this.#last.delete(text)
    this.#last.add(text)
  }

  /** The newest of them, as many as a fact may hold. */
  kept(): KeptInstructions {
    const kept = new Set<string>()
    let chars = 0
    for (const text of [...this.#last].toReversed()) {
      chars += text.length
      if (kept.size >= limits.givenInstructionsMax || chars > limits.givenInstructionsCharsMax)
        break
      kept.add(text)
    }
    const texts = this.texts.filter((text) => kept.has(text))
    return { texts, leftOut: this.#leftOut + this.#first.size - texts.length }
  }

  /** Takes over what a summary has kept. What was given since stands behind it. */
  recall({ texts, leftOut }: KeptInstructions): void {
    const kept = new Set(texts)
    const given = [...this.#last]
    // Where some are left out, those before the newest that is kept are among them.
    const since = leftOut > 0 ? given.findLastIndex((text) => kept.has(text)) + 1 : 0
    const newer = new Set(given.slice(since))
    const first = [...texts, ...this.texts.filter((text) => newer.has(text))]
    this.#first.clear()
    this.#last.clear()
    for (const text of first) this.#first.add(text)
    for (const text of [...texts, ...newer]) if (!this.#last.has(text)) this.#last.add(text)
    this.#leftOut = leftOut
  }
}
