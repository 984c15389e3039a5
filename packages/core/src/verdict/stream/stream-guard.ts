/** What a model call drives while it streams: text in, text that may be shown out. */
import type { Trip } from '../../turn.ts'
import type { StreamPart } from './part.ts'

/** What became of a piece: the text that may be shown now (perhaps none: it is held back), or the end of the attempt. */
export type Guarded =
  | { readonly type: 'released'; readonly text: string }
  | { readonly type: 'tripped'; readonly trip: Trip }

/** One attempt of one turn. Not reusable; after a trip it answers the same trip for everything. */
export interface StreamGuard {
  /** More of the text, or of the reasoning, that is open. */
  push(kind: 'text' | 'reasoning', text: string): Guarded
  /** The open text, or reasoning, ends here: what was held back is judged for the last time. */
  end(kind: 'text' | 'reasoning'): Guarded
  /** A whole call of a turn that closed positively, or an error that ended the turn. */
  judge(part: Extract<StreamPart, { type: 'tool_call' | 'error' }>): Guarded
}
