/**
 * Writing a conversation as a prompt: results behind their calls, in call order; nothing empty; ids and names that
 * every provider accepts. Deterministic: the same conversation is always written the same.
 *
 * A writer remembers what it has written, and writes a conversation anew from the first entry that has changed: the cost of a turn is that of
 * what is new, but for one copy of the list of messages.
 */
import type { AssistantPart, ContentPart, ToolOutput } from '../message.ts'
import type { Prompt, PromptMessage, ToolResult } from '../prompt.ts'
import { type Entries, isCallAnswer, type Results } from './entries.ts'
import type { KeptInstructions } from './instructions.ts'
import type { SaidAt } from './place.ts'
import { acceptable, isBlank } from './pairing.ts'
import { EntryReader } from './entry-reader.ts'
import { missingResult } from './result.ts'
import type { ShownImages } from './shown-images.ts'

export interface Said {
  readonly type: 'said'
  /** Of the message; absent for words of ours. */
  readonly id?: string
  readonly at: SaidAt
  readonly parts: readonly ContentPart[]
  /** It stands for what was said before. */
  readonly isSummary?: true
  /** It refers to notes about the user. */
  readonly isMemory?: true
}

export interface CallAnswer {
  readonly type: 'answered'
  readonly id: string
  /** Where the answer stands that is shown. */
  readonly at: SaidAt
  readonly parts: readonly AssistantPart[]
  /** Did the stream close positively? */
  readonly closed: boolean
  /** A stream guardrail ended this attempt: it is history of its own, and the next attempt does not replace it. */
  readonly corrected?: boolean
  /** Did the model say it, as a turn of a run? */
  readonly isTurn?: true
  /** False: the stream did not close positively, or a sentence of ours ended it. */
  readonly closedWell?: boolean
}

export type Entry = Said | CallAnswer

/** The entries of a conversation, and what came of the calls in them. */
interface Heard {
  /** Stands before all of them, in the role of the user; empty for none. */
  readonly head: readonly ContentPart[]
  readonly entries: Entries
  readonly results: Results
  /** Which images are shown as such. */
  readonly images: Pick<ShownImages, 'visible'>
}

/** The frame of a conversation that is to be written. */
interface Frame {
  readonly instructions: string
  /** Instructions that came with what was said. */
  readonly given: KeptInstructions
  /** Said after everything else, never between calls and their results. */
  readonly reminders: readonly string[]
}

type SystemMessage = Extract<PromptMessage, { readonly role: 'system' }>

/** The place in what was written before an entry. */
interface Mark {
  readonly messages: number
  /** The last of them: what is of its role stands in it. */
  readonly newest: PromptMessage | undefined
  readonly ids: number
}

/** The messages that were written of the entries so far. */
class Written {
  /** Adjacent messages of one role are one. */
  readonly messages: PromptMessage[]
  /** Ids of calls that are in use, in order. */
  readonly #ids: string[] = []
  readonly #taken = new Set<string>()
  /** Of each entry that was written. */
  readonly #marks: Mark[] = []

  constructor(head: Heard['head']) {
    this.messages = head.length === 0 ? [] : [{ role: 'user', parts: head }]
  }

  get entries(): number {
    return this.#marks.length
  }

  /** The next entry is written. */
  begin(): void {
    const { messages } = this
    const newest = messages.at(-1)
    this.#marks.push({ messages: messages.length, newest, ids: this.#ids.length })
  }

