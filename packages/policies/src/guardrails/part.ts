/** Evidence of a stream guardrail: what the model says, piece by piece, before anybody else sees it. */
import type { GuardAction } from '@signalbox/core'
import type { AttemptContext, StreamPart } from '@signalbox/engine'
import type { Finding } from './finding.ts'
import type { Stepwise } from './steps.ts'
import type { TextStage } from './text-stage.ts'

/** The facts that a guardrail may know besides the part. */
export interface GuardrailContext extends AttemptContext {
  /** The end of what the guardrail let out of this kind of text before; for a call or an error, of what went out: up to 8,192 code units. */
  readonly released: string
  /** Is this the end of the text it belongs to? Until then more may follow, and its tail is seen again. */
  readonly last: boolean
}

/** The verdict of a guardrail on a part. */
export type GuardrailResult =
  /** Goes on to the next guardrail, changed or not. A call or an error may not be changed. */
  | {
      readonly type: 'pass'
      readonly part: StreamPart
      /** The kind of each thing that was taken out of the part, for the log. Absent: a changed text is one thing, `changed`. */
      readonly redacted?: readonly string[]
    }
  /** The attempt ends; the model reads the feedback, in the first person, and tries again. */
  | { readonly type: 'fail'; readonly feedback: string }
  /** The turn ends, and the run with it. On an error part: the error stands as it is. */
  | { readonly type: 'stop'; readonly part: StreamPart; readonly reason?: string }

/** A stream guardrail. Synchronous, and a function of its arguments alone: the same text is always judged the same. */
export interface Guardrail {
  readonly id: string
  readonly name: string
  /** Characters at the end of a text that are held back until more came: the longest term it must see whole, less one. 0 to 1024, default 0. */
  readonly window?: number
  handle(part: StreamPart, context: GuardrailContext): GuardrailResult
  /** The kinds of part that it judges: what it does not judge never waits for it. Absent: all of them. */
  readonly parts?: readonly StreamPart['type'][]
  /** Judges text and reasoning in place of `handle`, and knows what is pending: nothing else is held back. Absent: `window` is. */
  readonly stage?: () => TextStage
  /** How it judges texts that are no part of a stream. Absent: it does not, but sees the call as a part. */
  readonly inspector?: Inspector
}

/** Judges a whole text, of a call's arguments or of a tool's result. A function of the text alone. */
export interface Inspector {
  readonly action: GuardAction
  readonly places: { readonly arguments: boolean; readonly results: boolean }
  /** The text with markers in the place of what was found, and the kind of each finding. */
  inspect(text: string): { readonly text: string; readonly kinds: readonly string[] }
  /** Where each of them stands, with all that belongs to it. */
  find(text: string): Stepwise<readonly Finding[]>
  /** Names kinds for the model, with articles. Never what was found. */
  describe(kinds: readonly string[]): string
}

/** The part goes on, changed or not. */
export const pass = (part: StreamPart, redacted?: readonly string[]): GuardrailResult =>
  redacted === undefined ? { type: 'pass', part } : { type: 'pass', part, redacted }

/** The model corrects itself. */
export const fail = (feedback: string): GuardrailResult => ({ type: 'fail', feedback })

/** The turn ends here. */
export const stop = (part: StreamPart, reason?: string): GuardrailResult =>
  reason === undefined ? { type: 'stop', part } : { type: 'stop', part, reason }
