/**
 * The catalogue of events: what is known of each type besides its schema, in one entry. A type without an entry does not compile.
 * Nothing outside of the decider has a list of types of its own.
 */
import { decisionEntries } from './entries/decisions.ts'
import { factEntries } from './entries/facts.ts'
import { noteEntries } from './entries/notes.ts'
import type { Entry, Parts, Tone } from './entry.ts'
import { JsonObjectSchema } from '../json.ts'
import { currentVersion, type EventType, eventSchemas, isEventType, upcast } from './upcast.ts'

type PayloadOf<T extends EventType> = ReturnType<(typeof eventSchemas)[T]['parse']>

const entries: { readonly [T in EventType]: Entry<PayloadOf<T>> } = {
  ...factEntries,
  ...decisionEntries,
  ...noteEntries,
}

/** An event as anybody has it who reads. */
interface Read {
  readonly type: string
  readonly version: number
  readonly payload: object
}

/** The parts of a line about an event. None for what cannot be read: it is newer than this build, or its payload was erased. */
export const partsOf = (event: Read, isVerbose: boolean): Parts =>
  asked(event, (entry, payload) => entry.says(payload, isVerbose)) ?? []

/** The sentence that an event puts in the place of an answer, or behind it; null if it does not. */
export const sentenceOf = (
  event: Read,
): { readonly messageId: string; readonly text: string } | null => {
  const { type } = event
  if (!isEventType(type) || !entries[type].sentence) return null
  const sentence = asked(event, (entry, payload) => entry.sentence?.(payload) ?? null)
  return sentence && sentence.text !== '' && sentence.messageId !== '' ? sentence : null
}

/** Is an event of this type a verdict that a user should hear of while the run goes on? */
export const isNotable = (type: string): boolean =>
  isEventType(type) && entries[type].isNotable === true

/** The texts that a search looks into, by type: JSON paths of Postgres into the payload. Types without any text are left out. */
export const searchedPaths: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(entries).flatMap(([type, { searched }]) =>
    searched.length > 0 ? [[type, searched]] : [],
  ),
)

/** How an event stands out among others. */
export const toneOf = (type: string): Tone => (isEventType(type) && entries[type].tone) || 'plain'

/** Asks the entry of an event; null for what cannot be read. */
function asked<R>(event: Read, ask: <P>(entry: Entry<P>, payload: P) => R): R | null {
  const { type, version, payload } = event
  if (!isEventType(type) || version > currentVersion(type)) return null
  const isOld = version < currentVersion(type)
  const parsed = eventSchemas[type].safeParse(
    isOld ? upcast(type, version, JsonObjectSchema.parse(payload)) : payload,
  )
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `type` chose both the entry and the schema; TypeScript cannot correlate the two
  return parsed.success ? ask(entries[type] as Entry<unknown>, parsed.data) : null
}
