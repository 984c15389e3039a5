/** Recalls results in reruns, on orchestrators: after the decision, or when the reconciler finds the effect. No worker does. */
import { messageOf } from '../errors.ts'
import { claimEffect } from '../perform/claim.ts'
import type { Leases } from '../perform/leases.ts'
import { performRecall, placeOf, type RecallDeps } from '../perform/recall.ts'
import type { Clock, Log, Random } from '../ports.ts'
import { insist, type Patience } from '../record/patience.ts'
import type { Recorder } from '../record/recorder.ts'
import type { Views } from '../record/view.ts'
import type { EngineSettings } from '../settings.ts'
import { newerIn } from './newer-in.ts'

export interface RecallerDeps extends RecallDeps, Patience {
  readonly views: Views
  readonly recorder: Recorder
  readonly leases: Leases
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly settings: EngineSettings
  readonly draining: AbortSignal
}

export interface Recaller {
  /** Claims the effect and looks its result up. A refused claim does nothing. */
  take(effectId: string): Promise<void>
  idle(): Promise<void>
}

export function createRecaller(deps: RecallerDeps): Recaller {
  const { register, recorder, leases } = deps
  const running = new Set<Promise<void>>()

  const recall = async (effectId: string): Promise<void> => {
    if (deps.draining.aborted) return
    const row = await insist(deps, 'read effect', () => register.effect(effectId))
    if (row?.spec.kind !== 'tool.recall') return
    const { spec: effect } = row
    if ((await deps.views.notMine(row)) !== null) return
    if ((await newerIn(() => placeOf(register, { row, effect }))) !== null) return
    const { code, lease, result } = await claimEffect(deps, row)
    if (code !== 'ok') return
    deps.views.noted(row.runId, result)
    await leases.hold(
      lease,
      () => performRecall(deps, { row, effect, attempt: lease.attempt }),
      (fact) => recorder.record(row, [fact]),
    )
  }

  return {
    take(effectId) {
      const work = recall(effectId)
        .catch((error: unknown) =>
          deps.log.warn('a result could not be recalled', { effectId, error: messageOf(error) }),
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
