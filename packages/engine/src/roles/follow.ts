/**
 * The consequences of a committed decision. All of it is a hint or can be found again: losing this process right after
 * the commit costs latency, never work (R3 of the recorder).
 */
import type { Decision } from '@signalbox/core'
import { warning } from '../errors.ts'
import type { Observer } from '../ports.ts'
import type { Committed } from '../record/plan.ts'
import type { RunView } from '../record/view.ts'
import { cancelChildren, type FamilyDeps, tellParent } from './family.ts'
import { admit, admitInLanes } from './admit.ts'
import { type EachDeps, eachOf } from './each-of.ts'
import { close } from './reconciler.ts'
import type { Work } from '../effects/work.ts'

export interface FollowDeps extends FamilyDeps, EachDeps {
  readonly work: Work
  readonly advance: (runId: string) => void
  /** Drops what is cached of a run that has ended. */
  readonly forget: (runId: string) => void
  readonly verify: (view: RunView) => void
  readonly observer: Pick<Observer, 'decided' | 'ended'>
}

export function createFollower(deps: FollowDeps): (committed: Committed) => void {
  const { wakeBus, work } = deps
  return ({ view, before, facts, decision, claimed }) => {
    const place = placeOf(view)
    work.follow(view, decision.effects, claimed)
    wakeBus.publish('run', [view.runId])
    // Facts that arrived while the decision was made.
    if (view.facts > view.decided && !view.ended) deps.advance(view.runId)
    deps.observer.decided({ ...place, agent: view.agent, before, facts, decision })
    const { outcome } = decision
    if (outcome) deps.observer.ended({ ...place, agent: view.agent.name, outcome })
    void settle(deps, view, decision)
    deps.verify(view)
  }
}

/** A run's id begins with the milliseconds of its creation (RFC 9562, UUIDv7). */
const createdAt = (runId: string): number =>
  Number.parseInt(runId.replaceAll('-', '').slice(0, 12), 16)

/** The run, as an observer is told of it. */
const placeOf = ({ runId, threadId, parent }: RunView) => ({
  runId,
  rootId: parent?.rootId ?? runId,
  threadId,
  parentId: parent?.runId ?? null,
  createdAt: createdAt(runId),
})

/**
 * Closes what must not start any more, or gives the thread to the next run. Each of these is done although another fails, or
 * does not end.
 */
async function settle(deps: FollowDeps, view: RunView, decision: Decision): Promise<void> {
  const ended = decision.status === 'ended'
  const waits = decision.status === 'waiting'
  const cancelling = decision.state.name === 'cancelling'
  const hasChildren = decision.state.context.children > 0
  const steps: readonly (readonly [string, boolean, () => Promise<void>])[] = [
    ['closing', cancelling, () => closePending(deps, view)],
    ['children', (ended || cancelling) && hasChildren, () => cancelChildren(deps, view.runId)],
    ['lanes', view.laned && (ended || waits), () => admitInLanes(deps, view.runId)],
    ['parent', ended && view.parent !== null, () => tellParent(deps, view.runId)],
    ['thread', ended, () => admitNext(deps, view)],
  ]
  const { runId } = view
  if (ended) deps.forget(runId)
  const due = steps.filter(([, isDue]) => isDue)
  await Promise.all(
    due.map(([step, , work]) =>
      work().catch(warning(deps.log, 'what follows a decision failed', { step, runId })),
    ),
  )
}

async function closePending(deps: FollowDeps, { runId }: RunView): Promise<void> {
  deps.wakeBus.publish('cancel', [runId])
  const open = await deps.register.openEffects(runId)
  const items = open.filter((row) => row.status === 'pending' && deps.work.isClosed(row))
  await eachOf(deps, { name: 'closing', items, idOf: ({ effectId }) => effectId }, (row) =>
    close(deps, row),
  )
}

async function admitNext(deps: FollowDeps, { tenantId, threadId }: RunView): Promise<void> {
  const next = await deps.register.nextInThread(tenantId, threadId)
  if (next) await admit(deps, next)
}
