/** What a model call drives while it streams: text in, text that may be shown out. */
import type { JsonObject } from '../../json.ts'
import type { Trip } from '../../turn.ts'
import type { Taken } from './inspect.ts'
import type { StreamPart } from './part.ts'

/** What became of a piece: the text that may be shown now (perhaps none: it is held back), or the end of the attempt. */
export type Guarded =
  | { readonly type: 'released'; readonly text: string }
  | { readonly type: 'tripped'; readonly trip: Trip }

/** What a guardrail took out of texts or thoughts. */
export interface RedactedText extends Taken {
  readonly place: 'text' | 'reasoning'
}

/** What became of the arguments of a call. */
export type InspectedCall =
  | { readonly type: 'passed'; readonly value: JsonObject; readonly taken: readonly Taken[] }
  | { readonly type: 'tripped'; readonly trip: Trip }

/** One attempt of one turn. Not reusable; after a trip it answers the same trip for everything. */
export interface StreamGuard {
  /** More of the text, or of the reasoning, that is open. */
  push(kind: 'text' | 'reasoning', text: string): Guarded
  /** The open text, or reasoning, ends here: what was held back is judged for the last time. */
  end(kind: 'text' | 'reasoning'): Guarded
  /** The open text, or reasoning, is cut off: what was held back is dropped. */
  cut(kind: 'text' | 'reasoning'): Guarded
  /** What was taken out of texts and thoughts so far. */
  redacted(): readonly RedactedText[]
  /** The arguments of a call of a turn that closed positively: as they may be recorded, or the end of the attempt. */
  inspect(call: { readonly name: string; readonly args: JsonObject }): InspectedCall
  /** A whole call of a turn that closed positively, or an error that ended the turn. */
  judge(part: Extract<StreamPart, { type: 'tool_call' | 'error' }>): Guarded
}
