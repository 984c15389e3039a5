/** Faults: a run that cannot be decided ends `failed`, once, and nothing loops (I22). */
import type { Log } from '../ports.ts'
import { type DraftedBy, draftDecision, expectedFacts } from './decision.ts'
import type { Followers } from './plan.ts'
import type { Append } from './recorder.ts'
import type { LoadedRun, Views } from './view.ts'

export interface FaulterDeps extends DraftedBy {
  readonly views: Views
  readonly log: Log
  readonly followers: Followers
  readonly append: Append
}

/** Takes a run one step towards its end: first the fault becomes a fact, then it alone is folded. */
export function createFaulter(
  deps: FaulterDeps,
): (loaded: LoadedRun, message: string) => Promise<void> {
  const { views, writer, log, followers, append } = deps
  return async (loaded, message) => {
    const { view } = loaded
    const { runId, tenantId } = view
    const known = loaded.events.findLast((event) => event.type === 'run.faulted')
    if (!known) {
      log.error('a run cannot be decided and is faulted', { runId, message })
      const payload = { code: 'undecidable', message: message.slice(0, 2_000) }
      const fact = writer.fact('run.faulted', payload, { key: `fault:${view.decided}` })
      await append({ runId, tenantId, facts: [fact] })
      return
    }
    const facts = expectedFacts([{ ...known, key: '', fence: null }], view.facts - 1)
    const decided = draftDecision(deps, view, facts)
    // A fault alone asks no policy.
    if (!decided) return
    const { decision, draft } = decided
    const result = await append({
      runId,
      tenantId,
      decision: { ...draft, through: view.facts },
    })
    views.forget(runId)
    if (result.decisionCode === 'ok') followers.decided({ ...view, ended: true }, decision, [])
  }
}
