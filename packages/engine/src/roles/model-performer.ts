/** Makes the model calls of an orchestrator: claimed with a decision, taken from a wake, or found by the reconciler. */
import { type ModelCallEffect, NewerError } from '@signalbox/core'
import { messageOf } from '../errors.ts'
import type { ClaimDraft, EffectRow, Log, Register, WakeBus } from '../ports.ts'
import { draftClaim } from '../perform/claim.ts'
import { type ModelCallDeps, type ModelTask, performModelCall } from '../perform/model-call.ts'
import type { Leases } from '../perform/leases.ts'
import { insist, type Patience } from '../record/patience.ts'
import type { Recorder } from '../record/recorder.ts'
import type { Strangers } from '../record/strangers.ts'
import type { RunView, Views } from '../record/view.ts'
import type { EngineSettings } from '../settings.ts'
import { createPlaces } from './places.ts'

export interface ModelPerformerDeps extends ModelCallDeps, Patience {
  readonly register: Register
  readonly views: Views
  readonly strangers: Strangers
  readonly recorder: Recorder
  readonly leases: Leases
  readonly wakeBus: Pick<WakeBus, 'publish'>
  readonly log: Log
  readonly settings: EngineSettings
  /** Aborted when this process takes no more work. */
  readonly draining: AbortSignal
  /** There is room again for a call that was announced while there was none. Resolves when it was taken, or was not. */
  readonly onRoom: (effectId: string) => Promise<void>
}

export interface ModelPerformer {
  /** A claim for a model call, if this process has room for one more. */
  claim(effectId: string): ClaimDraft | null
  /** Performs a call this process has claimed as attempt `attempt`. */
  perform(view: RunView, effect: ModelCallEffect, attempt: number): void
  /** Claims and performs a call somebody announced, now or when there is room. A refused claim does nothing. */
  take(row: EffectRow): Promise<void>
  idle(): Promise<void>
}

export function createModelPerformer(deps: ModelPerformerDeps): ModelPerformer {
  const { recorder, leases, settings, draining } = deps
  const places = createPlaces({
    most: settings.modelConcurrency,
    draining,
    callIn: (effectId) => deps.onRoom(effectId),
  })

  const claim = (effectId: string): ClaimDraft | null =>
    places.grant(effectId) ? draftClaim(deps, effectId) : null

  const run = async (task: ModelTask): Promise<void> => {
    const lease = { effectId: task.effect.id, runId: task.runId, attempt: task.attempt }
    try {
      const fact = await leases.hold(lease, (signal) => performModelCall(deps, task, signal))
      if (fact) await recorder.record(task, [fact])
    } catch (error) {
      if (!(error instanceof NewerError)) throw error
      // What was said before is newer than this build: a process that can read it makes the call.
      deps.strangers.leave(task, error.message)
      await deps.register.renew([lease], 0)
    }
  }

  const start = (task: ModelTask): void =>
    places.hold(
      run(task).catch((error: unknown) =>
        deps.log.warn('a model call was given up', {
          effectId: task.effect.id,
          error: messageOf(error),
        }),
      ),
    )

  const perform: ModelPerformer['perform'] = (view, effect, attempt) =>
    start({ ...view, rootId: view.parent?.rootId ?? view.runId, effect, attempt })

  const take: ModelPerformer['take'] = async (row) => {
    const why = await deps.views.notMine(row)
    if (why !== null) return deps.strangers.leave(row, why)
    const draft = claim(row.effectId)
    if (!draft) places.wait(row)
    if (!draft || row.spec.kind !== 'model.call') return
    const { runId, tenantId, threadId, spec } = row
    const result = await insist(deps, 'claim', () =>
      deps.register.append({ runId, tenantId, claims: [draft] }),
    )
    const claimed = result.claims[0]
    if (claimed?.code !== 'ok') return
    deps.wakeBus.publish('run', [runId])
    const agent = await deps.views.definition(row.definitionHash)
    start({
      runId,
      tenantId,
      threadId,
      agent,
      rootId: row.rootId ?? runId,
      effect: spec,
      attempt: claimed.attempt,
      seq: result.seq,
    })
  }

  return {
    claim,
    perform,
    take,
    idle: () => places.idle(),
  }
}
