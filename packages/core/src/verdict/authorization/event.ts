/** The events of judgements that are not plain passes. Never arguments. */
import type { Verdict } from '../../event/decision.ts'
import type { ToolCallPart } from '../../message.ts'
import type { PolicyFault } from './combine.ts'
import type { CallJudgement } from './judge.ts'
import type { PolicyAnswer, PolicyReason } from '../../policy-answer.ts'

/** Which policy a decision goes back to. */
export const policyOf = ({ policyId, policyDigest }: PolicyAnswer) => ({
  ...(policyId === '' ? {} : { policyId }),
  ...(policyDigest === '' ? {} : { policyDigest }),
})

/** A call, as far as events name it. */
export type NamedCall = Pick<ToolCallPart, 'id' | 'name' | 'argsHash'>

export const aboutCall = ({ id, name, argsHash }: NamedCall) => ({
  callId: id,
  tool: name,
  argsHash,
})

/** The first reason stands in the event itself; all of them do where there are more. */
const reasonsOf = ({ reasons }: PolicyAnswer, otherwise: PolicyReason) => {
  const [first = otherwise, ...more] = reasons
  return { first, all: more.length > 0 ? { reasons: [first, ...more] } : {} }
}

/** `call.denied`: the model reads the first reason as the call's result. */
export function denied(callId: string, tool: string, answer: PolicyAnswer): Verdict {
  const otherwise = { code: 'oap.denied', message: 'blocked by guardrail policy' }
  const { first, all } = reasonsOf(answer, otherwise)
  const payload = { callId, tool, ...first, ...policyOf(answer), ...all }
  return { type: 'call.denied', payload, tool, verdict: 'denied' }
}

/** `policy.warned`, one for each policy that warns of a call which may run. */
export const warned = (call: NamedCall, warnings: readonly PolicyAnswer[]): readonly Verdict[] =>
  warnings.map((answer) => {
    const { first, all } = reasonsOf(answer, { code: 'oap.warned', message: '' })
    const payload = { ...aboutCall(call), ...first, ...policyOf(answer), ...all }
    return { type: 'policy.warned', payload, tool: call.name, verdict: 'warned' }
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
export const reused = (call: NamedCall, scope: 'run' | 'always'): Verdict => ({
  type: 'approval.reused',
  payload: { ...aboutCall(call), scope },
  tool: call.name,
  verdict: scope,
})

/** `approval.skipped`: a human would have to approve the call, were it to execute. */
export const skipped = (call: NamedCall, answer: PolicyAnswer): Verdict => ({
  type: 'approval.skipped',
  payload: {
    ...aboutCall(call),
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
