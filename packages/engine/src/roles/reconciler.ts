/**
 * The reconciler, on every orchestrator: finds in the register whatever no wake announced. All of the engine's liveness
 * rests on it alone (I12, I13); wakes and queues only make it fast.
 *
 * C1 Whatever one run, row or question does, the others are looked after: each part of a look, and each item of a part, is
 *    done by itself, and nothing is waited for without a bound.
 * C2 What a look could not change is no reason to look again at once.
 */
import { EffectKind } from '@signalbox/core'
import type { EffectRow, Hint, RunRef } from '../ports.ts'
import { type Patience, settlesWithin } from '../record/patience.ts'
import type { Strangers } from '../record/strangers.ts'
import type { EngineSettings } from '../settings.ts'
import { createEach, type Each } from './each-of.ts'
import { cancelChild, type FamilyDeps, tellParent } from './family.ts'
import { admit } from './admit.ts'
import { hintOf, type LookAtBacklog } from './backlog.ts'
import { makeWay } from './supersede.ts'
import type { Work } from '../effects/work.ts'

export interface ReconcilerDeps extends FamilyDeps, Patience {
  readonly strangers: Strangers
  readonly settings: EngineSettings
  /** Aborted when this process takes no more work. */
  readonly draining: AbortSignal
  readonly advance: (runId: string) => Promise<void>
  readonly dispatch: (hints: readonly Hint[]) => Promise<void>
  readonly backlog: LookAtBacklog
  readonly work: Work
  /** Told of each look, and whether the register has answered every question of it. */
  readonly turned: (isAnswered: boolean) => void
}

const batchMax = 500
/** After a look that left something. */
const againMs = 20
/** The least pause after a look that changed something, after one that did not, and while runs are left to other processes. */
const pauseMsMin = { changed: 5, unchanged: 50, strangers: 500 }
/** How long a queue is waited for that takes no hints. */
const dispatchMsMax = 1_000
/** How long the question for what comes due next is on its way, as a rule: what comes due meanwhile waits for the next look. */
const askedMsMax = 50
/** How long a part is waited for. What is not over then goes on by itself; a question without an answer is given up. */
const partMsMax = 5_000
/** After the parts of a look have used this long together, the next part is waited for anew, for all of `partMsMax`. */
const partUsedMs = 500

/** The result of a part of a look. */
interface Found {
  readonly count: number
  readonly changed: boolean
}

/** The answer to a question of this look. Rejects when it comes too late. */
type Ask = <T>(question: Promise<T>) => Promise<T>

interface Part {
  readonly name: string
  readonly look: (ask: Ask) => Promise<Found>
}

/** A part that asks for what is due, but for what is at work or rests, and does each by itself. */
function partOf<T extends RunRef>(
  deps: ReconcilerDeps,
  name: string,
  part: {
    readonly atOnce?: number
    readonly find: (except: readonly string[]) => Promise<readonly T[]>
    /** `false`: it did not get on. */
    readonly work: (item: T) => Promise<unknown>
  },
): Part {
  const each = createEach(eachDeps(deps), { name, atOnce: part.atOnce ?? 64 })
  return {
    name,
    look: async (ask) => {
      const items = await ask(part.find(each.away))
      const changed = await each.over(items, ({ runId }) => runId, part.work)
      return { count: items.length, changed }
    },
  }
}

const eachDeps = ({ clock, log, draining }: ReconcilerDeps) => ({ clock, log, stopped: draining })

/** All that is looked for, in the order in which it is. */
function partsOf(deps: ReconcilerDeps): readonly Part[] {
  const { register, log } = deps
  return [
    partOf(deps, 'timers', {
      find: (except) => register.dueTimers(batchMax, except),
      work: (timer) => fire(deps, timer),
    }),
    partOf(deps, 'superseded', {
      find: (except) => register.superseded(batchMax, undefined, except),
      work: (run) => makeWay(deps, run),
    }),
    partOf(deps, 'admissions', {
      // The most urgent first: who is refused here waits for room, and does not rest.
      atOnce: 1,
      find: (except) => register.admissibleRuns(batchMax, except),
      work: async (run) => void (await admit(deps, run)),
    }),
    partOf(deps, 'ready', {
      find: (except) => register.readyRuns(batchMax, [...except, ...deps.strangers.resting()]),
      work: (run) => advance(deps, run),
    }),
    effectsPart(deps),
    {
      name: 'backlog',
      look: async (ask) => {
        const count = await ask(deps.backlog())
        return { count, changed: count > 0 }
      },
    },
    partOf(deps, 'ended children', {
      find: (except) => register.endedChildren(batchMax, except),
      work: (child) => tellParent(deps, child.runId),
    }),
    partOf(deps, 'orphans', {
      find: (except) => register.orphans(batchMax, except),
      work: (orphan) => cancelChild(deps, orphan),
    }),
    {
      name: 'budgets',
      look: async (ask) => {
        for (const { rootId, problem } of await ask(register.settleBudgets()))
          log.warn('a budget could not be settled', { rootId, problem })
        return { count: 0, changed: false }
      },
    },
  ]
}

/** Answers whether the timer is gone: one that is found again although its fact is there must not be fired in a loop. */
async function fire(
  { writer, recorder }: ReconcilerDeps,
  timer: RunRef & { readonly timerId: string; readonly fireAt: number },
): Promise<boolean> {
  const { timerId, fireAt } = timer
  const fact = writer.fact('timer.fired', { timerId }, { key: `timer:${timerId}:${fireAt}` })
  const { factCodes } = await recorder.record(timer, [fact])
  return factCodes[0] === 'ok'
}

