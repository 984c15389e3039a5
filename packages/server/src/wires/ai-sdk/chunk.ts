/** Parts of the AI SDK's UI message stream, version 1: those that we send, each with the fields that we set. */

/** Why a message ends, in the SDK's words. */
export type FinishReason =
  | 'stop'
  | 'length'
  | 'content-filter'
  | 'tool-calls'
  | 'error'
  | 'interrupted'
  | 'other'

/** One part of the stream. */
export type Chunk =
  | { readonly type: 'start'; readonly messageId: string; readonly messageMetadata: object }
  | { readonly type: 'start-step' | 'finish-step' | 'reset-step' }
  /** What a user said to the run while it went on. */
  | {
      readonly type: 'steering-message'
      readonly id: string
      readonly parts: readonly { readonly type: 'text'; readonly text: string }[]
    }
  | { readonly type: TextKind<'start' | 'end'>; readonly id: string }
  | { readonly type: TextKind<'delta'>; readonly id: string; readonly delta: string }
  | (ToolInput & { readonly type: 'tool-input-available' })
  | (ToolInput & { readonly type: 'tool-input-error'; readonly errorText: string })
  | {
      readonly type: 'tool-approval-request'
      readonly approvalId: string
      readonly toolCallId: string
      readonly reason?: string
      /** Ours: what a page may show beside the question. */
      readonly approvalDescriptor?: object
      readonly isAutomatic?: boolean
    }
  | {
      readonly type: 'tool-approval-response'
      readonly approvalId: string
      readonly approved: boolean
      readonly reason?: string
    }
  | ToolOutput<'tool-output-available', { readonly output: unknown }>
  | ToolOutput<'tool-output-error', { readonly errorText: string }>
  | { readonly type: 'tool-output-denied'; readonly toolCallId: string }
  /** An image that a tool showed, at an address of this API. */
  | { readonly type: 'file'; readonly url: string; readonly mediaType: string }
  | {
      readonly type: `data-${string}`
      readonly id?: string
      readonly data: object
      readonly transient?: boolean
    }
  | { readonly type: 'message-metadata'; readonly messageMetadata: object }
  | {
      readonly type: 'finish'
      readonly finishReason: FinishReason
      readonly messageMetadata: object
    }
  | { readonly type: 'abort'; readonly reason: string }
  | { readonly type: 'error'; readonly errorText: string }

type TextKind<What extends string> = `text-${What}` | `reasoning-${What}`

interface ToolInput {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
  /** Always: no client is to execute a call of ours. */
  readonly providerExecuted?: true
}

type ToolOutput<Type extends string, What> = What & {
  readonly type: Type
  readonly toolCallId: string
  readonly providerExecuted?: true
}

/** A part as a server-sent event. */
export const chunkText = (chunk: Chunk): string => `data: ${JSON.stringify(chunk)}\n\n`

/** What ends every stream that was shown to its end. */
export const doneText = 'data: [DONE]\n\n'
