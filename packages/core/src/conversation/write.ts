/**
 * Writing a conversation as a prompt: results behind their calls, in call order; nothing empty; ids and names that
 * every provider accepts. Deterministic: the same conversation is always written the same.
 *
 * A writer remembers what it has written, entry by entry, and writes a conversation that has grown from where it was: the cost of a
 * turn is that of what is new, but for a comparison of what is not.
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

/** A conversation, as it is to be written. */
export interface Spoken {
  readonly instructions: string
  /** Instructions that came with what was said. */
  readonly given: readonly string[]
  readonly entries: readonly Entry[]
  readonly results: ReadonlyMap<string, ToolOutput>
  /** Said after everything else, never between calls and their results. */
  readonly reminders: readonly string[]
}

type SystemMessage = Extract<PromptMessage, { readonly role: 'system' }>

/** The messages that were written, and the entries and results they were written from. */
interface Written {
  readonly entries: Entry[]
  /** The results behind each entry, as they were. */
  readonly outputs: (readonly ToolOutput[])[]
  /** Ids of calls that are in use. */
  readonly ids: Set<string>
  /** Adjacent messages of one role are one. */
  readonly messages: PromptMessage[]
}

const nothingWritten = (): Written => ({
  entries: [],
  outputs: [],
  ids: new Set(),
  messages: [],
})

/** Writes one conversation again and again, while it grows. */
export function createWriter(): (spoken: Spoken) => Prompt {
  let written = nothingWritten()
  let said: SystemMessage = { role: 'system', text: '' }
  return ({ instructions, given, entries, results, reminders }) => {
    if (!beginsWith(entries, results, written)) written = nothingWritten()
    for (const entry of entries.slice(written.entries.length)) write(written, entry, results)
    const prompt: PromptMessage[] = []
    const system = systemText(instructions, given)
    if (system !== said.text) said = { role: 'system', text: system }
    if (system.trim()) prompt.push(said)
    for (const message of written.messages) prompt.push(message)
    const text = reminders.join('\n\n')
    if (text) add(prompt, { role: 'user', parts: [{ type: 'text', text }] })
    return prompt
  }
}

/** Does the conversation go on from what was written? */
function beginsWith(
  entries: readonly Entry[],
  results: ReadonlyMap<string, ToolOutput>,
  written: Written,
): boolean {
  return (
    written.entries.length <= entries.length &&
    written.entries.every((entry, at) => {
      if (entries[at] !== entry) return false
      const before = written.outputs[at] ?? []
      return before.length === 0 || sameOutputs(outputsOf(entry, results), before)
    })
  )
}

const sameOutputs = (one: readonly ToolOutput[], other: readonly ToolOutput[]): boolean =>
  one.every((output, n) => output === other[n])

/** The results of the calls of an entry, in their order. */
const outputsOf = (entry: Entry, results: ReadonlyMap<string, ToolOutput>): readonly ToolOutput[] =>
  entry.type === 'said'
    ? []
    : entry.parts.flatMap((part) =>
        part.type === 'tool_call' ? [results.get(part.id) ?? missingResult] : [],
      )

function write(written: Written, entry: Entry, results: ReadonlyMap<string, ToolOutput>): void {
  written.entries.push(entry)
  written.outputs.push(outputsOf(entry, results))
  if (entry.type === 'said') add(written.messages, { role: 'user', parts: entry.parts })
  else
    for (const message of writeAnswer(entry, results, written.ids)) add(written.messages, message)
}

/** Adjacent messages of a user, or answers, become one: some providers want strict alternation. */
function add(messages: PromptMessage[], message: PromptMessage): void {
  const last = messages.at(-1)
  if (message.role === 'user' && last?.role === 'user')
    messages[messages.length - 1] = { role: 'user', parts: [...last.parts, ...message.parts] }
  else if (message.role === 'assistant' && last?.role === 'assistant')
    messages[messages.length - 1] = { ...message, parts: [...last.parts, ...message.parts] }
  else messages.push(message)
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
