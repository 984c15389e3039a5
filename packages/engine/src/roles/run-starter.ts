/** Starts the runs that calls ask for, on orchestrators: after the decision, or when the reconciler finds the effect. */
import type { ToolCallPart } from '@signalbox/core'
import { messageOf } from '../errors.ts'
import { claimEffect } from '../perform/claim.ts'
import type { Leases } from '../perform/leases.ts'
import {
  performRunStart,
  readForStart,
  type RunStartDeps,
  type RunStartTask,
} from '../perform/run-start.ts'
import { insist } from '../record/patience.ts'
import type { EngineSettings } from '../settings.ts'
import { newerIn } from './newer-in.ts'

export interface RunStarterDeps extends RunStartDeps {
  readonly leases: Leases
  readonly settings: EngineSettings
  readonly draining: AbortSignal
}

export interface RunStarter {
  /** Claims the effect and starts its run. A refused claim does nothing. */
  take(effectId: string): Promise<void>
  idle(): Promise<void>
}

export function createRunStarter(deps: RunStarterDeps): RunStarter {
  const { register, recorder, leases } = deps
  const running = new Set<Promise<void>>()

  const start = async (effectId: string): Promise<void> => {
    if (deps.draining.aborted) return
    const row = await insist(deps, 'read effect', () => register.effect(effectId))
    if (row?.spec.kind !== 'run.start') return
    if ((await deps.views.notMine(row)) !== null) return
    const { spec: effect } = row
    if ((await newerIn(() => readForStart(deps, { row, effect }))) !== null) return
    const { code, lease, result } = await claimEffect(deps, row)
    if (code !== 'ok') return
    deps.views.noted(row.runId, result)
    const call = row.call ?? noCall
    const task: RunStartTask = { row, effect, call, attempt: lease.attempt }
    await leases.hold(
      lease,
      (held) => performRunStart(deps, task, held),
      (fact) => recorder.record(row, [fact]),
    )
  }

  return {
    take(effectId) {
      const work = start(effectId)
        .catch((error: unknown) =>
          deps.log.warn('a run could not be started', { effectId, error: messageOf(error) }),
        )
        .finally(() => running.delete(work))
      running.add(work)
      return work
    },
    async idle() {
      while (running.size > 0) await Promise.all(running)
    },
  }
}

/** What the log does not hold was never judged: its hash will say so. */
const noCall: ToolCallPart = { type: 'tool_call', id: '', name: '', args: {}, argsHash: '' }
