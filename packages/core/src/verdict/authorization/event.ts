/** The events of judgements that are not plain passes. Never arguments. */
import type { Verdict } from '../../event/decision.ts'
import type { PolicyFault } from './combine.ts'
import type { CallJudgement } from './judge.ts'
import type { PolicyAnswer } from '../../policy-answer.ts'

/** Which policy a decision goes back to. */
export const policyOf = ({ policyId, policyDigest }: PolicyAnswer) => ({
  ...(policyId === '' ? {} : { policyId }),
  ...(policyDigest === '' ? {} : { policyDigest }),
})

/** `call.denied`: the model reads the first reason as the call's result. */
export function denied(callId: string, tool: string, answer: PolicyAnswer): Verdict {
  const [first = { code: 'oap.denied', message: 'blocked by guardrail policy' }, ...more] =
    answer.reasons
  const reasons = more.length > 0 ? { reasons: [first, ...more] } : {}
  const payload = { callId, tool, ...first, ...policyOf(answer), ...reasons }
  return { type: 'call.denied', payload, tool, verdict: 'denied' }
}

/** `policy.warned`, one for each policy that warns of a call which may run. */
export const warned = (
  call: { readonly id: string; readonly name: string; readonly argsHash: string },
  warnings: readonly PolicyAnswer[],
): readonly Verdict[] =>
  warnings.map((answer) => {
    const [first = { code: 'oap.warned', message: '' }, ...more] = answer.reasons
    const reasons = more.length > 0 ? { reasons: [first, ...more] } : {}
    const about = { callId: call.id, tool: call.name, argsHash: call.argsHash }
    return {
      type: 'policy.warned',
      payload: { ...about, ...first, ...policyOf(answer), ...reasons },
      tool: call.name,
      verdict: 'warned',
    }
  })

/** `call.flagged`, one for each rule of the audit that flags a call which may run. */
export const flagged = (
  call: { readonly id: string; readonly name: string },
  flags: readonly PolicyAnswer[],
): readonly Verdict[] =>
  flags.flatMap((answer) =>
    answer.reasons.map(({ code: rule, message }): Verdict => ({
      type: 'call.flagged',
      payload: { callId: call.id, tool: call.name, rule, message, ...policyOf(answer) },
      tool: call.name,
      verdict: 'flagged',
    })),
  )

/** `policy.faulted`, one for each policy that could not answer. */
export const faulted = (
  callId: string,
  tool: string,
  faults: readonly PolicyFault[],
): readonly Verdict[] =>
  faults.map((fault) => ({
    type: 'policy.faulted',
    payload: { callId, tool, ...fault },
    tool,
    verdict: 'faulted',
  }))

/** `approval.reused`: a human's earlier answer stands for this call. */
export const reused = (
  call: { readonly id: string; readonly name: string; readonly argsHash: string },
  scope: 'run' | 'always',
): Verdict => ({
  type: 'approval.reused',
  payload: { callId: call.id, tool: call.name, argsHash: call.argsHash, scope },
  tool: call.name,
  verdict: scope,
})

/** `approval.skipped`: a human would have to approve the call, were it to execute. */
export const skipped = (
  call: { readonly id: string; readonly name: string; readonly argsHash: string },
  answer: PolicyAnswer,
): Verdict => ({
  type: 'approval.skipped',
  payload: {
    callId: call.id,
    tool: call.name,
    argsHash: call.argsHash,
    ...policyOf(answer),
    reason: answer.reasons[0]?.message ?? '',
  },
  tool: call.name,
  verdict: 'skipped',
})

/** The events of one judgement, a request for approval aside. */
export function judgementVerdicts(judgement: CallJudgement): readonly Verdict[] {
  const { call, faults } = judgement
  const failed = faulted(call.id, call.name, faults)
  if (judgement.effect === 'deny') return [...failed, denied(call.id, call.name, judgement.answer)]
  const notes = [...failed, ...warned(call, judgement.warnings), ...flagged(call, judgement.flags)]
  if (judgement.effect === 'ask') return notes
  if (judgement.skipped) return [...notes, skipped(call, judgement.skipped)]
  if (!judgement.grant) return notes
  return [...notes, reused(call, judgement.grant)]
}