/** Answers whether the run got on. One that nothing can be done about here, now, must not hide the others. */
async function advance({ register, ...deps }: ReconcilerDeps, { runId }: RunRef): Promise<boolean> {
  await deps.advance(runId)
  const head = await register.head(runId)
  return !head || head.status === 'ended' || head.decided >= head.facts
}

/** The effects that are due. Whatever was taken is looked at again only later, so none hides the others. */
function effectsPart(deps: ReconcilerDeps): Part {
  const { register, settings, clock, work } = deps
  const each = createEach(eachDeps(deps), { name: 'effects', atOnce: 16 })
  const isClosed = (row: EffectRow): boolean => row.cancelRequested && work.isClosed(row)
  const isForWorkers = (row: EffectRow): boolean => !row.cancelRequested && work.isForWorkers(row)
  /** One that this process performs by itself, for nobody to wait for. */
  const isByItself = (row: EffectRow): boolean => !isClosed(row) && !work.isAwaited(row)
  return {
    name: 'effects',
    look: async (ask) => {
      const kinds = EffectKind.options
      const due = await ask(register.takeDue(kinds, settings.redispatchMs, batchMax))
      const hints = due.filter(isForWorkers).filter(isNews).map(hintOf)
      if (hints.length > 0) await settlesWithin(clock, dispatchMsMax, deps.dispatch(hints))
      const rest = due.filter((row) => !isForWorkers(row))
      for (const row of rest.filter(isByItself)) void each.begin(row.effectId, () => work.due(row))
      const others = rest.filter((row) => !isByItself(row))
      await each.over(
        others,
        ({ effectId }) => effectId,
        (row) => (isClosed(row) ? close(deps, row) : work.due(row)),
      )
      return { count: due.length, changed: due.length > 0 }
    },
  }
}

/** Was it announced by nobody yet? A call that began, or was delayed. Of the others, `backlog` sees whether a queue has lost some. */
const isNews = ({ attempt, spec }: EffectRow): boolean => attempt > 0 || spec.delayMs > 0

/** An effect of a run that is being cancelled: it starts no more, and its outcome is recorded (I7, I14). */
export async function close(
  { work, recorder }: Pick<ReconcilerDeps, 'work' | 'recorder'>,
  row: EffectRow,
): Promise<void> {
  const fact = await work.close(row)
  if (fact) await recorder.record(row, [fact])
}

/** Polls until the process stops: at the pace of `pollMs`, sooner when the register knows of something due sooner. */
export async function poll(deps: ReconcilerDeps): Promise<void> {
  const { clock, draining } = deps
  const parts = partsOf(deps)
  const each = createEach(eachDeps(deps), { name: 'reconciler', atOnce: 1, restMsMax: 1_000 })
  while (!draining.aborted) await clock.sleep(await look(deps, parts, each), draining)
}

/** One look at everything that is due. Answers the pause to the next one, in milliseconds. */
async function look(deps: ReconcilerDeps, parts: readonly Part[], each: Each): Promise<number> {
  const { clock, random, settings, draining, register } = deps
  const beganAt = clock.monotonic()
  let [answered, more, changed] = [0, false, false]
  let bound = boundOf(clock)
  try {
    for (const part of parts) {
      bound = unused(clock, bound)
      const { ask, late } = bound
      const work = each.begin(part.name, async () => {
        const found = await part.look(ask)
        answered += 1
        more ||= found.count === batchMax
        changed ||= found.changed
      })
      await Promise.race([work, late])
      if (draining.aborted) return 0
    }
    deps.turned(answered === parts.length)
    const pauseMin = pauseMinOf(deps, changed)
    if (more) return Math.max(againMs, pauseMin)
    bound = unused(clock, bound)
    const lookedMs = Math.ceil(clock.monotonic() - beganAt) + askedMsMax
    const due = await bound.ask(register.nextDue(EffectKind.options, lookedMs)).catch(() => null)
    const pace = settings.pollMs * (0.8 + 0.4 * random.unit())
    return due === null ? pace : Math.min(pace, Math.max(due, pauseMin))
  } finally {
    bound.end()
  }
}

/** Rows that are left to other processes come due again and again: the reconciler does not look once for each of them. */
const pauseMinOf = ({ strangers }: ReconcilerDeps, changed: boolean): number =>
  strangers.resting().length > 0
    ? pauseMsMin.strangers
    : pauseMsMin[changed ? 'changed' : 'unchanged']

/** How long parts are waited for: one sleep for those that are quick, and another one behind a part that has used some of it. */
function boundOf(clock: ReconcilerDeps['clock']) {
  const enough = new AbortController()
  const until = clock.monotonic() + partUsedMs
  const late = clock.sleep(partMsMax, enough.signal)
  const tooLate = late.then(() => Promise.reject(new Error(`no answer in ${partMsMax} ms`)))
  tooLate.catch(() => {})
  const ask: Ask = (question) => Promise.race([question, tooLate])
  return { ask, late, isUsed: () => clock.monotonic() > until, end: () => enough.abort() }
}

function unused(clock: ReconcilerDeps['clock'], bound: ReturnType<typeof boundOf>) {
  if (!bound.isUsed()) return bound
  bound.end()
  return boundOf(clock)
}
