/** A conversation while it is read from events: what was said, by whom, in order. */
import type { AssistantPart, ContentPart } from '../message.ts'
import { Entries, Results } from './entries.ts'
import { GivenInstructions } from './instructions.ts'
import type { PinnedMemory } from '../memory/shown.ts'
import { nowhere, type SaidAt, HeardRuns } from './place.ts'
import { TurnChanges } from './turn-changes.ts'
import type { EntryReader } from './entry-reader.ts'
import { ShownImages } from './shown-images.ts'
import type { Said } from './write.ts'

/** Grows event by event. */
export class Conversation {
  /** The words of the agent before everything else, in the role of the user. */
  readonly head: readonly ContentPart[]
  readonly entries = new Entries()
  readonly results = new Results()
  /** Which images give way to others. */
  readonly images = new ShownImages()
  /** Calls whose results gave way to a line. */
  readonly cleared = new Set<string>()
  /** How far it was cleared, and as what; null: never. */
  clearing: { readonly as: string; readonly reading: EntryReader } | null = null
  readonly runs = new HeardRuns()
  /** The event that was taken last. */
  now: SaidAt = nowhere
  /** System messages that came as input. */
  readonly instructions = new GivenInstructions()
  /** Said to the model once, after everything else, in every attempt of the turn that follows; newest last. */
  reminders: string[] = []
  /** Said to the current run by the events of these numbers, and not shown to the model yet. */
  waiting: { readonly seq: number; readonly said: readonly Said[] }[] = []
  /** Where the words of the current run begin. */
  from = 0
  /** The files that calls of the turn at hand changed. */
  readonly changes = new TurnChanges()
  /** The first event of the current run. */
  begun: SaidAt = nowhere
  /** The notes about the user that the current run has pinned; null: none yet. */
  pinned: PinnedMemory | null = null
  /** Were there ever any? */
  hasNotes = false

  /** `head`: empty for none. */
  constructor(head = '') {
    this.head = head === '' ? [] : [{ type: 'text', text: head }]
  }
}

const remindersMax = 4

/** Queues a reminder: no duplicates, the newest few. */
export function remind(conversation: Conversation, text: string): void {
  const others = conversation.reminders.filter((each) => each !== text)
  conversation.reminders = [...others, text].slice(-remindersMax)
}

/** The words that were said to the current run up to this event stand here from now on. */
export function hear(conversation: Conversation, through: number): void {
  const { entries, waiting, now } = conversation
  for (const { seq, said } of waiting)
    if (seq <= through) entries.push(...said.map((each) => ({ ...each, at: now })))
  conversation.waiting = waiting.filter(({ seq }) => seq > through)
}

/** The answer under this id says `text` in the place of its calls; one that was never begun says it alone. */
export function force(conversation: Conversation, id: string, text: string): void {
  const { entries, now: at } = conversation
  const found = entries.answer(id)?.answer
  const said = found?.parts ?? []
  const kept = said.filter((part) => part.type !== 'tool_call')
  const parts: AssistantPart[] = [...kept, { type: 'text', text }]
  entries.put({ at, ...found, type: 'answered', id, parts, closed: true, closedWell: false })
}

/** An attempt that a guardrail ended stays, with its feedback, as the model's own correction of itself. */
export function correct(conversation: Conversation, id: string, feedback: string): void {
  const { entries, now: at } = conversation
  const found = entries.answer(id)?.answer
  const parts: AssistantPart[] = [...(found?.parts ?? []), { type: 'text', text: feedback }]
  entries.put({ at, ...found, type: 'answered', id, parts, closed: true, corrected: true })
  // Some providers refuse a request that ends with an answer.
  const goOn = 'Answer again, with this corrected.'
  entries.push({ type: 'said', at, parts: [{ type: 'text', text: goOn }] })
}

/** After a refusal, by the agent's policy: the refused exchange goes, or everything before it too. */
export function forgetRefused(
  conversation: Conversation,
  policy: 'keep' | 'drop-turn' | 'reset-context',
): void {
  if (policy === 'keep') return
  conversation.entries.cut(policy === 'reset-context' ? 0 : conversation.from)
}
