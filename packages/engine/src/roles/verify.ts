/** The sampled check, in production, that the cached state is the fold of the log and replays (I15, I16). */
import { persist, replay, same } from '@signalbox/core'
import { messageOf } from '../errors.ts'
import type { Log, Register } from '../ports.ts'
import type { EvaluatorOf } from '../record/decision.ts'
import type { Writer } from '../record/draft.ts'
import { foldLog, type RunView, type Views } from '../record/view.ts'

export interface VerifyDeps {
  readonly register: Register
  readonly views: Views
  readonly writer: Writer
  readonly evaluatorOf: EvaluatorOf
  readonly log: Log
  /** One decision in this many is checked; 0: none. */
  readonly every: number
}

export function createVerifier(deps: VerifyDeps): (view: RunView) => void {
  let decisions = 0
  return (view) => {
    decisions += 1
    if (deps.every === 0 || decisions % deps.every !== 0) return
    void verify(deps, view).catch((error: unknown) =>
      deps.log.warn('a state could not be verified', {
        runId: view.runId,
        error: messageOf(error),
      }),
    )
  }
}

async function verify(deps: VerifyDeps, view: RunView): Promise<void> {
  const { register, views, writer, log, evaluatorOf } = deps
  const { runId, tenantId } = view
  const subject = { run: runId, agent: view.agent, evaluatorOf }
  const events = await register.events(runId, {})
  const folded = foldLog(subject, events, view.decided)
  const { differences } = replay(subject, events)
  if (differences.length === 0 && same(persist(folded), persist(view.state))) return
  log.error('the cached state differs from the fold of the log', { runId, seq: view.seq })
  views.forget(runId)
  const note = writer.event('state.repaired', { seq: view.seq }, { verdict: 'repaired' })
  await register.append({ runId, tenantId, notes: [note] })
}
