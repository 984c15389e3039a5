/** The worker role: takes hints from a queue, claims, runs the tool, reports. A hint proves nothing; the claim does. */
import type { ToolCallEffect } from '@signalbox/core'
import { messageOf } from '../errors.ts'
import type { EffectRow, FactDraft } from '../ports.ts'
import { editedCall } from '../perform/edited-call.ts'
import { fieldsOf } from '../perform/fields.ts'
import { readForCheck } from '../perform/recheck.ts'
import { performToolCall, type ToolCallDeps } from '../perform/tool-call.ts'
import { insist, repeatedly } from '../record/patience.ts'
import type { Turns } from './turns.ts'
import { lostCall } from './lost.ts'
import { type GrantedClaim, type LoopDeps, type Performer, performRead, readFor } from './loop.ts'
import { type RowOf, rowOf } from './row.ts'

export type ToolsDeps = ToolCallDeps & LoopDeps & { readonly turns: Turns }

/** `not_mine`: this process does not know the tool in this version; another worker will. */
export type PerformAnswer = 'done' | 'not_mine'

/** Calls that others took first; then the reconciler has to announce what is left. */
const triesMax = 3

type ToolRow = RowOf<ToolCallEffect>

/** Acts on a hint: performs the effect, or that whose turn it is, if it still may be performed and is this process's to perform. */
export function createWorker(deps: ToolsDeps): (effectId: string) => Promise<PerformAnswer> {
  const performer = toolPerformer(deps)
  const giveUp = ({ effectId }: Pick<EffectRow, 'effectId'>, error: unknown): void =>
    deps.log.warn(performer.givenUp, { effectId, error: messageOf(error) })

  const isKnown = async (row: ToolRow): Promise<boolean> => {
    const { tool, toolVersion } = row.spec
    return (
      (await deps.tools.knows(tool, toolVersion)) && 'read' in (await readFor(deps, performer, row))
    )
  }

  /** A call that the log does not hold was never judged, and is not executed. Answers whether the call was claimed. */
  const serve = async (row: ToolRow): Promise<boolean> =>
    row.call !== null && (await performRead(deps, performer, { of: row, read: undefined }))

  /** Performs one call of the queue: the hinted one, unless it is another tenant's turn or there is nothing left to do of it. */
  const serveQueue = async (queue: string, hinted: ToolRow | null): Promise<void> => {
    for (let n = 0; n < triesMax; n++) {
      if (hinted && !deps.turns.isCrowded(queue)) break
      const next = rowOf('tool.call', await deps.turns.next(queue))
      if (!next || next.tenantId === hinted?.tenantId || !(await isKnown(next))) break
      // One that fails is not the fate of the call that was hinted at.
      if (await serve(next).catch((error: unknown) => giveUp(next, error))) return
    }
    if (hinted) await serve(hinted)
  }

  return async (effectId) => {
    try {
      const read = () => deps.register.effect(effectId)
      const row = rowOf('tool.call', await repeatedly(deps, 'read effect', read))
      if (!row) return 'done'
      const isOpen = row.status === 'pending' || row.status === 'started'
      if (isOpen && !(await isKnown(row))) return 'not_mine'
      await deps.turns.hold(row.queue, () => serveQueue(row.queue, isOpen ? row : null))
    } catch (error) {
      giveUp({ effectId }, error)
    }
    return 'done'
  }
}

const toolPerformer = (deps: ToolsDeps): Performer<ToolRow, void> => ({
  givenUp: 'a tool call was given up',
  // The policies are asked once more before the call: without them this worker could only deny it.
  needsRun: true,
  async read(row) {
    const { spec: effect, call } = row
    if (effect.edited) await editedCall(deps.register, row, effect)
    if (!call) return
    await readForCheck(deps, { row, effect, call })
    await fieldsOf(deps, row)
  },
  async refused(row, code, attempt) {
    if (code === 'lost') await deps.recorder.record(row, [await lostCall(deps, row, attempt)])
  },
  // The claim wrote `effect.started`: streams read on, and nobody has anything to decide.
  claimed: ({ runId }) => deps.wakeBus.publish('run', [runId]),
  async perform(row, { attempt }, held) {
    const { spec: effect, call } = row
    return call && performToolCall(deps, { row, effect, call, attempt }, held)
  },
  record: (row, fact, claimed) => report(deps, row, { fact, ...claimed }),
})

/** Reports until the register answers. A result that can no longer count is kept as a note: it did happen. */
async function report(
  deps: ToolsDeps,
  row: ToolRow,
  { fact, attempt }: GrantedClaim & { readonly fact: FactDraft },
): Promise<void> {
  const { runId, tenantId, effectId } = row
  const result = await deps.recorder.record(row, [fact])
  const code = result.factCodes[0]
  if (code === 'ok') return
  // Nothing more can be recorded of the call, and the end of the run, which takes its last events, is not to wait for the lease.
  if (code === 'full') await deps.register.renew([{ effectId, attempt }], 0)
  // A duplicate may be our own first try, or an operator's word about the call, which has the same key.
  if (await isOurs(deps, row, fact)) return
  const { callId } = row.spec
  const error = `${fact.type} arrived when it could no longer count (${code})`
  const late = deps.writer.event(
    'tool.late',
    { effectId, attempt, callId, error },
    { tool: fact.tool, verdict: 'late' },
  )
  const append = () => deps.register.append({ runId, tenantId, notes: [late] })
  const noted = await insist(deps, 'append', append)
  if (noted.code !== 'ok')
    deps.log.warn('a late result was not noted', { effectId, attempt, reason: noted.detail ?? '' })
}

/** After a lost acknowledgement the repeated append is refused, although the first one stands. */
async function isOurs(deps: ToolsDeps, row: EffectRow, fact: FactDraft): Promise<boolean> {
  const events = await insist(deps, 'read events', () => deps.register.events(row.runId, {}))
  return events.some((event) => event.payloadHash === fact.payloadHash)
}
