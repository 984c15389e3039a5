/**
 * Where an explanation shows each type of event. A type that is missing here does not compile, so that no new event is
 * forgotten: `beside` says on purpose that it is about no call, no answer and no end.
 */
import type { z } from 'zod'
import { type EventType, eventSchemas, payloadOf } from '../event/upcast.ts'
import type { JsonObject } from '../json.ts'

type Place = 'run' | 'answer' | 'decision' | 'verdict' | 'call' | 'attempt' | 'erasure' | 'beside'

const places = {
  'run.created': 'run',
  'run.admitted': 'beside',
  'model.completed': 'answer',
  'model.aborted': 'answer',
  'tool.completed': 'call',
  'tool.failed': 'call',
  'tool.denied': 'call',
  'tool.aborted': 'call',
  'tool.unknown': 'call',
  'tool.resolved': 'call',
  'recall.missed': 'call',
  'child.started': 'call',
  'child.ended': 'call',
  'budget.refused': 'call',
  'policy.answered': 'call',
  'approval.answered': 'call',
  'input.injected': 'beside',
  'input.answered': 'call',
  'cancel.requested': 'run',
  'timer.fired': 'run',
  'run.faulted': 'run',
  'run.transitioned': 'decision',
  'safety.suppressed': 'verdict',
  'turn.cut': 'verdict',
  'turn.continued': 'verdict',
  'answer.missing': 'verdict',
  'guardrail.tripped': 'verdict',
  'guardrail.stopped': 'verdict',
  'guardrail.redacted': 'verdict',
  'model.retried': 'verdict',
  'model.replaced': 'verdict',
  'call.denied': 'call',
  'policy.faulted': 'call',
  'policy.warned': 'call',
  'approval.requested': 'call',
  'approval.reused': 'call',
  'approval.skipped': 'call',
  'approval.expired': 'call',
  'loop.warned': 'verdict',
  'loop.stopped': 'verdict',
  'budget.warned': 'beside',
  'budget.exhausted': 'verdict',
  'rerun.stopped': 'call',
  'input.taken': 'beside',
  'input.left': 'beside',
  'event.ignored': 'call',
  'effect.started': 'attempt',
  'tool.late': 'call',
  'webhook.delivered': 'beside',
  'webhook.failed': 'beside',
  'webhook.replayed': 'beside',
  'payload.erased': 'erasure',
  'run.hidden': 'beside',
  'thread.hidden': 'beside',
  'state.repaired': 'beside',
  // Of the ledger, which is no run that asks for calls.
  'key.created': 'beside',
  'key.revoked': 'beside',
  'definition.used': 'beside',
  'assistant.changed': 'beside',
  'export.made': 'beside',
  'log.searched': 'beside',
  'user.pseudonymized': 'beside',
  'pause.set': 'beside',
  'pause.lifted': 'beside',
} as const satisfies Readonly<Record<EventType, Place>>

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

type TypesAt<P extends Place> = {
  [T in EventType]: (typeof places)[T] extends P ? T : never
}[EventType]

export type CallType = TypesAt<'call'>
export type VerdictType = TypesAt<'verdict'>
export type RunType = TypesAt<'run'>

/** The columns of a stored event that an explanation reads. */
export interface Explainable {
  readonly seq: number
  readonly type: string
  readonly version: number
  readonly at: number
  readonly actor: string
  readonly tool?: string | null
  readonly verdict?: string | null
  readonly key?: string | null
  readonly payload: JsonObject
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
  <P extends Place>(place: P) =>
  (event: Known): event is Known<TypesAt<P>> =>
    places[event.type] === place

export const isOfCall = isAt('call')
export const isVerdict = isAt('verdict')
export const isOfRun = isAt('run')
