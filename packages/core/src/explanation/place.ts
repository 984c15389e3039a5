/** Events by the place that the catalogue gives them in an explanation, each with what its schema says of it. */
import type { z } from 'zod'
import { catalogue } from '../event/catalogue.ts'
import type { ExplanationPlace } from '../event/entry.ts'
import { type EventType, eventSchemas, type FoldableEvent, payloadOf } from '../event/upcast.ts'

/** An event with what its schema says of its payload. */
export type Known<T extends EventType = EventType> = {
  [K in T]: {
    readonly seq: number
    readonly at: number
    readonly actor: string
    readonly type: K
    readonly payload: z.infer<(typeof eventSchemas)[K]>
  }
}[T]

type TypesAt<P extends ExplanationPlace> = {
  [T in EventType]: (typeof catalogue)[T]['place'] extends P ? T : never
}[EventType]

export type CallType = TypesAt<'call'>
export type VerdictType = TypesAt<'verdict'>
export type RunType = TypesAt<'run'>

/** The columns of a stored event that an explanation reads. */
export interface Explainable extends FoldableEvent {
  readonly key?: string | null
  /** Empty once the content is erased. */
  readonly salt?: string
}

/** Reads an event by the schema of its type. Throws for what is not what its type says. */
export function known(event: Explainable, type: EventType): Known {
  const { seq, at, actor } = event
  const payload = payloadOf<object>(eventSchemas[type], event)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `type` chose the schema; TypeScript cannot correlate the two
  return { seq, at, actor, type, payload } as Known
}

const isAt =
  <P extends ExplanationPlace>(place: P) =>
  (event: Known): event is Known<TypesAt<P>> =>
    catalogue[event.type].place === place

export const isOfCall = isAt('call')
export const isPlacedAtVerdict = isAt('verdict')
export const isOfRun = isAt('run')