  /** Forgets what was written of the entries behind so many. */
  backTo(entries: number): void {
    const mark = this.#marks[entries]
    if (!mark) return
    this.#marks.length = entries
    this.messages.length = mark.messages
    if (mark.newest) this.messages[mark.messages - 1] = mark.newest
    for (const id of this.#ids.splice(mark.ids)) this.#taken.delete(id)
  }

  /** The id a call goes out with: its own, unless that is taken or no id. */
  takeId(id: string): string {
    const own = acceptable(id) ? id : 'call'
    let free = own
    for (let n = 2; this.#taken.has(free); n++) free = `${own.slice(0, 56)}_${n}`
    this.#taken.add(free)
    this.#ids.push(free)
    return free
  }
}

/** Writes one conversation again and again, while it grows. A last answer that is not closed is left out. */
export interface ConversationWriter {
  write(frame: Frame): Prompt
  /** So many messages at the beginning of the last prompt are the same objects as in the one before. */
  readonly kept: number
}

export function createConversationWriter(heard: Heard): ConversationWriter {
  const { head, entries, results } = heard
  const written = new Written(head)
  const reading = new EntryReader({ entries, results })
  let said: SystemMessage = { role: 'system', text: '' }
  /** The last prompt: its system messages, and those that the next one can begin with. */
  let last: Last = { prompt: [], systems: 0, lasting: 0 }
  let kept = 0
  /** Says how many of the messages are those of the last prompt. */
  const bringUp = (): number => {
    const { all } = entries
    const open = all.at(-1)
    const until = isCallAnswer(open) && !open.closed ? all.length - 1 : all.length
    // An answer that is left out as the last may have been written while there was something behind it.
    written.backTo(reading.backTo(Math.min(reading.resume(), until)))
    const before = written.messages.length
    for (const entry of all.slice(written.entries, until)) {
      write(written, entry, heard)
      reading.read(entry)
    }
    // The newest message of then has grown, or was another one, if what is behind it is of its role.
    const stands = written.messages[before - 1] === last.prompt[last.systems + before - 1]
    return stands ? before : Math.max(0, before - 1)
  }
  return {
    write({ instructions, given, reminders }) {
      const stands = bringUp()
      const system = systemText(instructions, given)
      const isSame = system === said.text
      if (!isSame) said = { role: 'system', text: system }
      const systems = system.trim() ? 1 : 0
      const before: PromptMessage[] = systems === 1 ? [said] : []
      const prompt = before.concat(written.messages)
      const length = prompt.length
      const text = reminders.join('\n\n')
      if (text) add(prompt, { role: 'user', parts: [{ type: 'text', text }] })
      // A reminder that stands in the newest message makes another one of it.
      const lasting = text && prompt.length === length ? length - 1 : length
      kept =
        isSame && systems === last.systems ? Math.min(last.lasting, systems + stands, lasting) : 0
      last = { prompt, systems, lasting }
      return prompt
    },
    get kept() {
      return kept
    },
  }
}

interface Last {
  readonly prompt: Prompt
  readonly systems: number
  readonly lasting: number
}

/** The beginning of a conversation, in whole messages. */
export interface Beginning {
  readonly entries: number
  /** Those that say them, system messages not counted. */
  readonly messages: number
}

/** The longest beginning of no more than so many entries that ends with a message to which an answer adds nothing. */
export function wholeBeginning(heard: Heard, most: number): Beginning {
  const written = new Written(heard.head)
  let found: Beginning = { entries: 0, messages: 0 }
  for (const entry of heard.entries.all.slice(0, most)) {
    write(written, entry, heard)
    if (written.messages.at(-1)?.role !== 'assistant')
      found = { entries: written.entries, messages: written.messages.length }
  }
  return found
}

function write(written: Written, entry: Entry, heard: Heard): void {
  written.begin()
  const { messages } = written
  if (entry.type === 'said')
    return add(messages, { role: 'user', parts: heard.images.visible(entry.parts) })
  for (const message of writeAnswer(entry, heard, written)) add(messages, message)
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
function systemText(instructions: string, { texts, leftOut }: KeptInstructions): string {
  if (texts.length === 0) return instructions
  const note = leftOut > 0 ? [`(${leftOut} earlier ones are left out.)`] : []
  const title = 'Instructions of this conversation, given by its client:'
  const marked = [title, ...note, ...texts].join('\n\n')
  return instructions.trim() ? `${instructions}\n\n${marked}` : marked
}

function writeAnswer(
  answer: CallAnswer,
  { results, images }: Heard,
  written: Written,
): readonly PromptMessage[] {
  const answers: ToolResult[] = []
  const parts = answer.parts.filter(hasContent).map((part): AssistantPart => {
    if (part.type !== 'tool_call') return part
    const call = { ...part, id: written.takeId(part.id), name: writtenName(part.name) }
    const result = nonEmpty(asShown(results.get(part.id) ?? missingResult, images))
    const output = withRemarks(result, results.remarksOn(part.id))
    answers.push({ callId: call.id, toolName: call.name, output })
    return call
  })
  if (parts.every((part) => part.type === 'reasoning')) return []
  const said: PromptMessage = { role: 'assistant', id: answer.id, parts }
  return answers.length === 0 ? [said] : [said, { role: 'tool', results: answers }]
}

/** The result with its images, or with a line for each that is not shown. */
function asShown(output: ToolOutput, images: Heard['images']): ToolOutput {
  const content = images.visible(output.content)
  return content === output.content ? output : { ...output, content: [...content] }
}

/** A model may call anything anything; what was no name was denied, and must not spoil every later request. */
const writtenName = (name: string): string => (acceptable(name) ? name : 'unknown_tool')

const hasContent = (part: AssistantPart): boolean =>
  part.type === 'reasoning' ? part.text !== '' || part.meta !== undefined : !isBlank(part)

/** No field of the result is lost: what we say of it stands behind what it says. */
const withRemarks = (output: ToolOutput, remarks: readonly string[]): ToolOutput =>
  remarks.length === 0
    ? output
    : {
        ...output,
        content: [...output.content, { type: 'text', text: remarks.join('\n') }],
      }

/** Providers refuse empty results. */
function nonEmpty(output: ToolOutput): ToolOutput {
  const content = output.content.filter((part) => !isBlank(part))
  return content.length > 0
    ? { ...output, content }
    : { ...output, content: [{ type: 'text', text: '(no output)' }] }
}
