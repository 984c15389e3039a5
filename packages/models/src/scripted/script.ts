import type { JsonObject, Prompt } from '@signalbox/core'

/** How a scripted answer ends. Every ending but `stop` comes in the middle of the last call's arguments. */
export type ScriptedEnding =
  /** A good ending: `tool_calls` if there are calls, else `stop`. */
  | 'stop'
  | 'content_filter'
  | 'length'
  /** The stream closes without a terminal chunk. */
  | 'eof'
  /** An error chunk, then the stream closes. */
  | 'error'
  /** The connection breaks. */
  | 'reset'

/** A call of a script. Arguments given as text are sent as they are, valid JSON or not. */
export interface ScriptedCall {
  readonly name: string
  readonly args: JsonObject | string
}

/** What a scripted model answers. */
export interface ScriptedTurn {
  readonly text?: string
  readonly reasoning?: string
  readonly calls?: readonly ScriptedCall[]
  /** `stop` if left out. */
  readonly ending?: ScriptedEnding
  /** Any other finish reason, such as `sensitive`, in place of the one of `ending`. */
  readonly finishReason?: string
  /** Answers with an HTTP status instead of a stream; `retryAfterS` in seconds. */
  readonly status?: {
    readonly code: number
    readonly retryAfterS?: number
    readonly error?: JsonObject
  }
  /** Milliseconds before each chunk. */
  readonly delayMs?: number
  /** Characters of text or arguments in one chunk, 24 if left out. */
  readonly chunkSize?: number
}

/**
 * A script: a pure function of the prompt, so that a repeated call is answered the same. `turnIndex` counts the
 * answers the model has given to the last message of the user (see `turnIndexOf`).
 */
export type Script = (prompt: Prompt, turnIndex: number) => ScriptedTurn

/** Scripts by model name. */
export type Scripts = Readonly<Record<string, Script>>

/**
 * The number of assistant messages after the last message of the user. A message in the user's role that directly
 * follows tool results is a notice of the engine (a loop warning, feedback of a guardrail), not a message of the user.
 */
export function turnIndexOf(prompt: Prompt): number {
  const last = prompt.findLastIndex(
    ({ role }, index) => role === 'user' && prompt[index - 1]?.role !== 'tool',
  )
  return prompt.slice(last + 1).filter(({ role }) => role === 'assistant').length
}
