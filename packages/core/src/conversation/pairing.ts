/**
 * The pairing validator (I24), run on every prompt before it goes out. No provider package checks any of this, and
 * most providers answer 400. A violation is a bug of ours, so it is reported, never repaired here.
 */
import type { AssistantPart, ContentPart, ToolCallPart } from '../message.ts'
import type { Prompt, PromptMessage } from '../prompt.ts'

/** A rule of the checklist that a prompt breaks, and where. */
export interface PairingViolation {
  /** Index of the message in the prompt. */
  readonly at: number
  readonly rule:
    | 'system_first'
    | 'user_first'
    | 'unique_call_id'
    | 'result_adjacent'
    | 'result_order'
    | 'orphan_result'
    | 'empty_message'
    | 'empty_result'
    | 'call_name'
    | 'call_id'
    | 'last_role'
    | 'alternation'
}

/** Names and ids that every provider accepts. */
export const acceptable = (word: string): boolean => /^[a-zA-Z0-9_-]{1,64}$/.test(word)

/** Text of nothing but spaces: some providers refuse it, wherever it stands. */
export const isBlank = (part: AssistantPart | ContentPart): boolean =>
  part.type === 'text' && part.text.trim() === ''

const isEmpty = (parts: readonly (AssistantPart | ContentPart)[]): boolean =>
  parts.length === 0 || parts.some(isBlank)

const callsIn = (message: PromptMessage | undefined): readonly ToolCallPart[] =>
  message?.role === 'assistant' ? message.parts.filter((part) => part.type === 'tool_call') : []

/** Every violation of the checklist; empty for a prompt that may be sent. */
export const checkPairing = (prompt: Prompt): readonly PairingViolation[] =>
  createPairing()(prompt, 0)

/** Messages that were checked, each without a violation, and the ids of the calls in them. */
class Checked {
  readonly #ids = new Set<string>()
  readonly #calls: (readonly ToolCallPart[])[] = []

  get messages(): number {
    return this.#calls.length
  }

  has(id: string): boolean {
    return this.#ids.has(id)
  }

  add(message: PromptMessage | undefined): void {
    const calls = callsIn(message)
    for (const { id } of calls) this.#ids.add(id)
    this.#calls.push(calls)
  }

  /** The messages behind so many are to be checked anew. */
  backTo(messages: number): void {
    while (this.#calls.length > messages)
      for (const { id } of this.#calls.pop() ?? []) this.#ids.delete(id)
  }
}

/**
 * Checks a conversation again and again, while it grows: what was checked is not checked again, as far as the first `kept` messages are
 * those of the last time. The last two are, for what they must be depends on what follows.
 */
export function createPairing(): (prompt: Prompt, kept: number) => readonly PairingViolation[] {
  const checked = new Checked()
  return (prompt, kept) => {
    // The last unchanged message is checked again, because the rules for it depend on the message behind it.
    checked.backTo(Math.max(0, kept - 1))
    const violations: PairingViolation[] = []
    const first = prompt.findIndex((message) => message.role !== 'system')
    if (prompt[first]?.role !== 'user')
      violations.push({ at: Math.max(0, first), rule: 'user_first' })
    const fresh = new Set<string>()
    const isTaken = (id: string): boolean => checked.has(id) || fresh.has(id)
    for (let at = checked.messages; at < prompt.length; at += 1) {
      for (const rule of checkMessage(prompt, at, isTaken)) violations.push({ at, rule })
      for (const call of callsIn(prompt[at])) fresh.add(call.id)
    }
    const last = prompt.at(-1)?.role
    if (last !== 'user' && last !== 'tool')
      violations.push({ at: Math.max(0, prompt.length - 1), rule: 'last_role' })
    if (violations.length === 0)
      for (const message of prompt.slice(checked.messages, -2)) checked.add(message)
    return violations
  }
}

function checkMessage(
  prompt: Prompt,
  at: number,
  isTaken: (id: string) => boolean,
): readonly PairingViolation['rule'][] {
  const message = prompt[at]
  const before = prompt[at - 1]
  if (!message) return []
  const alternates = message.role !== before?.role || message.role === 'system'
  const alternation: readonly PairingViolation['rule'][] = alternates ? [] : ['alternation']
  switch (message.role) {
    case 'system':
      return before && before.role !== 'system' ? ['system_first'] : []
    case 'user':
      return [...alternation, ...(isEmpty(message.parts) ? ['empty_message' as const] : [])]
    case 'assistant':
      return [...alternation, ...checkAssistant(message, prompt[at + 1], isTaken)]
    case 'tool':
      return [...alternation, ...(callsIn(before).length === 0 ? ['orphan_result' as const] : [])]
  }
}

function checkAssistant(
  message: Extract<PromptMessage, { readonly role: 'assistant' }>,
  next: PromptMessage | undefined,
  isTaken: (id: string) => boolean,
): readonly PairingViolation['rule'][] {
  const rules: PairingViolation['rule'][] = []
  if (isEmpty(message.parts)) rules.push('empty_message')
  const calls = callsIn(message)
  const ids = calls.map((call) => call.id)
  if (new Set(ids).size !== ids.length || ids.some(isTaken)) rules.push('unique_call_id')
  if (calls.some((call) => !acceptable(call.name))) rules.push('call_name')
  if (!ids.every(acceptable)) rules.push('call_id')
  if (calls.length === 0) return rules
  if (next?.role !== 'tool') return [...rules, 'result_adjacent']
  const answered = next.results.map((result) => result.callId)
  const inOrder = answered.length === ids.length && ids.every((id, n) => answered[n] === id)
  if (!inOrder || next.results.some((result, n) => result.toolName !== calls[n]?.name))
    rules.push('result_order')
  if (next.results.some((result) => isEmpty(result.output.content))) rules.push('empty_result')
  return rules
}
