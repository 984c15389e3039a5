/** The audit of `bash` as a policy: what its rules say of a call. The same call under the same spec is always judged the same. */
import {
  type BashAuditSpec,
  type PolicyAnswer,
  type PolicyReason,
  type PolicyRequest,
  reason,
} from '@signalbox/core'
import { auditScript } from './audit-script.ts'
import { type BashFinding, type BashRule, bashRules } from './rules.ts'

/** An answer holds so many reasons at most. */
const reasonsMax = 16

/** Denies with what refuses the script, or else warns with what flags it. Codes are `bash.<rule>`. */
export function auditCall(spec: BashAuditSpec, { tool, args }: PolicyRequest): PolicyAnswer {
  const { command } = args
  const found = tool === spec.tool ? auditScript(typeof command === 'string' ? command : '') : []
  const refused = found.filter(({ rule }) => refuses(spec, rule))
  const reasons = (refused.length > 0 ? refused : found).slice(0, reasonsMax).map(reasonOf)
  return {
    effect: refused.length > 0 ? 'deny' : found.length > 0 ? 'warn' : 'allow',
    reasons,
    policyId: spec.id,
    policyDigest: spec.digest,
  }
}

/** Only under `enforce`, and not what is about a host or a network where there is none. */
function refuses({ mode, isolated }: BashAuditSpec, rule: BashRule): boolean {
  const { verdict, about } = bashRules[rule]
  return mode === 'enforce' && verdict === 'refuse' && !(isolated && about !== null)
}

const reasonOf = ({ rule, what }: BashFinding): PolicyReason =>
  reason(`bash.${rule}`, bashRules[rule].says + (what === '' ? '' : ` (${what})`))
