/**
 * A stage: one guardrail, or several that belong together, over a text that grows. The stages of a chain follow one another: each
 * is given what the one before it let out.
 *
 * T1 Everything that went out of a stage once it ended, was cut off or refused the text depends on the text alone, never on how
 *    it came in pieces; so does the refusal. Then the same holds for any number of stages in a row.
 * T2 Nothing goes out that more text could still make a part of what is looked for.
 */
import type { Redacted } from './chain.ts'

/** The text that a stage lets out, what it took out of it, and whether the text ends here. */
export interface Staged {
  readonly text: string
  readonly taken: readonly Redacted[]
  /** The text before it went out; nothing follows. */
  readonly refusal: TextRefusal | null
}

/** Why a text may not go on. */
export interface TextRefusal {
  readonly by: Redacted['guardrail']
  readonly outcome: 'fail' | 'stop'
  readonly feedback: string
}

/** Parts follow one another: after `end` or `cut` the next one begins. */
export interface TextStage {
  /** More of the text. */
  push(text: string): Staged
  /** The text is whole: all of it is judged, and goes out. */
  end(): Staged
  /** The text is cut off: what is pending never goes out. */
  cut(): Staged
}
