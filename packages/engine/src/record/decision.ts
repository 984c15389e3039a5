/** From facts to the draft of a decision: the pure decider, dressed for the register. */
import {
  type AgentDefinition,
  type Decision,
  decide,
  type Fact,
  persist,
  type RunState,
  type Subject,
  transitioned,
} from '@signalbox/core'
import type { DecisionDraft, EventDraft, FactDraft } from '../ports.ts'
import { readFact } from '@signalbox/core'
import type { Writer } from './draft.ts'

/** What a decision is made from. */
export interface Basis {
  readonly runId: string
  readonly agent: AgentDefinition
  readonly state: RunState
  readonly decided: number
}

export interface Decided {
  readonly decision: Decision
  readonly draft: DecisionDraft
}

/** Evaluators of the pure policies that are not the core's own. */
export type EvaluatorOf = NonNullable<Subject['evaluatorOf']>

/** Decides over `facts`, the last of which is `through`. */
export function draftDecision(
  by: { readonly writer: Writer; readonly evaluatorOf: EvaluatorOf },
  basis: Basis,
  facts: readonly Fact[],
): Decided {
  const { writer, evaluatorOf } = by
  const through = facts.at(-1)?.seq ?? basis.decided
  const decision = decide({ run: basis.runId, agent: basis.agent, evaluatorOf }, basis.state, facts)
  const step = transitioned(decision, { from: basis.decided, through })
  const events: EventDraft[] = [
    writer.event('run.transitioned', step, { verdict: decision.outcome }),
    ...decision.verdicts.map((verdict) => writer.event(verdict.type, verdict.payload, verdict)),
  ]
  const draft: DecisionDraft = {
    decided: basis.decided,
    through,
    events,
    status: decision.status,
    stateName: decision.state.name,
    outcome: decision.outcome,
    state: persist(decision.state),
    effects: decision.effects,
    timers: decision.timers,
    clearTimers: decision.clearTimers,
  }
  return { decision, draft }
}

/** Facts that are about to be written, as the decider will read them at the sequence numbers they are expected to get. */
export function expectedFacts(drafts: readonly FactDraft[], seq: number): readonly Fact[] {
  return drafts.flatMap((draft, n) => readFact({ ...draft, seq: seq + n + 1 }) ?? [])
}
