/**
 * The wires and their good endings: a positive list, because reasons nobody knows yet must not execute anything (I23).
 */
import type { ModelConfig } from '@signalbox/core'

/** The streaming protocol a provider speaks. */
export type Wire = 'chat' | 'messages' | 'gemini' | 'responses' | 'converse'

const goodReasons: Readonly<Record<Wire, readonly string[]>> = {
  chat: ['stop', 'tool_calls', 'function_call'],
  messages: ['end_turn', 'tool_use', 'stop_sequence'],
  gemini: ['STOP'],
  responses: ['completed'],
  converse: ['end_turn', 'tool_use', 'stop_sequence'],
}

const lengthReasons: readonly string[] = [
  'length',
  'max_tokens',
  'max_output_tokens',
  'model_context_window_exceeded',
]

/** Is this exactly how a good answer ends on the wire? Letter case counts: what is not spelt so is not known. */
export function isGoodReason(wire: Wire, reason: string): boolean {
  return goodReasons[wire].includes(reason)
}

/** Is this, in any letter case, a good ending of any wire? */
export function isGoodReasonAnywhere(reason: string): boolean {
  const lower = reason.toLowerCase()
  return Object.values(goodReasons).some((good) => good.some((it) => it.toLowerCase() === lower))
}

/** Did the answer end because there was no more room for it? */
export function isLengthReason(reason: string): boolean {
  return lengthReasons.includes(reason.toLowerCase())
}

/** Words of documented reasons for an answer that is not whole: of Google, AWS, Anthropic, Cohere, Mistral and servers. */
const cutWords = new Set(
  'abort aborted block blocked blocklist cancel canceled cancelled context disconnected error exceeded exhausted fail failed failure filter filtered guardrail incomplete insufficient intervened interrupt interrupted language length limit malformed max maximum missing moderation no other overloaded partial pause paused policy prohibited recitation refusal refused rejected safety sensitive spii terminated timeout timedout too truncated unavailable unexpected unspecified violation'.split(
    ' ',
  ),
)

/** Does a vendor's reason, in whatever case and spelling (`UNEXPECTED_TOOL_CALL`, `maxTokens`), say that the answer is not whole? */
export function tellsOfCut(reason: string): boolean {
  const words = reason
    .slice(0, 200)
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
  return words.split(/[^a-z]+/).some((word) => cutWords.has(word))
}

/** The wire that a provider of the configuration speaks. */
export function wireOf(provider: ModelConfig['provider']): Wire {
  switch (provider) {
    case 'openai':
    case 'azure':
    case 'openai-compatible':
    case 'scripted':
      return 'chat'
    case 'openai-responses':
      return 'responses'
    case 'anthropic':
      return 'messages'
    case 'google':
      return 'gemini'
    case 'amazon-bedrock':
      return 'converse'
  }
}
