/**
 * The events of a run sorted by what they are about: which call, which answer, which decision. Nothing is judged here.
 *
 * X1 Only what stands in the events is used: no definition, no clock, no other run.
 * X2 An event whose content was erased tells what its columns tell: type, time, writer, tool, verdict, key.
 */
import type { Effect } from '../effect.ts'
import type { AssistantPart } from '../message.ts'
import type { Proof } from './check.ts'
import { momentOf } from './moment.ts'
import type { CallType, Explainable, Known, RunType, VerdictType } from './place.ts'

export type TransitionEvent = Known<'run.transitioned'>
export type AnsweredTurn = Known<'model.completed'>

/** An event whose content is gone, and the record of its erasure, where there is one. */
export interface Gone {
  readonly type: 'erased'
  readonly event: Explainable
  readonly record: Known<'payload.erased'> | null
}

/** One answer of the model, and what was decided about it. */
export interface AnswerStory {
  readonly answer: AnsweredTurn | Known<'model.aborted' | 'budget.refused'> | Gone
  step: TransitionEvent | null
  readonly verdicts: Known<VerdictType>[]
  readonly calls: CallStory[]
}

export type AskedEffect = Extract<Effect, { callId: string }>

/** An entry of the story of one call; they stand in order. */
export type CallEvent =
  | Known<CallType | 'effect.started' | 'timer.fired' | 'guardrail.redacted'>
  | { readonly type: 'dispatched'; readonly step: TransitionEvent; readonly effect: AskedEffect }
  | { readonly type: 'again'; readonly step: TransitionEvent; readonly effectId: string }
  | { readonly type: 'judged' | 'passed_on'; readonly step: TransitionEvent }
  | Gone

export interface CallStory {
  readonly id: string
  tool: string
  part: Extract<AssistantPart, { type: 'tool_call' | 'provider_tool' }> | null
  answer: AnswerStory | null
  readonly events: CallEvent[]
  /** Calls of the same answer under the same id, this one first. All but this one are denied. */
  readonly twins: CallStory[]
}

export class Story {
  readonly answers: AnswerStory[] = []
  /** In the order in which they were asked for. */
  readonly calls: CallStory[] = []
  /** The call that events with this id are about: the last one that was asked for under it. */
  readonly byId = new Map<string, CallStory>()
  readonly effects = new Map<string, Effect>()
  readonly steps: TransitionEvent[] = []
  readonly run: Known<RunType>[] = []
  readonly erased: Gone[] = []
  readonly unreadable: Explainable[] = []
  /** Effects of the last decision, whose verdicts are read first: they were judged before they were asked for. */
  readonly pending: { readonly call: CallStory; readonly event: CallEvent }[] = []
  /** Every readable event by its number. */
  readonly bySeq = new Map<number, Known>()
}

export const proofOf = ({ seq, type, at }: Pick<Explainable, 'seq' | 'type' | 'at'>): Proof => ({
  seq,
  type,
  at: momentOf(at),
})
