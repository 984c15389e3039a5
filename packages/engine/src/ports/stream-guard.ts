/**
 * The stream guardrails of a process: they judge what a model says while it streams, and redact what tools answer. The engine
 * knows nothing of how they judge.
 */
import type { JsonObject, ModelErrorClass, StreamGuardSpec, Trip } from '@signalbox/core'

/** A piece of a turn as guardrails see it. An error carries the provider's own words: clients see a masked text. */
export type StreamPart =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  | { readonly type: 'tool_call'; readonly name: string; readonly args: JsonObject }
  | { readonly type: 'error'; readonly message: string; readonly class: ModelErrorClass }

/** The context of the attempt that guardrails judge. */
export interface AttemptContext {
  readonly availableTools: readonly string[]
  readonly availableSkills: readonly { readonly name: string; readonly path: string }[]
  /** 0 for the first attempt of the turn; one more after each correction. */
  readonly attempt: number
}

/** The fate of a piece: the text that may be shown now (perhaps none: it is held back), or the end of the attempt. */
export type Guarded =
  | { readonly type: 'released'; readonly text: string }
  | { readonly type: 'tripped'; readonly trip: Trip }

/** A redaction that a guardrail made in a value. */
export interface TakenOut {
  readonly guardrail: { readonly id: string; readonly name: string }
  readonly kind: string
  readonly count: number
}

/** A redaction that a guardrail made in texts or thoughts. */
export interface RedactedText extends TakenOut {
  readonly place: 'text' | 'reasoning'
}

/** The fate of the arguments of a call. */
export type InspectedCall =
  | { readonly type: 'passed'; readonly value: JsonObject; readonly taken: readonly TakenOut[] }
  | { readonly type: 'tripped'; readonly trip: Trip }

/** The guard that a model call drives while it streams: text in, text that may be shown out. One attempt of one turn. Not reusable; after a trip it answers the same trip for everything. */
export interface StreamGuard {
  /** More of the text, or of the reasoning, that is open. */
  push(kind: 'text' | 'reasoning', text: string): Guarded
  /** The open text, or reasoning, ends here: what was held back is judged for the last time. */
  end(kind: 'text' | 'reasoning'): Guarded
  /** The open text, or reasoning, is cut off: what was held back is dropped. */
  cut(kind: 'text' | 'reasoning'): Guarded
  /** The redactions of texts and thoughts so far. */
  redacted(): readonly RedactedText[]
  /** The arguments of a call of a turn that closed positively: as they may be recorded, or the end of the attempt. */
  inspect(call: { readonly name: string; readonly args: JsonObject }): Promise<InspectedCall>
  /** A whole call of a turn that closed positively, or an error that ended the turn. */
  judge(part: Extract<StreamPart, { type: 'tool_call' | 'error' }>): Guarded
}

/** A value without what guardrails took out of it. */
export interface RedactedValue<T> {
  readonly value: T
  readonly taken: readonly TakenOut[]
}

/** The stream guardrails of one process. Each method throws, or rejects, for a guardrail that the process cannot have. */
export interface StreamGuardrails {
  /** A guard for one attempt, of guardrails in their order. */
  guard(specs: readonly StreamGuardSpec[], context: AttemptContext): StreamGuard
  /** Redacts text or JSON that a tool answered, by the guardrails that look at results. A large one does not hold the process. */
  redact<T extends string | JsonObject>(
    value: T,
    specs: readonly StreamGuardSpec[],
  ): Promise<RedactedValue<T>>
}
