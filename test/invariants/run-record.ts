/** What the invariants are checked on: runs as a register's tables hold them, and what the world saw of their effects. */
import { type AgentDefinition, type FactPayload, factSchemas } from '@signalbox/core'
import type { EffectRow, Lane, RunHead, StoredEvent } from '@signalbox/engine'

/** One run with everything that is stored of it. */
export interface RunRecord {
  readonly head: Pick<RunHead, 'runId' | 'threadId' | 'status' | 'stateName' | 'state'> & Standing
  /** In order of `seq`, with positions in the feed. */
  readonly log: readonly StoredEvent[]
  readonly effects: readonly EffectRecord[]
  readonly agent: AgentDefinition | undefined
  /** Of the run's tenant, hex; null while nothing was keyed. */
  readonly digestKey: string | null
}

/** Where a run stands among the others. Times in milliseconds since the epoch, by the register's clock. */
type Standing = Pick<RunHead, 'place' | 'dueAt' | 'multitask' | 'createdAt'> & {
  readonly lanes: readonly Lane[]
  /** Null before, and where nobody has kept it. */
  readonly admittedAt: number | null
}

export type EffectRecord = Pick<
  EffectRow,
  'effectId' | 'runId' | 'mode' | 'status' | 'spec' | 'attempt'
>

/** A tool that ran, as its own side effect recorded it, whatever the register says. */
export interface Execution {
  /** What the tool was handed as its idempotency key. */
  readonly effectId: string
  readonly attempt: number
  readonly runId: string
  readonly callId: string
  readonly tool: string
  /** sha256 of the arguments that the tool itself saw, whatever the run's digests are. */
  readonly argsHash: string
}

export const isStep = (event: StoredEvent): boolean => event.type === 'run.transitioned'

/** The decision that ended the run. */
export const isEnd = (event: StoredEvent): boolean =>
  isStep(event) && event.payload['outcome'] !== null

/** Does the run change the conversation, and ask no model? */
export const isEdit = ({ log: [first] }: Pick<RunRecord, 'log'>): boolean =>
  first !== undefined && 'edit' in first.payload

/** Facts up to here were folded into something: of a run that was faulted, those that came with its fault were not (D5). */
export function foldedThrough(log: readonly StoredEvent[]): number {
  const isFaulted = log.some(({ type }) => type === 'run.faulted')
  return isFaulted ? Number(log.findLast(isStep)?.payload['from']) : Infinity
}

/** The effect that an event is about; empty if it is about none. */
export function effectOf(event: StoredEvent): string {
  const { effectId } = event.payload
  return typeof effectId === 'string' ? effectId : ''
}

/** The call that an event is about; empty if it is about none. */
export function callOf(event: StoredEvent): string {
  const { callId } = event.payload
  return typeof callId === 'string' ? callId : ''
}

/** Where a run stands that another one has started. */
export type Parent = NonNullable<FactPayload<'run.created'>['parent']>

/** The run that started this one, as its first event says; undefined if nobody did. */
export const parentOf = ({ log: [first] }: Pick<RunRecord, 'log'>): Parent | undefined =>
  first && 'parent' in first.payload
    ? factSchemas['run.created'].parse(first.payload).parent
    : undefined

export const isAbout = (event: StoredEvent, effectId: string): boolean =>
  effectOf(event) === effectId
