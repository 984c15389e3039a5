/** A plan: a decision over facts with the claims that go with it, and what an append made of it. */
import {
  type Decision,
  type Effect,
  type Fact,
  isConversational,
  isFinal,
  type RunStatus,
  statusOfState,
} from '@signalbox/core'
import type { AppendItem, AppendResult, ClaimDraft, DecisionDraft, FactDraft } from '../ports.ts'
import { type DraftedBy, draftDecision, expectedFacts } from './decision.ts'
import type { KeptConversations, RunView, Views } from './view.ts'

/** A decision that is committed. */
export interface Committed {
  /** The run after it. */
  readonly view: RunView
  /** The status of the run before. */
  readonly before: RunStatus
  readonly facts: readonly Fact[]
  readonly decision: Decision
  /** Effects that were claimed with the decision: this process performs them now. */
  readonly claimed: readonly Effect[]
}

/** The calls of the recorder to the process around it, after a commit. */
export interface Followers {
  /** Is this process to perform the effect at once? Then it is claimed in the same append. */
  claim(effect: Effect): ClaimDraft | null
  decided(committed: Committed): void
  /** Facts are in the register, undecided. */
  recorded(runId: string): void
  /** The run ends when nothing of it is claimed any more: whoever performs for it is to stop. */
  held(runId: string): void
}

export interface Plan {
  readonly view: RunView
  readonly facts: readonly Fact[]
  readonly decision: Decision
  readonly draft: DecisionDraft
  readonly claims: readonly ClaimDraft[]
  /** The effects the claims are about. */
  readonly effects: readonly Effect[]
}

export interface Planner {
  /** Decides over facts that are in the register; null if that takes policies that this process cannot evaluate. */
  over(view: RunView, facts: readonly Fact[]): Plan | null
  /** Decides over facts that are only just being written; null if they cannot be decided: `advance` will say why. */
  ahead(view: RunView, facts: readonly FactDraft[]): Plan | null
  /** Does everything that follows from an append which carried the plan. Answers whether its decision stands. */
  settle(plan: Plan, result: AppendResult): boolean
}

export function createPlanner(
  deps: DraftedBy & {
    readonly views: Views
    readonly conversations: Pick<KeptConversations, 'nothingSaid'>
    readonly followers: Followers
  },
): Planner {
  const { views, conversations, followers } = deps
  const over: Planner['over'] = (view, facts) => {
    const decided = draftDecision(deps, view, facts)
    if (!decided) return null
    const { decision, draft } = decided
    const mine = decision.effects.flatMap((effect) => {
      const claim = effect.delayMs === 0 ? followers.claim(effect) : null
      return claim ? [{ effect, claim }] : []
    })
    return {
      view,
      facts,
      decision,
      draft,
      claims: mine.map(({ claim }) => claim),
      effects: mine.map(({ effect }) => effect),
    }
  }
  return {
    over,
    ahead(view, facts) {
      try {
        return over(view, expectedFacts(facts, view.seq))
      } catch {
        return null
      }
    },
    settle(plan, result) {
      if (result.decisionCode !== 'ok') return false
      const claimed = new Set(
        result.claims.flatMap(({ code, effectId }) => (code === 'ok' ? [effectId] : [])),
      )
      const next = viewAfter(plan, result)
      const { view, decision } = plan
      // Facts are said, with the decision or by somebody else meanwhile, and some verdicts.
      const isSilent =
        result.facts === view.facts && !decision.verdicts.some(({ type }) => isConversational(type))
      if (isSilent) conversations.nothingSaid(view.runId, { from: view.seq, to: result.seq })
      views.remember(next)
      followers.decided({
        view: next,
        before: statusOfState(view.state),
        facts: plan.facts,
        decision,
        claimed: plan.effects.filter((effect) => claimed.has(effect.id)),
      })
      return true
    },
  }
}

/** The parts of an append item that a plan fills. */
export const partsOf = (plan: Plan): Pick<AppendItem, 'decision' | 'claims'> => ({
  decision: plan.draft,
  claims: plan.claims,
})

function viewAfter({ view, decision, draft }: Plan, result: AppendResult): RunView {
  return {
    ...view,
    state: decision.state,
    stateSeq: result.seq,
    seq: result.seq,
    facts: result.facts,
    decided: draft.through,
    ended: isFinal(decision.state),
  }
}
