/**
 * A prompt: the conversation as one request to a model, provider-neutral. `project.ts` builds it from events,
 * `pairing.ts` proves that each call has exactly one result, adjacent, in order (I24).
 */
import type { AssistantPart, ContentPart, ToolOutput } from './message.ts'

/** The one result of a call, as the model reads it. */
export interface ToolResult {
  readonly callId: string
  readonly toolName: string
  readonly output: ToolOutput
}

/** One message of a prompt. */
export type PromptMessage =
  | { readonly role: 'system'; readonly text: string }
  | { readonly role: 'user'; readonly parts: readonly ContentPart[] }
  | { readonly role: 'assistant'; readonly id: string; readonly parts: readonly AssistantPart[] }
  | { readonly role: 'tool'; readonly results: readonly ToolResult[] }

/** Messages in order: system first, then alternating. */
export type Prompt = readonly PromptMessage[]
