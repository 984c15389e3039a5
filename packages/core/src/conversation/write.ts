/**
 * Writing a conversation as a prompt: results behind their calls, in call order; nothing empty; ids and names that
 * every provider accepts. Deterministic: the same conversation is always written the same.
 *
 * A writer remembers what it has written, and writes a conversation that has grown from where it was: the cost of a turn is that of what
 * is new, but for one copy of the list of messages.
 */
import type { AssistantPart, ContentPart, ToolOutput } from '../message.ts'
import type { Prompt, PromptMessage, ToolResult } from '../prompt.ts'
import { type Entries, isCallAnswer, type Results } from './entries.ts'
import { acceptable, isBlank } from './pairing.ts'
import { missingResult } from './result.ts'

export interface Said {
  readonly type: 'said'
  readonly parts: readonly ContentPart[]
}

export interface CallAnswer {
  readonly type: 'answered'
  readonly id: string
  readonly parts: readonly AssistantPart[]
  /** Did the stream close positively? */
  readonly closed: boolean
  /** A stream guardrail ended this attempt: it is history of its own, and the next attempt does not replace it. */
  readonly corrected?: boolean
}

export type Entry = Said | CallAnswer

/** A conversation, as it is to be written. A last answer that is not closed is left out. */
export interface Spoken {
  readonly instructions: string
  /** Instructions that came with what was said. */
  readonly given: readonly string[]
  readonly entries: Entries
  readonly results: Results
  /** Said after everything else, never between calls and their results. */
  readonly reminders: readonly string[]
}

type SystemMessage = Extract<PromptMessage, { readonly role: 'system' }>

/** The messages that were written of the entries so far. */
class Written {
  entries = 0
  /** The first entry that has the call of an id. */
  readonly owners = new Map<string, number>()
  /** Ids of calls that are in use. */
  readonly ids = new Set<string>()
  /** Adjacent messages of one role are one. */
  readonly messages: PromptMessage[] = []
}

/** Writes one conversation again and again, while it grows. */
export interface ConversationWriter {
  write(spoken: Spoken): Prompt
  /** So many messages at the beginning of the last prompt are the same objects as in the one before. */
  readonly kept: number
}

export function createConversationWriter(): ConversationWriter {
  let written = new Written()
  let said: SystemMessage = { role: 'system', text: '' }
  /** The last prompt: its system messages, and those that the next one can begin with. */
  let last = { systems: 0, lasting: 0 }
  let kept = 0
  return {
    write({ instructions, given, entries, results, reminders }) {
      const unchanged = Math.min(entries.takeUnchanged(), firstOf(results.takeChanged(), written))
      if (unchanged < written.entries) {
        written = new Written()
        last = { systems: 0, lasting: 0 }
      }
      const { all } = entries
      const open = all.at(-1)
      const until = isCallAnswer(open) && !open.closed ? all.length - 1 : all.length
      const before = written.messages.length
      const newest = written.messages.at(-1)
      for (let at = written.entries; at < until; at += 1) write(written, at, { all, results })
      const system = systemText(instructions, given)
      if (system !== said.text) {
        said = { role: 'system', text: system }
        last = { systems: 0, lasting: 0 }
      }
      const systems = system.trim() ? 1 : 0
      // The newest message of then has grown, if what came was of its role.
      const stands = written.messages[before - 1] === newest ? before : before - 1
      const head: PromptMessage[] = systems === 1 ? [said] : []
      const prompt = head.concat(written.messages)
      const length = prompt.length
      const text = reminders.join('\n\n')
      if (text) add(prompt, { role: 'user', parts: [{ type: 'text', text }] })
      // A reminder that stands in the newest message makes another one of it.
      const lasting = text && prompt.length === length ? length - 1 : length
      kept = systems === last.systems ? Math.min(last.lasting, systems + stands, lasting) : 0
      last = { systems, lasting }
      return prompt
    },
    get kept() {
      return kept
    },
  }
}

/** The first entry of those written that has one of these calls; as many as there are, if none has. */
function firstOf(calls: ReadonlySet<string>, { owners, entries }: Written): number {
  let first = entries
  for (const call of calls) first = Math.min(first, owners.get(call) ?? entries)
  return first
}

function write(
  written: Written,
  at: number,
  { all, results }: { readonly all: readonly Entry[]; readonly results: Results },
): void {
  const entry = all[at]
  if (!entry) return
  written.entries = at + 1
  if (entry.type === 'said') return add(written.messages, { role: 'user', parts: entry.parts })
  for (const part of entry.parts)
    if (part.type === 'tool_call' && !written.owners.has(part.id)) written.owners.set(part.id, at)
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
  answer: CallAnswer,
  results: Results,
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
