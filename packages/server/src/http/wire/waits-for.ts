/** What an open run waits for, as the wire shows it. */
import { z } from '@hono/zod-openapi'
import { waitKinds, type WaitsBelow, type WaitsFor as WaitsForRow } from '@signalbox/postgres'
import { iso } from './iso.ts'
import { PauseTarget, targetView } from './pause-view.ts'

export const WaitKind = z.enum(waitKinds)

/** A run below that waits for a human. */
const HeldRun = z
  .object({
    run_id: z.string(),
    thread_id: z.string(),
    assistant_id: z.string(),
    kind: WaitKind,
    since: z.string(),
    approval_id: z.string().optional(),
    call_id: z.string().optional(),
    tool: z.string().optional(),
    effect_id: z.string().optional(),
  })
  .openapi('HeldRun')

/** Beside its kind and since when, what there is to know of it. */
export const WaitsFor = z
  .object({
    /**
     * `approval`, `input` and `unknown` want a human. `paused`: its agent, a tool or a queue is paused. `worker`: no worker has taken the call. `tool`, `model`, `policy`: under way.
     * `child`: a run that it has started. `thread`, `lane`: its turn. `delay`: a time. `orchestrator`: its next step.
     */
    kind: WaitKind,
    since: z.string(),
    /** `delay`, `paused`: when it is over, if that is known. */
    until: z.string().optional(),
    /** `approval`, `input`: when it expires, if it does. */
    expires_at: z.string().optional(),
    approval_id: z.string().optional(),
    call_id: z.string().optional(),
    tool: z.string().optional(),
    queue: z.string().optional(),
    effect_id: z.string().optional(),
    attempt: z.number().int().optional(),
    /** `tool`: the worker that executes it. */
    owner: z.string().optional(),
    /** `child`: the run that was started. `thread`: the run that is before it. */
    run_id: z.string().optional(),
    /** `thread`: what the run before it waits for, where that is a human. */
    run_waits_for: z.enum(['approval', 'input']).optional(),
    /** `lane`: the limits (`runLimits`) that it waits for. */
    lanes: z.array(z.string()).optional(),
    /** `paused`: which pause it is, of what, and why. */
    pause_id: z.string().optional(),
    target: PauseTarget.optional(),
    reason: z.string().optional(),
    /** `child`, where everything that the run waits for waits for humans: the runs below that do. Absent where something moves. */
    below: z.array(HeldRun).optional(),
  })
  .openapi('WaitsFor')
export type WaitsFor = z.infer<typeof WaitsFor>

export function waitsForView(row: WaitsForRow): WaitsFor {
  const { kind, since, until, expiresAt, approvalId, callId, tool, queue } = row
  const { effectId, attempt, owner, runId, runWaitsFor, lanes, pauseId, target, reason } = row
  const { below } = row
  return {
    kind,
    since: iso(since),
    ...(until === undefined ? {} : { until: iso(until) }),
    ...(expiresAt === undefined ? {} : { expires_at: iso(expiresAt) }),
    ...(approvalId === undefined ? {} : { approval_id: approvalId }),
    ...(callId === undefined ? {} : { call_id: callId }),
    ...(tool === undefined ? {} : { tool }),
    ...(queue === undefined ? {} : { queue }),
    ...(effectId === undefined ? {} : { effect_id: effectId }),
    ...(attempt === undefined ? {} : { attempt }),
    ...(owner === undefined ? {} : { owner }),
    ...(runId === undefined ? {} : { run_id: runId }),
    ...(runWaitsFor === undefined ? {} : { run_waits_for: runWaitsFor }),
    ...(lanes === undefined ? {} : { lanes: [...lanes] }),
    ...(pauseId === undefined ? {} : { pause_id: pauseId }),
    ...(target === undefined ? {} : { target: targetView(target) }),
    ...(reason === undefined ? {} : { reason }),
    ...(below === undefined ? {} : { below: below.map(heldRun) }),
  }
}

function heldRun(row: WaitsBelow): z.infer<typeof HeldRun> {
  const { runId, threadId, agent, kind, since, approvalId, callId, tool, effectId } = row
  return {
    run_id: runId,
    thread_id: threadId,
    assistant_id: agent,
    kind,
    since: iso(since),
    ...(approvalId === undefined ? {} : { approval_id: approvalId }),
    ...(callId === undefined ? {} : { call_id: callId }),
    ...(tool === undefined ? {} : { tool }),
    ...(effectId === undefined ? {} : { effect_id: effectId }),
  }
}
