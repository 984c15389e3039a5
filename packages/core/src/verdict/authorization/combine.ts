/**
 * Many policies, one answer.
 *
 * P1 Deny beats require_approval beats warn beats allow, whatever the order. A warning is kept beside a stronger answer.
 * P2 A policy that throws, is missing or answers something unknown denies; with `failClosed` false it has no say, and
 *    is named as a fault either way. It never counts as an allow of its own.
 * P3 A denial always carries a reason.
 */
import { printableWithin, reason } from './reason.ts'
import type { PolicyAnswer, PolicyReason } from '../../policy-answer.ts'
import type { PolicyRequest, PureEvaluator } from './request.ts'
import { needsIo, type PolicySpec } from './spec.ts'

const reasonsMax = 16
const faultCharsMax = 200

/** A policy that could not be asked, and what it said. For operators: never shown to the model. */
export interface PolicyFault {
  readonly policyId: string
  readonly message: string
}

/** The policies of an agent, and how each is asked. */
export interface PolicySet {
  readonly specs: readonly PolicySpec[]
  readonly failClosed: boolean
  /** Null where nobody here can evaluate such a policy: an engine that is not installed. */
  readonly evaluatorOf: (spec: PolicySpec) => PureEvaluator | null
}

/** The answers of many policies together. */
export interface Evaluated {
  readonly answer: PolicyAnswer
  /** Those that could not be asked. */
  readonly faults: readonly PolicyFault[]
  /** The answers that warn, whatever the others say. */
  readonly warnings: readonly PolicyAnswer[]
  /** The warnings of the audit of `bash`, which are events of their own. */
  readonly flags: readonly PolicyAnswer[]
}

/** The answer of all pure policies together. Policies with I/O are skipped here. */
export function evaluatePolicies(
  { specs, failClosed, evaluatorOf }: PolicySet,
  request: PolicyRequest,
): Evaluated {
  const faults: PolicyFault[] = []
  const answers: PolicyAnswer[] = []
  const audits: PolicyAnswer[] = []
  for (const spec of specs.filter((each) => !needsIo(each))) {
    const asked = ask(spec, evaluatorOf, request)
    if ('effect' in asked) (spec.use === 'bash-audit' ? audits : answers).push(asked)
    else {
      faults.push(asked)
      if (failClosed) answers.push(evaluatorError(spec))
    }
  }
  return {
    answer: combineAnswers([...answers, ...audits]),
    faults,
    warnings: warningsOf(answers),
    flags: warningsOf(audits),
  }
}

/** The answers that warn. */
export const warningsOf = (answers: readonly PolicyAnswer[]): readonly PolicyAnswer[] =>
  answers.filter(({ effect }) => effect === 'warn')

function ask(
  spec: PolicySpec,
  evaluatorOf: PolicySet['evaluatorOf'],
  request: PolicyRequest,
): PolicyAnswer | PolicyFault {
  const fault = (message: string): PolicyFault => ({
    policyId: spec.id,
    message: printableWithin(message, faultCharsMax),
  })
  try {
    const evaluator = evaluatorOf(spec)
    if (evaluator === null) return fault(`There is no evaluator for policies of kind ${spec.use}.`)
    const answer = evaluator(request)
    // Evaluators come from outside, too: an answer in no known word must not pass for an allow.
    return Object.hasOwn(strength, answer.effect)
      ? answer
      : fault('The answer was not one of the known effects.')
  } catch (error) {
    return fault(error instanceof Error ? error.message : 'The policy threw something unknown.')
  }
}

/** The answer in place of a policy that could not be asked. */
export const evaluatorError = (spec: Pick<PolicySpec, 'id' | 'digest'>): PolicyAnswer => ({
  effect: 'deny',
  reasons: [reason('oap.evaluator_error', `The policy ${spec.id} could not be evaluated.`)],
  policyId: spec.id,
  policyDigest: spec.digest,
})

const strength = { allow: 0, warn: 1, require_approval: 2, deny: 3 } as const

/**
 * One answer of many, by P1. The first of the strongest names the policy; reasons of all that are as strong are kept,
 * at most 16. Without any answer: allow.
 */
export function combineAnswers(answers: readonly PolicyAnswer[]): PolicyAnswer {
  const most = Math.max(0, ...answers.map(({ effect }) => strength[effect]))
  const strongest = answers.filter(({ effect }) => strength[effect] === most)
  const [first] = strongest
  if (!first) return nobodyObjects
  const reasons = strongest.flatMap((answer) =>
    answer.reasons.length > 0 ? answer.reasons : without[answer.effect],
  )
  return { ...first, reasons: reasons.slice(0, reasonsMax) }
}

const without: { readonly [effect in PolicyAnswer['effect']]: readonly PolicyReason[] } = {
  allow: [],
  warn: [{ code: 'oap.warned', message: 'A policy warns of this call.' }],
  require_approval: [{ code: 'approval_required', message: 'A person must approve this call.' }],
  deny: [{ code: 'oap.denied', message: 'blocked by guardrail policy' }],
}

const nobodyObjects: PolicyAnswer = {
  effect: 'allow',
  reasons: [{ code: 'oap.allowed', message: 'No policy has anything to say about this call.' }],
  policyId: '',
  policyDigest: '',
}
