/**
 * Makes the model calls of an orchestrator: claimed with a decision, taken from a wake, or found by the reconciler. A summary of a
 * conversation is one of them: it takes a place as a turn does, and waits among the tenants for one.
 */
import {
  type AgentDefinition,
  type Effect,
  type ModelCallEffect,
  NewerError,
  project,
} from '@signalbox/core'
import { LRUCache } from 'lru-cache'
import { warning } from '../errors.ts'
import type { CompactionDeps } from '../perform/ask-summary.ts'
import { draftClaim } from '../perform/claim.ts'
import { type ModelCallDeps, performModelCall } from '../perform/model-call.ts'
import type { ClaimDraft, EffectRow } from '../ports.ts'
import type { Strangers } from '../record/strangers.ts'
import type { RunView } from '../record/view.ts'
import { compactionPerformer } from './compactions.ts'
import { createPlaces } from './places.ts'
import {
  type Claimable,
  claimFor,
  type HeldEffect,
  type LoopDeps,
  performHeld,
  type Performer,
  readFor,
} from './loop.ts'
import { rowOf } from './row.ts'

export type ModelsDeps = ModelCallDeps &
  CompactionDeps &
  LoopDeps & {
    readonly strangers: Strangers
    /** There is room again for a call that was announced while there was none. Resolves when it was taken, or was not. */
    readonly onRoom: (effectId: string) => Promise<void>
  }

export interface Models {
  /** A claim for a model call, if this process has room for one more. */
  claim(effect: ModelCallEffect): ClaimDraft | null
  /** Performs a call this process has claimed so, as its first attempt. */
  perform(view: RunView, effect: ModelCallEffect): void
  /** Claims and performs a call, or a summary, now or when there is room. Resolves when it is claimed, or is not. */
  take(row: EffectRow): Promise<void>
  idle(): Promise<void>
}

/** A call, and whose it is. */
interface Call extends Claimable {
  readonly effect: ModelCallEffect
}

export function createModelEffects(deps: ModelsDeps): Models {
  const { settings, draining } = deps
  const places = createPlaces({
    most: settings.modelConcurrency,
    draining,
    callIn: (effectId) => deps.onRoom(effectId),
  })
  /** When the claims that travel with decisions were drafted, by the monotonic clock. */
  const drafted = new WeakMap<Effect, number>()
  /** Runs in which something was said that this build could not read. */
  const newer: Newer = new LRUCache({ max: settings.cachedRuns })
  const turns = modelPerformer(deps, newer)
  const summaries = compactionPerformer(deps)

  const start = <C extends Claimable>(
    performer: Performer<C, AgentDefinition>,
    held: HeldEffect<C, AgentDefinition>,
  ): void =>
    places.hold(
      performHeld(deps, performer, held).catch((error: unknown) =>
        giveUp({ ...deps, newer }, { performer, held }, error),
      ),
    )

  const take = async <C extends Claimable>(
    performer: Performer<C, AgentDefinition>,
    of: C,
  ): Promise<void> => {
    const found = await readFor(deps, performer, of)
    if ('why' in found) return performer.left?.(of, found.why)
    if (!places.grant(of.effectId)) return places.wait(of)
    const claim = await claimFor(deps, performer, of)
    if (claim) start(performer, { of, ...found, ...claim })
  }

  return {
    claim(effect) {
      if (!places.grant(effect.id)) return null
      drafted.set(effect, deps.clock.monotonic())
      return draftClaim(deps, effect.id)
    },
    perform(view, effect) {
      const { runId, threadId, agent, seq, machine } = view
      const rootId = view.parent?.rootId ?? runId
      const since = drafted.get(effect) ?? -Infinity
      const call = { ...view, effectId: effect.id, rootId, machineVersion: machine.version, effect }
      const lease = { effectId: effect.id, runId, rootId, threadId, attempt: 1, since }
      start(turns, { of: call, read: agent, lease, seq })
    },
    async take(row) {
      const { spec: effect } = row
      if (effect.kind === 'model.call') return take(turns, { ...row, effect })
      const summary = rowOf('context.compact', row)
      if (summary) await take(summaries, summary)
    },
    idle: () => places.idle(),
  }
}

type Newer = LRUCache<string, true>

const modelPerformer = (deps: ModelsDeps, newer: Newer): Performer<Call, AgentDefinition> => ({
  givenUp: 'a model call was given up',
  needsRun: true,
  async read(call) {
    const agent = await deps.views.definition(call.definitionHash)
    // A claim is an event, and one that is given back is due at once: no call is claimed again and again to find out the same.
    if (newer.has(call.runId)) {
      project(agent.instructions, await deps.transcripts.read(call, Infinity))
      newer.delete(call.runId)
    }
    return agent
  },
  left: (call, why) => deps.strangers.leave(call, why),
  claimed: ({ runId }) => deps.wakeBus.publish('run', [runId]),
  perform: (call, { attempt, seq, read: agent }, held) =>
    performModelCall(
      deps,
      { ...call, agent, rootId: call.rootId ?? call.runId, attempt, seq },
      held,
    ),
  record: (call, fact) => deps.recorder.record(call, [fact]),
})

/** The conversation is newer than this build: a process that can read it makes the call. Anything else is found again. */
async function giveUp<C extends Claimable>(
  deps: ModelsDeps & { readonly newer: Newer },
  {
    performer,
    held: { of: call, lease },
  }: {
    readonly performer: Performer<C, AgentDefinition>
    readonly held: HeldEffect<C, AgentDefinition>
  },
  error: unknown,
): Promise<void> {
  const { effectId } = lease
  if (!(error instanceof NewerError))
    return warning(deps.log, performer.givenUp, { effectId })(error)
  deps.newer.set(call.runId, true)
  performer.left?.(call, error.message)
  await deps.register
    .renew([lease], 0)
    .catch(warning(deps.log, 'a lease could not be given back', { effectId }))
}
