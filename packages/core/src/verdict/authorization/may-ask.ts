/** Which policies may want a human, so that nobody looks for standing approvals where none could count. */
import type { JsonObject } from '../../json.ts'
import type { PolicySpec } from './spec.ts'

/** May a decision of this policy ask a human? Those with I/O are looked after when they have answered. */
export function mayAskAPerson(spec: PolicySpec): boolean {
  switch (spec.use) {
    case 'allowlist':
      return spec.approvalTools.length > 0
    case 'passport':
      return asks(spec.passport)
    case 'cedar':
      return spec.approval.length > 0
    case 'http':
    case 'module':
    case 'bash-audit':
      return false
  }
}

/** By the two limits that ask for it, wherever a passport has them: too often is harmless, too seldom is not. */
const asks = (passport: JsonObject): boolean =>
  /"(?:approval_required|require_confirmation)":true/.test(JSON.stringify(passport))
