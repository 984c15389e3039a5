/**
 * The sampled check, in production, that the cached state is the fold of the log by the run's own machine, and that the
 * log replays (I15, I16). A cache that differs is written anew, by one of those who find it; a decision that differs is only told
 * of, for what was decided stands.
 *
 * Q1 A check goes on from where the last one of its run ended, reads page by page, and gives way to everything else between slices:
 *    no log, however long, holds up the process that checks it.
 */
import {
  createReplay,
  isCacheOf,
  NewerError,
  persist,
  type Replay,
  type RunState,
  same,
  type Subject,
} from '@signalbox/core'
import { LRUCache } from 'lru-cache'
import { messageOf } from '../errors.ts'
import type { Clock, Log, Register } from '../ports.ts'
import type { DraftedBy } from '../record/decision.ts'
import { foldLog, type RunView, type Views } from '../record/view.ts'

export interface VerifyDeps extends DraftedBy {
  readonly register: Register
  readonly views: Views
  readonly clock: Pick<Clock, 'sleep'>
  readonly log: Log
  /** One decision in this many is checked; 0: none. */
  readonly every: number
}

/** Events that are read at once, and that are folded without giving way. */
const pageEvents = 100
const sliceEvents = 10
/** Runs whose folds are kept, to go on from. */
const runsMax = 1_000

/** How far a run was checked. */
interface Checked {
  readonly subject: Subject
  readonly replay: Replay
  /** Up to this event. */
  seq: number
}

export function createVerifier(deps: VerifyDeps): (view: RunView) => void {
  const known = new LRUCache<string, Checked>({ max: runsMax })
  /** Runs that are being checked, and the newest view that came meanwhile: it is checked next. */
  const busy = new Map<string, RunView | null>()
  let decisions = 0

  const check = async (first: RunView): Promise<void> => {
    const { runId } = first
    for (let view: RunView | null = first; view; view = busy.get(runId) ?? null) {
      busy.set(runId, null)
      await verify(deps, known, view).catch((error: unknown) => {
        known.delete(runId)
        if (error instanceof NewerError) return
        deps.log.warn('a state could not be verified', { runId, error: messageOf(error) })
      })
    }
    busy.delete(runId)
  }

  return (view) => {
    decisions += 1
    if (deps.every === 0 || decisions % deps.every !== 0) return
    // Without its policies a run comes out otherwise, and that says nothing.
    if (!deps.preparations.isReady(view.definitionHash, view.agent)) return
    if (busy.has(view.runId)) busy.set(view.runId, view)
    else void check(view)
  }
}

async function verify(
  deps: VerifyDeps,
  known: LRUCache<string, Checked>,
  view: RunView,
): Promise<void> {
  const { views, log, evaluatorOf, passports } = deps
  const { runId, machine } = view
  // A run that was faulted for its definition is not in its view.
  const agent = await views.definition(view.definitionHash)
  const subject = { run: runId, agent, machine, evaluatorOf, passports }
  const checked = known.get(runId) ?? { subject, replay: createReplay(subject), seq: 0 }
  const folded = await goOn(deps, checked, view)
  const [first] = checked.replay.result().differences
  if (first) log.error('a stored decision is not reproduced', { runId, seq: first.seq })
  if (first || view.ended) known.delete(runId)
  else known.set(runId, checked)
  if (first || folded === null || same(persist(folded), persist(view.state))) return
  log.error('the cached state differs from the fold of the log', { runId, seq: view.seq })
  await repair(deps, subject, view)
  views.forget(runId)
}

/** Folds what the log holds beyond what was checked. Answers the state at the view's decision; null where that lies before. */
async function goOn(
  { register, clock }: VerifyDeps,
  checked: Checked,
  { runId, decided }: RunView,
): Promise<RunState | null> {
  const { replay } = checked
  let state = replay.decided === decided ? replay.state : null
  for (;;) {
    const page = await register.events(runId, { after: checked.seq, limit: pageEvents })
    for (const [n, event] of page.entries()) {
      if (n > 0 && n % sliceEvents === 0) await clock.sleep(0)
      replay.take(event)
      checked.seq = event.seq
      if (replay.decided === decided) state ??= replay.state
    }
    if (page.length < pageEvents) return state
  }
}

/** A damage that comes back that often is a fault of the disk or of the code: it is still repaired, but fills no log of a run. */
const toldMax = 8

/** Decisions that are made meanwhile from the wrong state write it again: so often it is looked at once more. */
const roundsMax = 5

async function repair(
  { register, views, writer }: VerifyDeps,
  subject: Subject,
  { runId, tenantId }: RunView,
): Promise<void> {
  for (let round = 0; round < roundsMax; round++) {
    views.forget(runId)
    const head = await register.head(runId)
    if (!head?.state || head.decided === 0) return
    const events = await register.events(runId, {})
    const state = foldLog(subject, events, head.decided)
    if (isCacheOf(subject.machine, state, head.state)) return
    const told = events.filter(({ type }) => type === 'state.repaired').length
    const note = writer.event('state.repaired', { seq: head.seq }, { verdict: 'repaired' })
    const notes = told < toldMax ? [note] : []
    const repaired = { decided: head.decided, state: persist(state), notes }
    if (await register.repairState({ runId, tenantId }, repaired)) return
  }
}
