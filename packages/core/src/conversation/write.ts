/**
 * Writing a conversation as a prompt: results behind their calls, in call order; nothing empty; ids and names that
 * every provider accepts. Deterministic: the same conversation is always written the same.
 */
import type { AssistantPart, ContentPart, ToolOutput } from '../message.ts'
import type { Prompt, PromptMessage, ToolResult } from '../prompt.ts'
import { acceptable, isBlank } from './pairing.ts'
import { missingResult } from './result.ts'

export interface Said {
  readonly type: 'said'
  readonly parts: readonly ContentPart[]
}

export interface Answer {
  readonly type: 'answered'
  readonly id: string
  readonly parts: readonly AssistantPart[]
  /** Did the stream close positively? */
  readonly closed: boolean
  /** A stream guardrail ended this attempt: it is history of its own, and the next attempt does not replace it. */
  readonly corrected?: boolean
}

export type Entry = Said | Answer

export function writePrompt(conversation: {
  readonly instructions: string
  /** Instructions that came with what was said. */
  readonly given: readonly string[]
  readonly entries: readonly Entry[]
  readonly results: ReadonlyMap<string, ToolOutput>
  /** Said after everything else, never between calls and their results. */
  readonly reminders: readonly string[]
}): Prompt {
  const { instructions, given, entries, results, reminders } = conversation
  const messages: PromptMessage[] = []
  const taken = new Set<string>()
  const system = systemText(instructions, given)
  if (system.trim()) messages.push({ role: 'system', text: system })
  for (const entry of entries) {
    if (entry.type === 'said') messages.push({ role: 'user', parts: entry.parts })
    else messages.push(...writeAnswer(entry, results, taken))
  }
  const text = reminders.join('\n\n')
  if (text) messages.push({ role: 'user', parts: [{ type: 'text', text }] })
  return merge(messages)
}

/** One message, since some models take no other; what a client gave stands behind what the agent says, and is marked. */
function systemText(instructions: string, given: readonly string[]): string {
  if (given.length === 0) return instructions
  const marked = ['Instructions of this conversation, given by its client:', ...given].join('\n\n')
  return instructions.trim() ? `${instructions}\n\n${marked}` : marked
}

function writeAnswer(
  answer: Answer,
  results: ReadonlyMap<string, ToolOutput>,
  taken: Set<string>,
): readonly PromptMessage[] {
  const answers: ToolResult[] = []
  const parts = answer.parts.filter(hasContent).map((part): AssistantPart => {
    if (part.type !== 'tool_call') return part
    const call = { ...part, id: freeId(part.id, taken), name: writtenName(part.name) }
    const output = nonEmpty(results.get(part.id) ?? missingResult)
    answers.push({ callId: call.id, toolName: call.name, output })
    return call
  })
  if (parts.every((part) => part.type === 'reasoning')) return []
  const said: PromptMessage = { role: 'assistant', id: answer.id, parts }
  return answers.length === 0 ? [said] : [said, { role: 'tool', results: answers }]
}

/** A model may call anything anything; what was no name was denied, and must not spoil every later request. */
const writtenName = (name: string): string => (acceptable(name) ? name : 'unknown_tool')

/** The id a call goes out with: its own, unless that is taken or no id. */
function freeId(id: string, taken: Set<string>): string {
  const own = acceptable(id) ? id : 'call'
  let free = own
  for (let n = 2; taken.has(free); n++) free = `${own.slice(0, 56)}_${n}`
  taken.add(free)
  return free
}

const hasContent = (part: AssistantPart): boolean =>
  part.type === 'reasoning' ? part.text !== '' || part.meta !== undefined : !isBlank(part)

/** Providers refuse empty results. */
function nonEmpty(output: ToolOutput): ToolOutput {
  const content = output.content.filter((part) => !isBlank(part))
  return content.length > 0
    ? { ...output, content }
    : { ...output, content: [{ type: 'text', text: '(no output)' }] }
}

/** Adjacent messages of a user, or answers, become one: some providers want strict alternation. */
function merge(messages: readonly PromptMessage[]): Prompt {
  const merged: PromptMessage[] = []
  for (const message of messages) {
    const last = merged.at(-1)
    if (message.role === 'user' && last?.role === 'user')
      merged[merged.length - 1] = { role: 'user', parts: [...last.parts, ...message.parts] }
    else if (message.role === 'assistant' && last?.role === 'assistant')
      merged[merged.length - 1] = { ...message, parts: [...last.parts, ...message.parts] }
    else merged.push(message)
  }
  return merged
}
