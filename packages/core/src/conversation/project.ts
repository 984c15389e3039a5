/**
 * The projection from events to a prompt: the conversation of a thread as one request to a model. Pure, and the same
 * for the same events. What it builds passes `pairing.ts` (I24) whatever happened before.
 *
 * P1 A message is said once: a retry of a turn replaces what the failed attempt had said, and the request that retries
 *    it does not show it.
 * P2 An answer that did not close positively has no calls here either (I23).
 * P3 What is said to a run that goes on stands where the machine took it, never between calls and their results.
 * P4 Every run that asks a model begins with the words of a user, or goes on from them, so no request begins or ends with an answer.
 * P5 What a client gives as a system message is an instruction of the conversation, behind those of the agent, and says whose it is.
 * P6 What was pruned stays so: a request differs from the one before only behind it, unless a prune lies between (`clear.ts`).
 * P7 What was cut is gone from the requests behind it, and stands in the log: a summary says it (`cut.ts`).
 * P8 Files that a run is given are listed behind the words of its last message, from its own event; an edit says nothing of files.
 * P9 The catalogue of skills stands before everything that is said, and stays: a summary replaces what is behind it. Skills that a user named
 *    stand behind the words of the last message, from the event of the run.
 * P10 An image stands where its part stands. A request shows no more of them than it may (`shown-images.ts`): one line stands for each other.
 * P11 A result says where a run that was started, and a call beside it, changed the same files without knowing of each other.
 * P12 Notes about the user stand before the words of the run that pinned them (`notes.ts`): a prompt holds a reference to each block.
 */
import { heardOf } from '../event/catalogue.ts'
import type { Heard } from '../event/entry.ts'
import type { FactPayload } from '../event/fact.ts'
import { type FoldableEvent, readFact } from '../event/upcast.ts'
import { partWords } from '../image/words.ts'
import type { AssistantPart, EditMessage, ImagePart, TextPart, UserMessage } from '../message.ts'
import type { PinnedMemory, ShownNotes } from '../memory/shown.ts'
import type { Prompt } from '../prompt.ts'
import type { ModelTurn } from '../turn.ts'
import { callsOf } from '../verdict/authorization/judge.ts'
import { explainSafety, isVisible } from '../verdict/safety/explain.ts'
import type { Moment } from '../room-measure.ts'
import type { ClearRule } from '../verdict/context/verdict.ts'
import { clear } from './clear.ts'
import { Conversation, correct, force, forgetRefused, hear, remind } from './conversation.ts'
import { cutThrough } from './cut.ts'
import { type CutSize, cutsOf } from './cuts.ts'
import { isCallAnswer } from './entries.ts'
import { imagesOf, tellFiles } from './given-files.ts'
import { notesShown, pinNotes } from './notes.ts'
import { isBlank } from './pairing.ts'
import { type ConversationPart, partOf } from './part.ts'
import type { SaidAt } from './place.ts'
import { deniedResult, resultOf, settledResult } from './result.ts'
import type { Texts } from './serialise.ts'
import { leaveOutImages } from './shown-images.ts'
import { Weights } from './weights.ts'
import { createConversationWriter, type Entry, type Said } from './write.ts'

/** A conversation that is read event by event, each once, and may be asked for its prompt at any time. */
export interface PromptProjection {
  take(event: FoldableEvent): void
  /** The prompt of what was taken. Its messages are the same objects as last time, as far as they have not changed. */
  prompt(): Prompt
  /** So many messages at the beginning of the last prompt are the same objects as in the one before. */
  readonly kept: number
  /** The places between turns at which what was taken could be made lighter, newest first. One of so many turns is told in any case. */
  cuts(rule: ClearRule, turns: number): readonly CutSize[]
  /** The images that the last prompt shows, oldest first. */
  images(): readonly ImagePart[]
  /** The notes that the run at hand has pinned; null: none so far. */
  readonly pinned: PinnedMemory | null
  /** The notes about the user that the conversation shows, and that hold; null: it shows none. */
  notes(): ShownNotes | null
  /** Does it hold a reference to notes, or did it? */
  readonly hasNotes: boolean
  /** The run at hand shows these: until a fact says so, or others. */
  pin(pinned: PinnedMemory): void
  /** The part up to a moment, to be summed up. `texts`: by their keys, long words that stand elsewhere. */
  part(through: Moment, texts?: Texts): ConversationPart
}

