/** The fields that all facts about a call share, whoever does its work: a tool, a run of its own, or the log of another run. */
import type { ToolCallPart } from '@signalbox/core'
import type { EffectRow, FactDraft, Reserved } from '../ports.ts'
import type { Writer } from '../record/draft.ts'
import type { Denial } from './recheck.ts'

/** An attempt of an effect that does the work of a call. */
interface Attempt {
  readonly effect: { readonly id: string; readonly callId: string; readonly tool: string }
  readonly attempt: number
}

/** A call that a worker has claimed. */
export interface CallTask<E> {
  readonly row: EffectRow
  readonly effect: E
  /** As the model asked for it. */
  readonly call: ToolCallPart
  readonly attempt: number
}

export const about = ({ effect, attempt }: Attempt) => ({
  effectId: effect.id,
  attempt,
  callId: effect.callId,
})

export const options = ({ effect, attempt }: Attempt, becomes: 'done' | 'unknown' = 'done') => ({
  key: effect.id,
  fence: { effectId: effect.id, attempt, expect: 'started', becomes } as const,
  tool: effect.tool,
})

/** A policy forbids the call by now: the model reads why. */
export function deniedNow(writer: Writer, task: Attempt, denial: Denial): FactDraft {
  const payload = { ...about(task), tool: task.effect.tool, ...denial }
  return writer.fact('tool.denied', payload, { ...options(task), verdict: 'denied' })
}

/** The tree has made all the calls it may: this one does not run, and the run ends. */
export function overBudget(
  writer: Writer,
  task: Attempt,
  { budget, used, limit }: Extract<Reserved, { code: 'refused' }>,
): FactDraft {
  const payload = { ...about(task), budget, used, limit }
  return writer.fact('budget.refused', payload, { ...options(task), verdict: budget })
}

/** A cancel came, and the call did not happen. */
export const cancelled = (writer: Writer, task: Attempt): FactDraft =>
  writer.fact(
    'tool.aborted',
    { ...about(task), reason: 'cancelled' },
    { ...options(task), verdict: 'aborted' },
  )
