/**
 * Versions of event payloads. Stored events are never rewritten (their hash stands); an older payload is lifted to the
 * newest version when it is read. A type without an entry in `versions` is at version 1.
 */
import type { JsonObject } from '../json.ts'
import { decisionSchemas } from './decision.ts'
import { type Fact, factSchemas, isFactType } from './fact.ts'
import { noteSchemas } from './note.ts'
import { NewerError } from '../newer.ts'

/** The newest version of each type that has more than one. */
const versions: Readonly<Record<string, number>> = {}

/** `upcasters[type][n]` lifts a payload from version n to n + 1. */
const upcasters: Readonly<
  Record<string, Readonly<Record<number, (payload: JsonObject) => JsonObject>>>
> = {}

/** The version in which new events of a type are written. */
export const currentVersion = (type: string): number => versions[type] ?? 1

/** Lifts a payload to the newest version. Throws a `NewerError` for a version newer than this code knows. */
export function upcast(type: string, version: number, payload: JsonObject): JsonObject {
  const current = currentVersion(type)
  if (version > current) throw new NewerError(`${type} v${version}`)
  let lifted = payload
  for (let v = version; v < current; v++) {
    const step = upcasters[type]?.[v]
    if (!step) throw new Error(`no upcaster for ${type} from v${v}`)
    lifted = step(lifted)
  }
  return lifted
}

/** All payload schemas by event type, for documentation and for checks at the boundary. */
export const eventSchemas = { ...factSchemas, ...decisionSchemas, ...noteSchemas } as const
/** Types of events. */
export type EventType = keyof typeof eventSchemas

/** Is this the type of an event this code knows? */
export const isEventType = (type: string): type is EventType => Object.hasOwn(eventSchemas, type)

/** What kind of event a type is; the three never share a type. */
export function eventClass(type: EventType): 'fact' | 'decision' | 'note' {
  if (isFactType(type)) return 'fact'
  return Object.hasOwn(decisionSchemas, type) ? 'decision' : 'note'
}

/** The columns of a stored event that the decider reads, and those of a verdict, which a replay compares. */
export interface FoldableEvent {
  /** The run it is of; absent where all are of one. A moment of a run that is not named is found nowhere. */
  readonly runId?: string
  readonly seq: number
  readonly type: string
  readonly version: number
  readonly at: number
  readonly actor: string
  readonly tool?: string | null
  readonly verdict?: string | null
  readonly payload: JsonObject
}

/** Reads a stored event as a fact. Null for decisions and notes. Throws for a payload that is not what its type says. */
export function readFact(event: FoldableEvent): Fact | null {
  const { seq, at, actor, type } = event
  if (!isFactType(type)) return null
  const payload = payloadOf<object>(factSchemas[type], event)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `type` chose the schema; TypeScript cannot correlate the two
  return { seq, at, actor, type, payload } as Fact
}

/**
 * The payload of a stored event by the schema of its type, in the newest version. Throws a `NewerError` for a newer one, and for
 * what is not what the schema says. Whoever works by an event reads it so: in another version the same words may mean another thing.
 */
export const payloadOf = <P>(
  schema: { readonly parse: (payload: unknown) => P },
  { type, version, payload }: Pick<FoldableEvent, 'type' | 'version' | 'payload'>,
): P => schema.parse(upcast(type, version, payload))
