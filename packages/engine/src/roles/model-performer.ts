/** Makes the model calls of an orchestrator: claimed with a decision, taken from a wake, or found by the reconciler. */
import { type Effect, type ModelCallEffect, NewerError, project } from '@signalbox/core'
import { LRUCache } from 'lru-cache'
import { messageOf } from '../errors.ts'
import type { ClaimDraft, EffectRow, Log, Register, RunRef, WakeBus } from '../ports.ts'
import { claimEffect, draftClaim } from '../perform/claim.ts'
import { type ModelCallDeps, type ModelTask, performModelCall } from '../perform/model-call.ts'
import type { Lease, Leases } from '../perform/leases.ts'
import type { Patience } from '../record/patience.ts'
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
  claim(effect: Effect): ClaimDraft | null
  /** Performs a call this process has claimed so, as its first attempt. */
  perform(view: RunView, effect: ModelCallEffect): void
  /** Claims and performs a call somebody announced, now or when there is room. A refused claim does nothing. */
  take(row: EffectRow): Promise<void>
  idle(): Promise<void>
}

export function createModelPerformer(deps: ModelPerformerDeps): ModelPerformer {
  const { settings, draining } = deps
  const places = createPlaces({
    most: settings.modelConcurrency,
    draining,
    callIn: (effectId) => deps.onRoom(effectId),
  })

  /** When the claims that travel with decisions were drafted, by the monotonic clock. */
  const drafted = new WeakMap<Effect, number>()

  const claim: ModelPerformer['claim'] = (effect) => {
    if (!places.grant(effect.id)) return null
    drafted.set(effect, deps.clock.monotonic())
    return draftClaim(deps, effect.id)
  }

  /** Runs in which something was said that this build could not read. */
  const newer: Newer = new LRUCache({ max: settings.cachedRuns })

  const start = (lease: Lease, taskOf: () => Promise<ModelTask>, run: RunRef): void =>
    places.hold(performUnder(deps, lease, { taskOf, run, newer }))

  const perform: ModelPerformer['perform'] = (view, effect) => {
    const { runId } = view
    const since = drafted.get(effect) ?? -Infinity
    const rootId = view.parent?.rootId ?? runId
    const task = { ...view, rootId, effect, attempt: 1 }
    const { threadId } = view
    start(
      { effectId: effect.id, runId, rootId, threadId, attempt: 1, since },
      async () => task,
      view,
    )
  }

  const take: ModelPerformer['take'] = async (row) => {
    const why = (await deps.views.notMine(row)) ?? (await unreadable(deps, newer, row))
    if (why !== null) return deps.strangers.leave(row, why)
    const isFree = places.grant(row.effectId)
    if (!isFree) places.wait(row)
    const { runId, spec: effect } = row
    if (!isFree || effect.kind !== 'model.call') return
    const { code, lease, result } = await claimEffect(deps, row)
    if (code !== 'ok') return
    deps.wakeBus.publish('run', [runId])
    const { attempt } = lease
    const taskOf = async (): Promise<ModelTask> => {
      const agent = await deps.views.definition(row.definitionHash)
      return { ...row, agent, rootId: row.rootId ?? runId, effect, attempt, seq: result.seq }
    }
    start(lease, taskOf, row)
  }

  return {
    claim,
    perform,
    take,
    idle: () => places.idle(),
  }
}

type Newer = LRUCache<string, true>

/**
 * Why what was said in a run is still nothing this build can read; null if it can, or was never tried. A claim is an event, and one
 * that is given back is due at once: no call is claimed again and again to find out the same.
 */
async function unreadable(
  { transcripts, views }: ModelPerformerDeps,
  newer: Newer,
  row: EffectRow,
): Promise<string | null> {
  if (!newer.has(row.runId)) return null
  try {
    const { instructions } = await views.definition(row.definitionHash)
    project(instructions, await transcripts.read(row, Infinity))
    newer.delete(row.runId)
    return null
  } catch (error) {
    if (error instanceof NewerError) return error.message
    throw error
  }
}

/** Performs the call and records its fact. Never rejects. */
async function performUnder(
  deps: ModelPerformerDeps,
  lease: Lease,
  {
    taskOf,
    run,
    newer,
  }: {
    readonly taskOf: () => Promise<ModelTask>
    readonly run: RunRef
    readonly newer: Newer
  },
): Promise<void> {
  try {
    await deps.leases.hold(
      lease,
      async (held) => performModelCall(deps, await taskOf(), held),
      (fact) => deps.recorder.record(run, [fact]),
    )
  } catch (error) {
    const { effectId } = lease
    if (!(error instanceof NewerError))
      return deps.log.warn('a model call was given up', { effectId, error: messageOf(error) })
    // What was said before is newer than this build: a process that can read it makes the call.
    newer.set(run.runId, true)
    deps.strangers.leave(run, error.message)
    await deps.register
      .renew([lease], 0)
      .catch((failure: unknown) =>
        deps.log.warn('a lease could not be given back', { effectId, error: messageOf(failure) }),
      )
  }
}
