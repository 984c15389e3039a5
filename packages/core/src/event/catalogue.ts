/**
 * The catalogue of events: what is known of each type, in one entry. A type without an entry does not compile. No other place has a list of
 * types that an entry could tell.
 */
import { decisionEntries } from './entries/decisions.ts'
import { factEntries } from './entries/facts.ts'
import { noteEntries } from './entries/notes.ts'
import type { CatalogueEntry, Heard, LineParts, Sentence, SettledKind, Tone } from './entry.ts'
import type { EffectKind } from '../effect.ts'
import { JsonObjectSchema } from '../json.ts'
import type { Outcome } from '../outcome.ts'
import {
  currentVersion,
  type EventType,
  eventSchemas,
  type FoldableEvent,
  isEventType,
  payloadOf,
  upcast,
} from './upcast.ts'

type PayloadOf<T extends EventType> = ReturnType<(typeof eventSchemas)[T]['parse']>

/** The entries as they were written: the type of each knows where the event has its place. */
export const catalogue = { ...factEntries, ...decisionEntries, ...noteEntries }

const entries: { readonly [T in EventType]: CatalogueEntry<PayloadOf<T>> } = catalogue

/** An event as anybody has it who reads. */
interface Read {
  readonly type: string
  readonly version: number
  readonly payload: object
}

/** All types of events. */
export const eventTypes: readonly EventType[] = Object.keys(eventSchemas).filter(isEventType)

const typesWhere = (is: (entry: CatalogueEntry<never>) => boolean): readonly EventType[] =>
  eventTypes.filter((type) => is(entries[type]))

/** Types of events that carry conversation: all that `project` reads. A store or a cache of conversations keeps these. */
export const conversationTypes = typesWhere(
  ({ isConversation, heard }) => isConversation === true || heard !== undefined,
)

const conversational = new Set<string>(conversationTypes)

/** Does an event of this type carry conversation? */
export const isConversational = (type: string): boolean => conversational.has(type)

/** Types of verdicts by which runs end with this outcome. */
export const typesEnding = (outcome: Outcome): readonly EventType[] =>
  typesWhere(({ endsAs }) => endsAs === outcome)

/** Types of events that have a schema, and that nothing writes yet. */
export const reservedTypes = typesWhere(({ isReserved }) => isReserved === true)

/** The parts of a line about an event. None for what cannot be read: it is newer than this build, or its payload was erased. */
export const linePartsOf = (event: Read, isVerbose: boolean): LineParts =>
  asked(event, (entry, payload) => entry.says(payload, isVerbose)) ?? []

/** The sentence that an event puts in the place of an answer, or behind it; null if it does not. */
export const sentenceOf = (event: Read): Sentence | null => {
  const { type } = event
  if (!isEventType(type) || !entries[type].sentence) return null
  const sentence = asked(event, (entry, payload) => entry.sentence?.(payload) ?? null)
  return sentence && sentence.text !== '' && sentence.messageId !== '' ? sentence : null
}

/** The words of an event to the model. Throws a `NewerError` for a newer version, and for what is not what the schema says. */
export function heardOf(event: FoldableEvent): Heard | null {
  const { type } = event
  if (!isEventType(type) || !entries[type].heard) return null
  return heardBy(entries[type], payloadOf<unknown>(eventSchemas[type], event))
}

const heardBy = (entry: unknown, payload: unknown): Heard | null =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type of the event chose both the entry and the schema; TypeScript cannot correlate the two
  (entry as CatalogueEntry<unknown>).heard?.(payload) ?? null

/** Is an event of this type a verdict that a user should hear of while the run goes on? */
export const isNotable = (type: string): boolean =>
  isEventType(type) && entries[type].isNotable === true

/** Is an event of this type told to the run that started this one? */
export const isObjection = (type: string): boolean =>
  isEventType(type) && entries[type].isObjection === true

/** The effect that a fact of this type ends; null if it ends none. */
export const settles = (type: string): SettledKind | null =>
  (isEventType(type) && entries[type].settles) || null

/** The kind of effect that a fact of this type is about; null for none, or for several. */
export const effectKindOf = (type: string): EffectKind | null =>
  (isEventType(type) && entries[type].effect) || null

/** A payload as a run would write it. */
export const exampleOf = (type: EventType): object =>
  eventSchemas[type].parse(entries[type].example)

/** The texts that a search looks into, by type: JSON paths of Postgres into the payload. Types without any text are left out. */
export const searchedPaths: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(entries).flatMap(([type, { searched }]) =>
    searched.length > 0 ? [[type, searched]] : [],
  ),
)

/** How an event stands out among others. */
export const toneOf = (type: string): Tone => (isEventType(type) && entries[type].tone) || 'plain'

/** Asks the entry of an event; null for what cannot be read. */
function asked<R>(event: Read, ask: <P>(entry: CatalogueEntry<P>, payload: P) => R): R | null {
  const { type, version, payload } = event
  if (!isEventType(type) || version > currentVersion(type)) return null
  const isOld = version < currentVersion(type)
  const parsed = eventSchemas[type].safeParse(
    isOld ? upcast(type, version, JsonObjectSchema.parse(payload)) : payload,
  )
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `type` chose both the entry and the schema; TypeScript cannot correlate the two
  return parsed.success ? ask(entries[type] as CatalogueEntry<unknown>, parsed.data) : null
}