/** Begins a conversation under the instructions of an agent. `catalogue`: of its skills; empty for none. */
export function createProjection(instructions: string, catalogue = ''): PromptProjection {
  const conversation = new Conversation(catalogue)
  const writer = createConversationWriter(conversation)
  const weights = new Weights(conversation)
  return {
    take: (event) => take(conversation, event),
    prompt() {
      const { reminders } = conversation
      conversation.images.bringUp(conversation)
      return writer.write({ instructions, given: conversation.instructions, reminders })
    },
    get kept() {
      return writer.kept
    },
    get pinned() {
      return conversation.pinned
    },
    notes: () => (conversation.hasNotes ? notesShown(conversation.entries.all) : null),
    get hasNotes() {
      return conversation.hasNotes
    },
    pin: (pinned) => pin(conversation, pinned),
    part: (through, texts) => partOf(conversation, through, texts),
    cuts(rule, wanted) {
      conversation.images.bringUp(conversation)
      return cutsOf(conversation, weights, { rule, wanted, end: conversation.now })
    },
    images: () => conversation.images.in(conversation),
  }
}

/** Builds the prompt from the events of a thread's runs, oldest run first, each in order. */
export function project(
  instructions: string,
  events: Iterable<FoldableEvent>,
  catalogue = '',
): Prompt {
  const projection = createProjection(instructions, catalogue)
  for (const event of events) projection.take(event)
  return projection.prompt()
}

function take(conversation: Conversation, event: FoldableEvent): void {
  if (event.type === 'run.created') conversation.runs.begin(event.runId)
  conversation.now = { run: conversation.runs.current, seq: event.seq }
  const heard = heardOf(event)
  if (heard) return obey(conversation, heard)
  const fact = readFact(event)
  if (!fact) return
  if (fact.type === 'run.created') {
    const { payload } = fact
    // A run before it that was faulted took nothing; what goes on from before that has not heard it.
    if (!payload.base) hear(conversation, Infinity)
    conversation.waiting = []
    const { history = [] } = payload
    conversation.entries.push(...written(conversation, heeded(conversation, history)))
    conversation.from = conversation.entries.all.length
    conversation.begun = conversation.now
    conversation.pinned = null
    // One that sums up says nothing.
    if (payload.compact) return
    const said = payload.edit
      ? written(conversation, payload.edit.messages)
      : withBlocks(conversation, begun(conversation, heeded(conversation, payload.input)), payload)
    conversation.entries.push(...said)
    conversation.reminders = []
    return
  }
  if (fact.type === 'model.completed') {
    const { turn, pinned } = fact.payload
    conversation.changes.clear()
    if (pinned?.memory) pin(conversation, pinned.memory)
    return answer(conversation, turn)
  }
  if (fact.type === 'approval.answered') return edit(conversation, fact.payload)
  if (fact.type === 'context.compacted') return cutThrough(conversation, fact.payload)
  if (fact.type === 'input.injected') {
    const said = words(conversation, fact.payload.messages)
    conversation.waiting.push({ seq: fact.seq, said })
    return
  }
  const result = resultOf(fact)
  if (!result) return
  conversation.results.set(result.callId, result.output)
  const remark = conversation.changes.take(fact, event.runId ?? '')
  if (remark !== null) conversation.results.remark(result.callId, remark)
}

/** Takes what a decision says to the model. */
function obey(conversation: Conversation, heard: Heard): void {
  switch (heard.as) {
    case 'denial':
      return conversation.results.set(heard.callId, deniedResult(heard.code, heard.message))
    case 'result':
      return conversation.results.set(heard.callId, settledResult(heard.text))
    case 'remark':
      return conversation.results.remark(heard.callId, heard.text)
    case 'reminder':
      return remind(conversation, heard.text)
    case 'sentence':
      return force(conversation, heard.messageId, heard.text)
    case 'input':
      return hear(conversation, heard.through)
    case 'continuation':
      closeAs(conversation, heard.messageId)
      return remind(conversation, heard.text)
    case 'correction':
      return correct(conversation, heard.messageId, heard.text)
    case 'refusal':
      return forgetRefused(conversation, heard.context)
    case 'pruning': {
      const { through, rule } = heard
      if (rule.images !== undefined) leaveOutImages(conversation, rule.images)
      if (through) clear(conversation, conversation.runs.placeOf(through), rule)
      return
    }
  }
}

function pin(conversation: Conversation, pinned: PinnedMemory): void {
  conversation.hasNotes ||= pinned.notes.length > 0
  pinNotes(conversation, pinned)
}

/** An answer that was cut, and that another turn goes on from, stays. */
function closeAs(conversation: Conversation, id: string): void {
  const { entries } = conversation
  const found = entries.answer(id)
  if (found) entries.replace(found.at, { ...found.answer, closed: true })
}

