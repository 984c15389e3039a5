/**
 * What becomes of an effect whose worker vanished: its lease expired and nobody reported. `read` and `idempotent` ones
 * run again; a `once` one is unknown, and nobody re-runs it by himself (I8). After a cancel, nothing runs again.
 */
import type { EffectRow, FactDraft, Register } from '../ports.ts'
import { isChanged } from '../record/definition.ts'
import type { Writer } from '../record/draft.ts'
import type { Views } from '../record/view.ts'

export interface LostDeps {
  readonly writer: Writer
  readonly views: Views
}

/**
 * The fact that an attempt of an effect was lost, for one that must not run again. Where the agent's policy is to tell the
 * model, the effect closes with it: no operator may take back what the model has been told.
 */
export async function lostFact(
  { writer, views }: LostDeps,
  row: EffectRow,
  attempt: number,
): Promise<FactDraft> {
  if (!('callId' in row.spec)) return abortedModel(writer, row, attempt)
  const { callId, tool } = row.spec
  const fence = { effectId: row.effectId, attempt, expect: 'lost' } as const
  if (row.mode !== 'once') {
    return writer.fact(
      'tool.aborted',
      { effectId: row.effectId, attempt, callId, reason: 'worker_lost' },
      { key: row.effectId, fence: { ...fence, becomes: 'cancelled' }, tool, verdict: 'aborted' },
    )
  }
  const becomes = (await asksHuman(views, row)) ? 'unknown' : 'done'
  return writer.fact(
    'tool.unknown',
    { effectId: row.effectId, attempt, callId, reason: 'worker_lost' },
    {
      key: `${row.effectId}:unknown:${attempt}`,
      fence: { ...fence, becomes },
      tool,
      verdict: 'unknown',
    },
  )
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

const abortedModel = (writer: Writer, row: EffectRow, attempt: number): FactDraft =>
  writer.fact(
    'model.aborted',
    { effectId: row.effectId, attempt },
    {
      key: row.effectId,
      fence: { effectId: row.effectId, attempt, expect: 'lost', becomes: 'cancelled' },
    },
  )

/**
 * The fact that a pending effect of a run that is being cancelled starts no more. If an operator had allowed one more
 * attempt of an unknown call, the outcome of the earlier attempt stays unknown.
 */
export function neverStarted(writer: Writer, row: EffectRow): FactDraft {
  const fence = {
    effectId: row.effectId,
    attempt: row.attempt,
    expect: 'pending',
    becomes: 'cancelled',
  } as const
  const about = { effectId: row.effectId, attempt: row.attempt }
  if (!('callId' in row.spec))
    return writer.fact('model.aborted', about, { key: row.effectId, fence })
  const { callId, tool } = row.spec
  if (row.attempt > 0) {
    return writer.fact(
      'tool.unknown',
      { ...about, callId, reason: 'worker_lost' },
      {
        key: `${row.effectId}:unknown:${row.attempt}:cancelled`,
        fence: { ...fence, becomes: 'unknown' },
        tool,
        verdict: 'unknown',
      },
    )
  }
  return writer.fact(
    'tool.aborted',
    { ...about, callId, reason: 'never_started' },
    { key: row.effectId, fence, tool, verdict: 'aborted' },
  )
}

/**
 * The fact that a run was started by an attempt that vanished before it could say so; null if none was. After a cancel none
 * can be any more: the register refuses it.
 */
export async function startedBy(
  { writer, register }: { readonly writer: Writer; readonly register: Pick<Register, 'children'> },
  { effectId, attempt, runId, spec }: EffectRow,
): Promise<FactDraft | null> {
  if (spec.kind !== 'run.start') return null
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
