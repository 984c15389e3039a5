/** From facts to the draft of a decision: the pure decider, dressed for the register. */
import {
  type Decision,
  decide,
  type Fact,
  type PassportEvaluator,
  persist,
  readFact,
  type RunState,
  type Subject,
  transitioned,
} from '@signalbox/core'
import type { DecisionDraft, EventDraft, FactDraft } from '../ports.ts'
import type { Writer } from './draft.ts'
import type { Preparations } from './preparations.ts'
import type { RunView } from './view.ts'

/** The basis of a decision. */
type Basis = Pick<
  RunView,
  'runId' | 'agent' | 'definitionHash' | 'machine' | 'state' | 'stateSeq' | 'decided'
>

export interface Decided {
  readonly decision: Decision
  readonly draft: DecisionDraft
}

/** Evaluators of the pure policies that have to be prepared. */
export type EvaluatorOf = NonNullable<Subject['evaluatorOf']>

/** Evaluators, or where the policies are not ready, what denies in their place; `missed` tells whether that was asked. */
export function evaluators(
  ready: boolean,
  evaluatorOf: EvaluatorOf,
): { readonly evaluatorOf: EvaluatorOf; readonly missed: () => boolean } {
  let missed = false
  const denying = () => {
    missed = true
    return null
  }
  return { evaluatorOf: ready ? evaluatorOf : denying, missed: () => missed }
}

/** The tools that decisions are drafted with. */
export interface DraftedBy {
  readonly writer: Writer
  readonly evaluatorOf: EvaluatorOf
  readonly passports: PassportEvaluator
  readonly preparations: Pick<Preparations, 'isReady'>
}

/**
 * Decides over `facts`, the last of which is `through`. Null: the decision would need policies that this process cannot
 * evaluate. One that takes the run to its end by a cancel or a timeout is made all the same, and says so: they deny.
 */
export function draftDecision(
  { writer, evaluatorOf, passports, preparations }: DraftedBy,
  basis: Basis,
  facts: readonly Fact[],
): Decided | null {
  const { runId: run, agent, machine, definitionHash } = basis
  const policies = evaluators(preparations.isReady(definitionHash, agent), evaluatorOf)
  const subject = { run, agent, machine, evaluatorOf: policies.evaluatorOf, passports }
  const decision = decide(subject, basis.state, facts)
  const missed = policies.missed()
  if (missed && !isLeaving(decision.state)) return null
  const through = facts.at(-1)?.seq ?? basis.decided
  const made = {
    from: basis.decided,
    through,
    ...(missed ? { withoutPolicies: true as const } : {}),
  }
  const step = transitioned(decision, made)
  const events: EventDraft[] = [
    writer.event('run.transitioned', step, { verdict: decision.outcome }),
    ...decision.verdicts.map((verdict) => writer.event(verdict.type, verdict.payload, verdict)),
  ]
  const draft: DecisionDraft = {
    decided: basis.decided,
    through,
    seq: basis.stateSeq,
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

const isLeaving = ({ name }: RunState): boolean => name === 'cancelling' || name === 'cancelled'

/** Facts that are about to be written, as the decider will read them at the sequence numbers they are expected to get. */
export function expectedFacts(drafts: readonly FactDraft[], seq: number): readonly Fact[] {
  return drafts.flatMap((draft, n) => readFact({ ...draft, seq: seq + n + 1 }) ?? [])
}
