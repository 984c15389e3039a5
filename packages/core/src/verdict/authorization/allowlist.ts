/**
 * Lists of tool names. Exact and case-sensitive, no wildcards, arguments are not looked at. The allow list is asked
 * first, then the deny list; deny wins over both the others.
 */
import { reason, quoted } from './reason.ts'
import type { PolicyAnswer } from '../../policy-answer.ts'
import type { PolicyRequest } from './request.ts'
import type { AllowlistSpec } from './spec.ts'

/** The answer of the lists about a call: null allows every tool, `[]` none. */
export function evaluateAllowlist(spec: AllowlistSpec, request: PolicyRequest): PolicyAnswer {
  const { tool } = request
  const answer = (effect: PolicyAnswer['effect'], code: string, message: string): PolicyAnswer => ({
    effect,
    reasons: [reason(code, message)],
    policyId: spec.id,
    policyDigest: spec.digest,
  })
  if (spec.allowedTools !== null && !spec.allowedTools.includes(tool)) {
    const text = `The tool ${quoted(tool)} is not on the list of allowed tools.`
    return answer('deny', 'oap.tool_not_allowed', text)
  }
  if (spec.deniedTools.includes(tool)) {
    const text = `The tool ${quoted(tool)} is on the list of denied tools.`
    return answer('deny', 'oap.tool_not_allowed', text)
  }
  if (spec.approvalTools.includes(tool)) {
    const text = `A person must approve each call of the tool ${quoted(tool)}.`
    return answer('require_approval', 'approval_required', text)
  }
  return answer('allow', 'oap.allowed', `The tool ${quoted(tool)} is allowed.`)
}
