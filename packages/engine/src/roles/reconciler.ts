/**
 * The reconciler, on every orchestrator: finds in the register whatever no wake announced. All of the engine's liveness
 * rests on it alone (I12, I13); wakes and queues only make it fast.
 */
import { EffectKind } from '@signalbox/core'
import { messageOf } from '../errors.ts'
import type { EffectRow, Hint, Log, Register, RunRef } from '../ports.ts'
import type { Patience } from '../record/patience.ts'
import type { Recorder } from '../record/recorder.ts'
import type { EngineSettings } from '../settings.ts'
import { cancelChild, type FamilyDeps, tellParent } from './family.ts'
import { admit } from './admit.ts'
import { hintOf, type LookAtBacklog } from './backlog.ts'
import { supersede } from './supersede.ts'
import { lostFact, type LostDeps, neverStarted, startedBy } from './lost.ts'

export interface ReconcilerDeps extends LostDeps, FamilyDeps, Patience {
  readonly register: Register
  readonly recorder: Recorder
  readonly log: Log
  readonly settings: EngineSettings
  /** Aborted when this process takes no more work. */
  readonly draining: AbortSignal
  readonly advance: (runId: string) => Promise<void>
  readonly dispatch: (hints: readonly Hint[]) => Promise<void>
  readonly backlog: LookAtBacklog
  readonly takeModel: (row: EffectRow) => Promise<void>
  readonly takePolicy: (row: EffectRow) => Promise<void>
  readonly startRun: (effectId: string) => Promise<void>
  readonly takeWebhook: (effectId: string) => Promise<void>
  readonly recall: (effectId: string) => Promise<void>
}

const batchMax = 500
/** After a look that left something: what cannot be done now must not be tried without a pause. */
const againMs = 20

/** One look at everything that is due. Each part goes on when another fails. Answers whether there is more of it. */
async function reconcile(deps: ReconcilerDeps): Promise<boolean> {
  let more = false
  for (const part of [timers, admissions, ready, effects, backlog, families]) {
    if (deps.draining.aborted) return false
    const found = await part(deps).catch((error: unknown) =>
      deps.log.warn('reconciling failed', { part: part.name, error: messageOf(error) }),
    )
    more ||= found === batchMax
  }
  return more
}

/** Answers how many were found, as `admissions` does. What they leave is found by the next look, which nothing announces. */
async function ready(deps: ReconcilerDeps): Promise<number> {
  const runs = await deps.register.readyRuns(batchMax)
  await Promise.all(runs.map((run) => deps.advance(run.runId)))
  return runs.length
}

async function admissions(deps: ReconcilerDeps): Promise<number> {
  await supersede(deps)
  const runs = await deps.register.admissibleRuns(batchMax)
  for (const run of runs) await admit(deps, run)
  return runs.length
}

async function timers(deps: ReconcilerDeps): Promise<void> {
  for (const timer of await deps.register.dueTimers(batchMax)) {
    const fact = deps.writer.fact(
      'timer.fired',
      { timerId: timer.timerId },
      { key: `timer:${timer.timerId}:${timer.fireAt}` },
    )
    await deps.recorder.record(timer, [fact])
  }
}

async function effects(deps: ReconcilerDeps): Promise<void> {
  const { register, settings } = deps
  const due = await register.takeDue(EffectKind.options, settings.redispatchMs, batchMax)
  const hints: Hint[] = []
  for (const row of due) {
    if (row.kind === 'policy.evaluate') void deps.takePolicy(row)
    else if (row.kind === 'webhook.deliver') void deps.takeWebhook(row.effectId)
    else if (row.cancelRequested) await close(deps, row)
    else if (row.kind === 'model.call') await deps.takeModel(row)
    else if (row.kind === 'run.start') void deps.startRun(row.effectId)
    else if (row.kind === 'tool.recall') void deps.recall(row.effectId)
    else if (row.status === 'started' && row.mode === 'once')
      await deps.recorder.record(row, [await lostFact(deps, row, row.attempt)])
    else if (isNews(row)) hints.push(hintOf(row))
  }
  if (hints.length > 0) await deps.dispatch(hints)
}

/** Was it announced by nobody yet? A call that began, or was delayed. Of the others, `backlog` sees whether a queue has lost some. */
const isNews = ({ attempt, spec }: EffectRow): boolean => attempt > 0 || spec.delayMs > 0

const backlog = (deps: ReconcilerDeps): Promise<number> => deps.backlog()

/** Parents hear of the ends of their children, children of the ends of their parents, and nobody holds what he does not use. */
async function families(deps: ReconcilerDeps): Promise<void> {
  const { register } = deps
  const each = (run: RunRef, work: Promise<void>): Promise<void> =>
    // One that fails does not hide the others.
    work.catch((error: unknown) =>
      deps.log.warn('a tree of runs waits', { runId: run.runId, error: messageOf(error) }),
    )
  const ended = await register.endedChildren(batchMax)
  await Promise.all(ended.map((child) => each(child, tellParent(deps, child.runId))))
  const orphans = await register.orphans(batchMax)
  await Promise.all(orphans.map((orphan) => each(orphan, cancelChild(deps, orphan))))
  await register.settleBudgets()
}

/** An effect of a run that is being cancelled: it starts no more, and its outcome is recorded (I7, I14). */
export async function close(
  deps: Pick<ReconcilerDeps, 'recorder' | 'writer' | 'views' | 'register'>,
  row: EffectRow,
): Promise<void> {
  // A question has no effect in the world: nobody waits for its end, and the end of the run closes it.
  if (row.kind === 'policy.evaluate') return
  const child = row.status === 'started' ? await startedBy(deps, row) : null
  if (child) return void (await deps.recorder.record(row, [child]))
  const fact =
    row.status === 'pending'
      ? neverStarted(deps.writer, row)
      : await lostFact(deps, row, row.attempt)
  await deps.recorder.record(row, [fact])
}

/** Polls until the process stops: at the pace of `pollMs`, sooner when the register knows of something due sooner. */
export async function poll(deps: ReconcilerDeps): Promise<void> {
  const { clock, random, settings, draining } = deps
  while (!draining.aborted) {
    const more = await reconcile(deps)
    const due = more ? againMs : await deps.register.nextDue().catch(() => null)
    const pace = settings.pollMs * (0.8 + 0.4 * random.unit())
    const pause = due === null ? pace : Math.min(pace, Math.max(due, 5))
    await clock.sleep(pause, draining)
  }
}
