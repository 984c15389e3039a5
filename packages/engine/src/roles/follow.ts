/**
 * What follows from a committed decision. All of it is a hint or can be found again: losing this process right after
 * the commit costs latency, never work (R3 of the recorder).
 */
import type { Decision, Effect, ModelCallEffect } from '@signalbox/core'
import { messageOf } from '../errors.ts'
import type { Hint, Log, Register, WakeBus } from '../ports.ts'
import type { Recorder } from '../record/recorder.ts'
import type { RunView } from '../record/view.ts'
import { cancelChildren, type FamilyDeps, tellParent } from './family.ts'
import type { LostDeps } from './lost.ts'
import type { ModelPerformer } from './model-performer.ts'
import type { PolicyPerformer } from './policy-performer.ts'
import type { Recaller } from './recaller.ts'
import type { RunStarter } from './run-starter.ts'
import { admit, admitInLanes } from './admit.ts'
import { close } from './reconciler.ts'
import type { WebhookPerformer } from './webhook-performer.ts'

export interface Committed {
  readonly view: RunView
  readonly decision: Decision
  /** Model calls that were claimed with the decision: this process performs them now. */
  readonly claimed: readonly Effect[]
}

export interface FollowDeps extends LostDeps, FamilyDeps {
  readonly register: Register
  readonly recorder: Recorder
  readonly wakeBus: WakeBus
  readonly models: ModelPerformer
  readonly questions: PolicyPerformer
  readonly starter: RunStarter
  readonly webhooks: WebhookPerformer
  readonly recaller: Recaller
  readonly log: Log
  readonly dispatch: (hints: readonly Hint[]) => Promise<void>
  readonly advance: (runId: string) => void
  /** Drops what is cached of a run that has ended. */
  readonly forget: (runId: string) => void
  readonly verify: (view: RunView) => void
}

export function createFollower(deps: FollowDeps): (committed: Committed) => void {
  const { wakeBus, models, log } = deps
  return (committed) => {
    const { view, decision, claimed } = committed
    for (const effect of claimed) if (isModelCall(effect)) models.perform(view, effect, 1)
    announce(deps, committed)
    for (const effect of decision.effects) {
      if (effect.kind === 'policy.evaluate')
        void deps.questions.take({ ...view, machineVersion: view.machine.version, effect })
      if (effect.kind === 'run.start') void deps.starter.take(effect.id)
      if (effect.kind === 'tool.recall') void deps.recaller.take(effect.id)
      if (effect.kind === 'webhook.deliver') void deps.webhooks.take(effect.id)
    }
    wakeBus.publish('run', [view.runId])
    // Facts that arrived while the decision was made.
    if (view.facts > view.decided && !view.ended) deps.advance(view.runId)
    void settle(deps, view, decision).catch((error: unknown) =>
      log.warn('what follows a decision failed', { runId: view.runId, error: messageOf(error) }),
    )
    deps.verify(view)
  }
}

/** Tells workers and other orchestrators of effects this process does not perform itself. */
function announce({ wakeBus, dispatch }: FollowDeps, { decision, claimed }: Committed): void {
  const waiting = decision.effects.filter((effect) => !claimed.includes(effect))
  const models = waiting.filter(isModelCall).filter((effect) => effect.delayMs === 0)
  if (models.length > 0)
    wakeBus.publish(
      'model',
      models.map((effect) => effect.id),
    )
  const hints = waiting
    .filter((effect) => effect.kind === 'tool.call')
    .map((effect): Hint => ({ effectId: effect.id, queue: effect.queue, dispatch: 0 }))
  if (hints.length > 0) void dispatch(hints)
}

/** Closes what must not start any more, or gives the thread to the next run. */
async function settle(deps: FollowDeps, view: RunView, decision: Decision): Promise<void> {
  const { register, wakeBus } = deps
  if (decision.state.name === 'cancelling') {
    wakeBus.publish('cancel', [view.runId])
    for (const row of await register.openEffects(view.runId))
      if (row.status === 'pending' && row.kind !== 'webhook.deliver') await close(deps, row)
  }
  const ended = decision.status === 'ended'
  const leaves = ended || decision.state.name === 'cancelling'
  if (leaves && decision.state.context.children > 0) await cancelChildren(deps, view.runId)
  if (view.laned && (ended || decision.status === 'waiting')) await admitInLanes(deps, view.runId)
  if (!ended) return
  if (view.parent) await tellParent(deps, view.runId)
  deps.forget(view.runId)
  const next = await register.nextInThread(view.tenantId, view.threadId)
  if (next) await admit(deps, next)
}

const isModelCall = (effect: Effect): effect is ModelCallEffect => effect.kind === 'model.call'
