/**
 * The sampled check, in production, that the cached state is the fold of the log by the run's own machine, and that the
 * log replays (I15, I16). A cache that differs is written anew, by one of those who find it; a decision that differs is only told
 * of, for what was decided stands.
 */
import { isCacheOf, NewerError, persist, replay, same, type Subject } from '@signalbox/core'
import { messageOf } from '../errors.ts'
import type { Log, Register } from '../ports.ts'
import type { EvaluatorOf } from '../record/decision.ts'
import type { Writer } from '../record/draft.ts'
import type { Preparations } from '../record/preparations.ts'
import { foldLog, type RunView, type Views } from '../record/view.ts'

export interface VerifyDeps {
  readonly register: Register
  readonly views: Views
  readonly writer: Writer
  readonly evaluatorOf: EvaluatorOf
  readonly preparations: Pick<Preparations, 'isReady'>
  readonly log: Log
  /** One decision in this many is checked; 0: none. */
  readonly every: number
}

export function createVerifier(deps: VerifyDeps): (view: RunView) => void {
  let decisions = 0
  return (view) => {
    decisions += 1
    if (deps.every === 0 || decisions % deps.every !== 0) return
    // Without its policies a run comes out otherwise, and that says nothing.
    if (!deps.preparations.isReady(view.definitionHash, view.agent)) return
    void verify(deps, view).catch((error: unknown) => {
      if (error instanceof NewerError) return
      deps.log.warn('a state could not be verified', {
        runId: view.runId,
        error: messageOf(error),
      })
    })
  }
}

async function verify(deps: VerifyDeps, view: RunView): Promise<void> {
  const { register, views, log, evaluatorOf } = deps
  const { runId, machine } = view
  // A run that was faulted for its definition is not in its view.
  const agent = await views.definition(view.definitionHash)
  const subject = { run: runId, agent, machine, evaluatorOf }
  const events = await register.events(runId, {})
  const { differences } = replay(subject, events)
  const [first] = differences
  if (first) log.error('a stored decision is not reproduced', { runId, seq: first.seq })
  const folded = foldLog(subject, events, view.decided)
  if (first || same(persist(folded), persist(view.state))) return
  log.error('the cached state differs from the fold of the log', { runId, seq: view.seq })
  await repair(deps, subject, view)
  views.forget(runId)
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
