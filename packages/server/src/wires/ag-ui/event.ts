/** The events of AG-UI 1.0 that this wire writes. Fields that may be left out are left out, never null. */

/** A piece of a message that shows an image: a text, or an image at an address of this API. */
export type AgUiPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly source: { readonly type: 'url'; readonly value: string } }

/** A text; of a message that shows an image, its pieces in order. */
export type AgUiContent = string | readonly AgUiPart[]

/** What a message of AG-UI's history is. Of a message that the client sent, all it sent. */
export type AgUiMessage =
  | { readonly id: string; readonly role: 'user'; readonly content: AgUiContent }
  | { readonly id: string; readonly role: 'system'; readonly content: string }
  | {
      readonly id: string
      readonly role: 'assistant'
      readonly content?: string
      readonly toolCalls?: readonly AgUiCall[]
    }
  | {
      readonly id: string
      readonly role: 'tool'
      readonly toolCallId: string
      readonly content: AgUiContent
      readonly error?: string
    }
  | SentMessage

/** A call in an assistant's message. */
export interface AgUiCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

/** A message as the client sent it: its own fields are its own business. */
export interface SentMessage {
  readonly id: string
  readonly role: string
  readonly [field: string]: unknown
}

/** What a run waits for, as its client is asked. */
export interface AgUiInterrupt {
  readonly id: string
  readonly reason: string
  readonly message: string
  readonly toolCallId?: string
  readonly responseSchema: object
  readonly expiresAt?: string
  readonly metadata: Readonly<Record<string, unknown>>
}

/** Tokens by provider and model. Absent: nobody counted. */
export interface AgUiUsage {
  readonly provider?: string
  readonly model?: string
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly totalTokens?: number
  readonly reasoningTokens?: number
  readonly cachedInputTokens?: number
  readonly cacheWriteInputTokens?: number
}

type RunFields = { readonly threadId: string; readonly runId: string }
type Text = { readonly messageId: string }
type Call = { readonly toolCallId: string }
type Child = { readonly subagentRunId: string }
/** Members of ours, under a key of ours. */
type Ours = { readonly metadata?: { readonly signalbox: Readonly<Record<string, unknown>> } }

/** One event of the stream. */
export type AgUiEvent =
  | ({ readonly type: 'RUN_STARTED'; readonly protocolVersion: string } & RunFields &
      Ours & {
        readonly parentRunId?: string
      })
  | ({
      readonly type: 'RUN_FINISHED'
      readonly outcome:
        | { readonly type: 'success' | 'cancelled' }
        | { readonly type: 'interrupt'; readonly interrupts: readonly AgUiInterrupt[] }
      readonly usage?: readonly AgUiUsage[]
    } & RunFields &
      Ours)
  | ({
      readonly type: 'RUN_ERROR'
      readonly message: string
      readonly code: string
      readonly usage?: readonly AgUiUsage[]
    } & Ours)
  | { readonly type: 'STEP_STARTED' | 'STEP_FINISHED'; readonly stepName: string }
  | ({ readonly type: 'TEXT_MESSAGE_START'; readonly role: 'assistant' } & Text)
  | ({ readonly type: 'TEXT_MESSAGE_CONTENT'; readonly delta: string } & Text)
  | ({ readonly type: 'TEXT_MESSAGE_END' } & Text)
  | ({
      readonly type: 'TOOL_CALL_START'
      readonly toolCallName: string
      readonly parentMessageId: string
    } & Call)
  | ({ readonly type: 'TOOL_CALL_ARGS'; readonly delta: string } & Call)
  | ({ readonly type: 'TOOL_CALL_END' } & Call)
  | ({
      readonly type: 'TOOL_CALL_RESULT'
      readonly messageId: string
      readonly role: 'tool'
      readonly content: AgUiContent
    } & Call &
      Ours)
  | { readonly type: 'STATE_SNAPSHOT'; readonly snapshot: unknown }
  | { readonly type: 'MESSAGES_SNAPSHOT'; readonly messages: readonly AgUiMessage[] }
  | { readonly type: 'CUSTOM'; readonly name: string; readonly value: unknown }
  | ({
      readonly type: 'SUBAGENT_STARTED'
      readonly name: string
      readonly parentToolCallId: string
    } & Child)
  | ({
      readonly type: 'SUBAGENT_FINISHED'
      readonly outcome: { readonly type: 'success' | 'suspended' }
    } & Child)
  | ({ readonly type: 'SUBAGENT_ERROR'; readonly message: string; readonly code: string } & Child)

/** An event as the HTTP binding frames it: JSON has no raw line breaks, so one `data:` line is enough. */
export const agUiFrame = (event: AgUiEvent): string => `data: ${JSON.stringify(event)}\n\n`
