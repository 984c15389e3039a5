/** A run as the wire shows it: the LangGraph resource, plus `outcome`, `state` and what it waits for. */
import { z } from '@hono/zod-openapi'
import { Outcome, type RunStatus, StateName } from '@signalbox/core'
import type { EffectRow, RunHead } from '@signalbox/engine'
import type { RunFilter, WaitsFor as WaitsForRow } from '@signalbox/postgres'
import { AskedApproval } from './approval-view.ts'
import { AskedInput } from './input-view.ts'
import { iso } from './iso.ts'
import { MultitaskStrategy } from './multitask.ts'
import { RunError } from './run-error.ts'
import { WaitsFor, waitsForView } from './waits-for.ts'

export const WireStatus = z.enum([
  'pending',
  'running',
  'error',
  'success',
  'timeout',
  'interrupted',
])
export type WireStatus = z.infer<typeof WireStatus>

export const Waiting = z
  .discriminatedUnion('for', [
    AskedApproval,
    AskedInput,
    z.object({
      for: z.literal('resolution'),
      effect_id: z.string(),
      call_id: z.string().nullable(),
      tool: z.string().nullable(),
      attempt: z.number().int(),
      /** The run below that waits for it, if it is one. */
      run_id: z.string().optional(),
      thread_id: z.string().optional(),
    }),
  ])
  .openapi('Waiting')
export type Waiting = z.infer<typeof Waiting>

/** The id that an answer names: of the approval, of the call that asks, or of the effect whose outcome nobody knows. */
export function waitingId(waiting: Waiting): string {
  switch (waiting.for) {
    case 'approval':
      return waiting.approval_id
    case 'input':
      return waiting.call_id
    case 'resolution':
      return waiting.effect_id
  }
}

/** The run that started a run, and for which of its calls; null where the event that names the call is not to be had. */
const Parent = z.object({ run_id: z.string(), call_id: z.string().nullable() })
export type Parent = z.infer<typeof Parent>

export const Run = z
  .object({
    run_id: z.string(),
    thread_id: z.string(),
    assistant_id: z.string(),
    created_at: z.string(),
    updated_at: z.string(),
    status: WireStatus,
    /** How it ended; null while it goes on. */
    outcome: Outcome.nullable(),
    /** Why it failed; null where it did not, or nobody recorded why. Absent in frames of a stream. */
    error: RunError.nullable().optional(),
    state: StateName,
    metadata: z.record(z.string(), z.unknown()),
    multitask_strategy: MultitaskStrategy,
    priority: z.number().int(),
    /** Not started before. */
    due_at: z.string(),
    kwargs: z.record(z.string(), z.unknown()),
    cancel_requested: z.boolean(),
    /** Sequence number of its last event. */
    seq: z.number().int(),
    definition_hash: z.string(),
    /** The run that started it, and for which call; null for a run that a client created. */
    parent: Parent.nullable(),
    /** The run that it repeats; null if none. Absent in frames of a stream. */
    rerun_of: z.string().nullable().optional(),
    /** The run that it asks once more; null if none. Absent in frames of a stream. */
    retry_of: z.string().nullable().optional(),
    /** When it ended; null while it goes on. Only where one run is read, or runs of all threads are listed; as `waits_for`. */
    ended_at: z.string().nullable().optional(),
    /** What it waits for at the moment, in one word with what there is to know; null when it has ended. */
    waits_for: WaitsFor.nullable().optional(),
    /** What a human must do for it to go on, in runs below it too; empty unless it waits. Absent in listings. */
    waiting: z.array(Waiting).optional(),
  })
  .openapi('Run')
export type Run = z.infer<typeof Run>

const statusByOutcome = {
  completed: 'success',
  safety_stopped: 'success',
  refused: 'success',
  guardrail_stopped: 'success',
  loop_stopped: 'success',
  budget_exhausted: 'success',
  length_stopped: 'success',
  interrupted: 'error',
  failed: 'error',
  timed_out: 'timeout',
  cancelled: 'interrupted',
  rolled_back: 'interrupted',
} as const satisfies Readonly<Record<Outcome, WireStatus>>

/**
 * A run that waits for a human, itself or in the runs below it, reads `interrupted`, as a cancelled one does; `outcome` tells them apart.
 */
export function wireStatus(head: Pick<RunHead, 'status' | 'outcome' | 'waitsBelow'>): WireStatus {
  if (head.outcome !== null) return statusByOutcome[head.outcome]
  if (head.status === 'queued') return 'pending'
  return head.status === 'waiting' || head.waitsBelow === true ? 'interrupted' : 'running'
}

/** The runs that a status of the wire means. */
export function amongOf(status: WireStatus): NonNullable<RunFilter['among']> {
  const outcomes = Outcome.options.filter((outcome) => statusByOutcome[outcome] === status)
  return { statuses: openStatuses[status] ?? [], outcomes }
}

const openStatuses: Readonly<Partial<Record<WireStatus, readonly RunStatus[]>>> = {
  pending: ['queued'],
  running: ['running'],
  interrupted: ['waiting'],
}

/** What stands in the events of a run, and not in its head. What is left out is left out of the document. */
export interface RunDetails {
  readonly parent: Parent | null
  readonly rerunOf?: string | null
  readonly retryOf?: string | null
  readonly error?: RunError | null
  /** Milliseconds since the epoch. */
  readonly endedAt?: number | null
  readonly waitsFor?: WaitsForRow | null
  readonly waiting?: readonly Waiting[]
}

/** The document of a run. Its parent stands in its first event, and what it waits for in others. */
export function runView(head: RunHead, details: RunDetails): Run {
  const { parent, rerunOf, retryOf, error, endedAt, waitsFor, waiting } = details
  return {
    run_id: head.runId,
    thread_id: head.threadId,
    assistant_id: head.agent,
    created_at: iso(head.createdAt),
    updated_at: iso(head.updatedAt),
    status: wireStatus(head),
    outcome: head.outcome,
    ...(error === undefined ? {} : { error }),
    state: head.stateName,
    metadata: { ...head.metadata },
    multitask_strategy: head.multitask,
    priority: head.priority,
    due_at: iso(head.dueAt),
    kwargs: {},
    cancel_requested: head.cancelRequested,
    seq: head.seq,
    definition_hash: head.definitionHash,
    parent,
    ...(rerunOf === undefined ? {} : { rerun_of: rerunOf }),
    ...(retryOf === undefined ? {} : { retry_of: retryOf }),
    ...(endedAt === undefined ? {} : { ended_at: endedAt === null ? null : iso(endedAt) }),
    ...(waitsFor === undefined ? {} : { waits_for: waitsFor && waitsForView(waitsFor) }),
    ...(waiting === undefined ? {} : { waiting: [...waiting] }),
  }
}

export const waitsBelowForResolution = (effect: EffectRow): Waiting => ({
  ...waitsForResolution(effect),
  run_id: effect.runId,
  thread_id: effect.threadId,
})

export const waitsForResolution = ({ effectId, attempt, spec }: EffectRow): Waiting => ({
  for: 'resolution',
  effect_id: effectId,
  call_id: 'callId' in spec ? spec.callId : null,
  tool: 'callId' in spec ? spec.tool : null,
  attempt,
})
