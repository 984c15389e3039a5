/**
 * The fate of an effect whose worker vanished: its lease expired and nobody reported. `read` and `idempotent` ones
 * run again; a `once` one is unknown, and nobody re-runs it by himself (I8). After a cancel, nothing runs again.
 */
import type { Effect, ModelCallEffect, RunStartEffect } from '@signalbox/core'
import type { EffectFence, EffectRow, FactDraft, Register } from '../ports.ts'
import { isChanged } from '../record/definition.ts'
import type { Writer } from '../record/draft.ts'
import type { Views } from '../record/view.ts'
import type { RowOf } from './row.ts'

export interface LostDeps {
  readonly writer: Writer
  readonly views: Views
}

/** The row of an effect that does the work of a call. */
export type CallRow = RowOf<Extract<Effect, { readonly callId: string }>>

type Fenced = Pick<EffectFence, 'attempt' | 'expect' | 'becomes'>

/** Nobody knows what became of an attempt. `key` tells the fact from others of the same call. */
function unknown(
  writer: Writer,
  { effectId, spec: { callId, tool } }: CallRow,
  { key, ...fence }: Fenced & { readonly key: string },
): FactDraft {
  const payload = { effectId, attempt: fence.attempt, callId, reason: 'worker_lost' } as const
  return writer.fact('tool.unknown', payload, {
    key: `${effectId}:unknown:${key}`,
    fence: { effectId, ...fence },
    tool,
    verdict: 'unknown',
  })
}

/** A call did not happen, and will not. */
function aborted(
  writer: Writer,
  { effectId, spec: { callId, tool } }: CallRow,
  { reason, ...fence }: Fenced & { readonly reason: 'worker_lost' | 'never_started' },
): FactDraft {
  const payload = { effectId, attempt: fence.attempt, callId, reason }
  const options = { key: effectId, fence: { effectId, ...fence }, tool, verdict: 'aborted' }
  return writer.fact('tool.aborted', payload, options)
}

/**
 * The fact that an attempt of a call was lost, for one that must not run again. Where the agent's policy is to tell the
 * model, the effect closes with it: no operator may take back what the model has been told.
 */
export async function lostCall(
  { writer, views }: LostDeps,
  row: CallRow,
  attempt: number,
): Promise<FactDraft> {
  const lost = { attempt, expect: 'lost' } as const
  if (row.mode !== 'once') {
    return aborted(writer, row, { ...lost, becomes: 'cancelled', reason: 'worker_lost' })
  }
  const becomes = (await asksHuman(views, row)) ? 'unknown' : 'done'
  return unknown(writer, row, { ...lost, becomes, key: `${attempt}` })
}

/** Is a human to decide about a call whose outcome is unknown? Where the definition was changed, nobody else may. */
async function asksHuman(views: Views, { definitionHash }: EffectRow): Promise<boolean> {
  try {
    return (await views.definition(definitionHash)).onUnknown === 'ask'
  } catch (error) {
    if (isChanged(error)) return true
    throw error
  }
}

/** The fact that a model call of a run that is to end was lost, or starts no more. */
export const abortedModel = (
  writer: Writer,
  { effectId, attempt, status }: RowOf<ModelCallEffect>,
): FactDraft => {
  const expect = status === 'pending' ? 'pending' : 'lost'
  const fence = { effectId, attempt, expect, becomes: 'cancelled' } as const
  return writer.fact('model.aborted', { effectId, attempt }, { key: effectId, fence })
}

/**
 * The fact that a pending call of a run that is being cancelled starts no more. If an operator had allowed one more
 * attempt of an unknown call, the outcome of the earlier attempt stays unknown.
 */
export function neverStarted(writer: Writer, row: CallRow): FactDraft {
  const { attempt } = row
  const pending = { attempt, expect: 'pending' } as const
  return attempt > 0
    ? unknown(writer, row, { ...pending, becomes: 'unknown', key: `${attempt}:cancelled` })
    : aborted(writer, row, { ...pending, becomes: 'cancelled', reason: 'never_started' })
}

/**
 * The fact that a run was started by an attempt that vanished before it could say so; null if none was. After a cancel none
 * can be any more: the register refuses it.
 */
export async function startedBy(
  { writer, register }: { readonly writer: Writer; readonly register: Pick<Register, 'children'> },
  { effectId, attempt, runId, spec }: RowOf<RunStartEffect>,
): Promise<FactDraft | null> {
  const child = (await register.children(runId)).find((each) => each.effectId === effectId)
  if (!child) return null
  return writer.fact(
    'child.started',
    { effectId, attempt, callId: spec.callId, childRunId: child.runId },
    {
      key: `${effectId}:started`,
      fence: { effectId, attempt, expect: 'lost', becomes: 'started' },
      tool: spec.tool,
    },
  )
}

/** The fact that a call of a run that is to end starts no more, or was lost. */
export const closedCall = (deps: LostDeps, row: CallRow): FactDraft | Promise<FactDraft> =>
  row.status === 'pending' ? neverStarted(deps.writer, row) : lostCall(deps, row, row.attempt)
