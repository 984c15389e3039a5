/** Faults: a run that cannot be decided ends `failed`, once, and nothing loops (I22). */
import { statusOfState } from '@signalbox/core'
import { messageOf, TerminalError } from '../errors.ts'
import type { FactDraft, Log } from '../ports.ts'
import { type DraftedBy, draftDecision, expectedFacts } from './decision.ts'
import { changedFact, isChanged } from './definition.ts'
import { fullFact } from './full.ts'
import type { Followers } from './plan.ts'
import type { Append } from './recorder.ts'
import type { LoadedRun, Views } from './view.ts'

export interface FaulterDeps extends DraftedBy {
  readonly views: Views
  readonly log: Log
  readonly followers: Followers
  readonly append: Append
}

/**
 * Ends a run: the fault becomes a fact, and it alone is folded, in one item. One that is a fact already is folded. Answers whether
 * that waits for what is claimed of the run: there is nothing more to do here.
 */
export function createFaulter(
  deps: FaulterDeps,
): (loaded: LoadedRun, error: unknown) => Promise<boolean> {
  const { views, writer, log, followers, append } = deps
  const faultOf = (error: unknown): FactDraft => {
    if (error instanceof TerminalError && error.code === 'history_too_long') return fullFact(writer)
    if (isChanged(error)) return changedFact(writer, error)
    const payload = { code: 'undecidable', message: messageOf(error).slice(0, 2_000) }
    return writer.fact('run.faulted', payload, { key: 'fault' })
  }
  return async (loaded, error) => {
    const { view } = loaded
    const { runId, tenantId } = view
    const known = loaded.events.findLast((event) => event.type === 'run.faulted')
    if (!known)
      log.error('a run cannot be decided and is faulted', { runId, message: messageOf(error) })
    const fact = known ? { ...known, key: '', fence: null } : faultOf(error)
    const through = known ? view.facts : view.seq + 1
    const facts = expectedFacts([fact], through - 1)
    const decided = draftDecision(deps, view, facts)
    // A fault alone asks no policy.
    if (!decided) return false
    const { decision, draft } = decided
    const result = await append({
      runId,
      tenantId,
      ...(known ? {} : { facts: [fact] }),
      decision: { ...draft, through },
    })
    views.forget(runId)
    const { decisionCode, detail } = result
    if (decisionCode === 'rejected')
      throw new TerminalError('append_rejected', detail ?? 'the fault cannot be decided')
    const ended = { view: { ...view, ended: true }, before: statusOfState(view.state) }
    if (decisionCode === 'ok') followers.decided({ ...ended, facts, decision, claimed: [] })
    if (decisionCode === 'held') followers.held(runId)
    return decisionCode === 'held'
  }
}
