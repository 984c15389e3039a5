/** The worker role: takes hints from a queue, claims, runs the tool, reports. A hint proves nothing; the claim does. */
import { messageOf } from '../errors.ts'
import type {
  AppendResult,
  EffectRow,
  EventDraft,
  FactDraft,
  Log,
  Register,
  WakeBus,
} from '../ports.ts'
import { claimEffect } from '../perform/claim.ts'
import type { Leases } from '../perform/leases.ts'
import { editedCall } from '../perform/edited-call.ts'
import { readForCheck } from '../perform/recheck.ts'
import { performToolCall, type ToolCallDeps, type ToolTask } from '../perform/tool-call.ts'
import { insist, type Patience, repeatedly } from '../record/patience.ts'
import type { Recorder } from '../record/recorder.ts'
import type { EngineSettings } from '../settings.ts'
import { lostFact, type LostDeps } from './lost.ts'
import { newerIn } from './newer-in.ts'
import type { Turns } from './turns.ts'

export interface WorkerDeps extends ToolCallDeps, LostDeps, Patience {
  readonly register: Register
  readonly recorder: Recorder
  readonly leases: Leases
  readonly turns: Turns
  readonly wakeBus: WakeBus
  readonly log: Log
  readonly settings: EngineSettings
}

/** `not_mine`: this process does not know the tool in this version; another worker will. */
export type PerformAnswer = 'done' | 'not_mine'

/** Calls that others took first; then the reconciler has to announce what is left. */
const triesMax = 3

/** What a hint is worth: performs the effect, or that whose turn it is, if it still may be performed and is this process's to perform. */
export async function performHint(deps: WorkerDeps, effectId: string): Promise<PerformAnswer> {
  try {
    const row = await repeatedly(deps, 'read effect', () => deps.register.effect(effectId))
    if (!row || row.spec.kind !== 'tool.call') return 'done'
    const isOpen = row.status === 'pending' || row.status === 'started'
    if (isOpen && !(await isKnown(deps, row))) return 'not_mine'
    await deps.turns.hold(row.queue, () => serve(deps, row.queue, isOpen ? row : null))
  } catch (error) {
    deps.log.warn('a tool call was given up', { effectId, error: messageOf(error) })
  }
  return 'done'
}

async function isKnown(deps: WorkerDeps, row: EffectRow): Promise<boolean> {
  const { tools, views } = deps
  const { spec, call } = row
  if (spec.kind !== 'tool.call' || !(await tools.knows(spec.tool, spec.toolVersion))) return false
  // The policies are asked once more before the call: without them this worker could only deny it.
  if ((await views.notMine(row)) !== null) return false
  const newer = await newerIn(async () => {
    if (spec.edited) await editedCall(deps.register, row, spec)
    if (call) await readForCheck(deps, { row, effect: spec, call })
  })
  return newer === null
}

/** Performs one call of the queue: the hinted one, unless it is another tenant's turn or there is nothing left to do of it. */
async function serve(deps: WorkerDeps, queue: string, hinted: EffectRow | null): Promise<void> {
  for (let n = 0; n < triesMax; n++) {
    if (hinted && !deps.turns.isCrowded(queue)) break
    const next = await deps.turns.next(queue)
    if (!next || next.tenantId === hinted?.tenantId || !(await isKnown(deps, next))) break
    // One that fails is not the fate of the call that was hinted at.
    const served = await claimAndRun(deps, next).catch((error: unknown) =>
      deps.log.warn('a tool call was given up', {
        effectId: next.effectId,
        error: messageOf(error),
      }),
    )
    if (served) return
  }
  if (hinted) await claimAndRun(deps, hinted)
}

/** Answers whether the call was claimed. */
async function claimAndRun(deps: WorkerDeps, row: EffectRow): Promise<boolean> {
  const { runId, spec, call } = row
  if (spec.kind !== 'tool.call' || !call) return false
  const { code, lease, result } = await claimEffect(deps, row)
  if (code === 'lost') {
    await deps.recorder.record(row, [await lostFact(deps, row, lease.attempt)])
    return false
  }
  if (code !== 'ok') return false
  // The claim wrote `effect.started`: streams read on, and nobody has anything to decide.
  deps.wakeBus.publish('run', [runId])
  // Where this process decides as well, its result and the next decision then travel together.
  deps.views.noted(runId, result)
  const task: ToolTask = { row, effect: spec, call, attempt: lease.attempt }
  await deps.leases.hold(
    lease,
    (held) => performToolCall(deps, task, held),
    (fact) => report(deps, task, fact),
  )
  return true
}

/** Reports until the register answers. A result that can no longer count is kept as a note: it did happen. */
async function report(
  deps: WorkerDeps,
  { row, effect, attempt }: ToolTask,
  fact: FactDraft,
): Promise<void> {
  const result = await deps.recorder.record(row, [fact])
  const code = result.factCodes[0]
  if (code === 'ok') return
  // Nothing more can be recorded of the call, and the end of the run, which takes its last events, is not to wait for the lease.
  if (code === 'full') await deps.register.renew([{ effectId: effect.id, attempt }], 0)
  // A duplicate may be our own first try, or an operator's word about the call, which has the same key.
  if (await isOurs(deps, row, fact)) return
  const { id: effectId, callId } = effect
  const error = `${fact.type} arrived when it could no longer count (${code})`
  const late = deps.writer.event(
    'tool.late',
    { effectId, attempt, callId, error },
    { tool: fact.tool, verdict: 'late' },
  )
  const noted = await append(deps, row, late)
  if (noted.code !== 'ok')
    deps.log.warn('a late result was not noted', { effectId, attempt, reason: noted.detail ?? '' })
}

/** After a lost acknowledgement the repeated append is refused, although the first one stands. */
async function isOurs(deps: WorkerDeps, row: EffectRow, fact: FactDraft): Promise<boolean> {
  const events = await insist(deps, 'read events', () => deps.register.events(row.runId, {}))
  return events.some((event) => event.payloadHash === fact.payloadHash)
}

const append = (
  deps: WorkerDeps,
  { runId, tenantId }: EffectRow,
  note: EventDraft,
): Promise<AppendResult> =>
  insist(deps, 'append', () => deps.register.append({ runId, tenantId, notes: [note] }))
