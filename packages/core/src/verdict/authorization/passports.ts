/**
 * Passports and the audit of `bash`, as the decider has calls judged by them: data that a definition pins, and an evaluator that the shell
 * brings. The same call under the same data is always judged the same, so that a log replays.
 */
import type { RateState, CallTally } from './rates.ts'
import type { PolicyAnswer } from '../../policy-answer.ts'
import type { PolicyRequest } from './request.ts'
import type { BashAuditSpec, PassportSpec } from './spec.ts'

/** Judges calls by passports, and scripts by the audit. It needs nothing to be loaded: a decision made without prepared policies has it, too. */
export interface PassportEvaluator {
  /** `recent`: the calls of the run before this one. Absent: none. */
  evaluate(spec: PassportSpec, request: PolicyRequest, recent?: RateState): PolicyAnswer
  /** The answer of the audit's rules to a script; an allowance for a call of another tool. */
  audit(spec: BashAuditSpec, request: PolicyRequest): PolicyAnswer
  /** The counts and sums of its run that a call adds to. */
  tallies(
    spec: PassportSpec,
    call: Pick<PolicyRequest, 'tool' | 'args' | 'judged'>,
  ): readonly CallTally[]
}

/** Of a process without an evaluator: each passport, and an audit, is a policy that cannot be asked. */
export const noPassports: PassportEvaluator = {
  evaluate() {
    throw new Error('There is no evaluator for policies of kind passport.')
  },
  audit() {
    throw new Error('There is no evaluator for policies of kind bash-audit.')
  },
  tallies: () => [],
}