/** The model reads its call as a human changed it: what it will see is the result of that one. */
function edit(
  { entries, results }: Conversation,
  { callId, decision, edited }: FactPayload<'approval.answered'>,
): void {
  // Of a call that has its result already, the answer came too late.
  if (decision !== 'edit' || !edited || results.has(callId)) return
  for (const [at, entry] of entries.all.entries()) {
    if (entry.type !== 'answered') continue
    if (!entry.parts.some((part) => part.type === 'tool_call' && part.id === callId)) continue
    const parts = entry.parts.map((part) =>
      part.type === 'tool_call' && part.id === callId ? { ...part, ...edited } : part,
    )
    entries.replace(at, { ...entry, parts })
  }
}

const noInput = (at: SaidAt): Said => ({
  type: 'said',
  at,
  parts: [{ type: 'text', text: '(no input)' }],
})

/** System messages become instructions of the conversation; answers the others. What is stored elsewhere stays where it was said. */
function heeded<Message extends EditMessage>(
  { instructions }: Conversation,
  input: readonly Message[],
): readonly Message[] {
  return input.filter(({ role, parts }) => {
    const texts = parts.map((part) => (part.type === 'text' ? part.text : null))
    if (role !== 'system' || texts.includes(null)) return true
    const text = texts.join('\n').trim()
    if (text !== '') instructions.give(text)
    return false
  })
}

/** A run that goes on from the words of a user needs none of its own. */
function begun(conversation: Conversation, input: readonly UserMessage[]): readonly Said[] {
  const { entries } = conversation
  return input.length === 0 && entries.all.at(-1)?.type === 'said' ? [] : words(conversation, input)
}

/** The list of the files, and the skills that were named, stand behind what came with them, in the same message. */
function withBlocks(
  { now: at }: Conversation,
  said: readonly Said[],
  { files, skills = [] }: FactPayload<'run.created'>,
): readonly Said[] {
  const text = files && tellFiles(files)
  const list = text === undefined || text === null ? [] : [{ type: 'text' as const, text }]
  const parts = [...list, ...(files ? imagesOf(files) : []), ...skills.flatMap(({ body }) => body)]
  if (parts.length === 0) return said
  const last = said.at(-1)
  if (!last) return [{ type: 'said', at, parts }]
  return [...said.slice(0, -1), { ...last, parts: [...last.parts, ...parts] }]
}

function words({ now: at }: Conversation, input: readonly UserMessage[]): readonly Said[] {
  const entries = input.flatMap((message): Said[] => {
    const parts = message.parts.filter((part) => !isBlank(part))
    return parts.length > 0 ? [{ type: 'said', id: message.id, at, parts }] : []
  })
  return entries.length > 0 ? entries : [noInput(at)]
}

/** An answer that somebody wrote stands behind words, as every answer does (P4). */
function written(
  { entries, now: at }: Conversation,
  messages: readonly EditMessage[],
): readonly Entry[] {
  const said = messages.flatMap(({ id, role, parts }): Entry[] => {
    const kept = parts.filter((part) => !isBlank(part))
    if (kept.length === 0) return []
    if (role !== 'assistant') return [{ type: 'said', id, at, parts: kept }]
    // No model answers with an image.
    const spoken = kept.map((part) => (part.type === 'image' ? asWords(part) : part))
    return [{ type: 'answered', id, at, parts: spoken, closed: true }]
  })
  const isFirst = entries.all.length === 0 && said[0]?.type === 'answered'
  return isFirst ? [noInput(at), ...said] : said
}

const asWords = (part: ImagePart): TextPart => ({ type: 'text', text: partWords(part) })

function answer(conversation: Conversation, turn: ModelTurn): void {
  const { entries, now: at } = conversation
  // An answer that says nothing may be asked for again: then the next one stands in its place.
  const closed = turn.verdict === 'complete' && (isVisible(turn) || callsOf(turn).length > 0)
  const before = entries.answer(turn.message.id)
  if (before?.answer.closed) return
  // Told once more, after the answer of a later turn: the machine ignores it, too.
  if (before && entries.all.findLastIndex(isCallAnswer) > before.at) return
  if (before) entries.remove(before.at)
  const { id } = turn.message
  const closedWell = turn.verdict === 'complete'
  entries.push({ type: 'answered', id, at, parts: shown(turn), closed, isTurn: true, closedWell })
  if (closed) conversation.reminders = []
}

/** An answer that did not close positively says so, under its own id. */
function shown(turn: ModelTurn): readonly AssistantPart[] {
  const { parts } = turn.message
  // A guardrail's word comes with the event that says what follows.
  const text = turn.trip ? null : explainSafety(turn)
  const kept =
    turn.verdict === 'complete'
      ? parts
      : parts.filter((part) => part.type !== 'tool_call' && part.type !== 'provider_tool')
  return text ? [...kept, { type: 'text', text }] : kept
}
