/** The events of approvals, and the timer that ends one nobody answers. */
import type { AgentDefinition } from '../../definition.ts'
import type { Timer } from '../../effect.ts'
import type { Verdict } from '../../event/decision.ts'
import { aboutCall, type NamedCall, policyOf } from '../authorization/event.ts'
import type { PolicyAnswer } from '../../policy-answer.ts'

const timerPrefix = 'approval:'

/** What a human answers to: one per call, so the first answer is the only one. */
export const approvalId = (callId: string): string => `a_${callId.slice(2)}`

/** The timer of an approval, and the call it is about. */
export const approvalTimer = (callId: string): string => `${timerPrefix}${callId}`

/** The call an approval's timer is about; null for another timer. */
export const timedCall = (timerId: string): string | null =>
  timerId.startsWith(timerPrefix) ? timerId.slice(timerPrefix.length) : null

/** The timer that rejects the call when nobody has answered. */
export const expiry = (agent: AgentDefinition, callId: string): Timer => ({
  id: approvalTimer(callId),
  afterMs: agent.approvals.expiresMs,
})

/** `approval.requested`: bound to the call, its arguments' hash and the policy that asked for it. */
export function approvalRequested(
  agent: AgentDefinition,
  call: NamedCall,
  why: { readonly answer: PolicyAnswer; readonly at: number },
): Verdict {
  const payload = {
    ...aboutCall(call),
    approvalId: approvalId(call.id),
    ...policyOf(why.answer),
    reason: why.answer.reasons[0]?.message ?? '',
    expiresAt: why.at + agent.approvals.expiresMs,
  }
  return { type: 'approval.requested', payload, tool: call.name, verdict: 'asked' }
}

/** `approval.expired`: nobody answered. */
export const approvalExpired = (callId: string, tool: string): Verdict => ({
  type: 'approval.expired',
  payload: { callId, tool, approvalId: approvalId(callId) },
  tool,
  verdict: 'expired',
})
