/** The policies that every decision can ask: none of them has to be prepared. */
import { evaluateAllowlist } from './allowlist.ts'
import type { PassportEvaluator } from './passports.ts'
import type { RateState } from './rates.ts'
import type { PureEvaluator } from './request.ts'
import type { PolicySpec } from './spec.ts'

/** Lists, passports and the audit of `bash`; null for every other kind. `recent`: what the run has called so far. */
export function builtInEvaluator(
  spec: PolicySpec,
  passports: PassportEvaluator,
  recent?: RateState,
): PureEvaluator | null {
  if (spec.use === 'allowlist') return (request) => evaluateAllowlist(spec, request)
  if (spec.use === 'passport') return (request) => passports.evaluate(spec, request, recent)
  if (spec.use === 'bash-audit') return (request) => passports.audit(spec, request)
  return null
}
