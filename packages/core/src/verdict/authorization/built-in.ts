/** Which policies core itself can evaluate. */
import { evaluateAllowlist } from './allowlist.ts'
import { evaluatePassport } from './passport/evaluate-passport.ts'
import type { RateState } from './passport/rates.ts'
import type { PureEvaluator } from './request.ts'
import type { PolicySpec } from './spec.ts'

/** Lists and passports; null for every other kind. `recent`: what the run has called so far. */
export function builtInEvaluator(spec: PolicySpec, recent?: RateState): PureEvaluator | null {
  if (spec.use === 'allowlist') return (request) => evaluateAllowlist(spec, request)
  if (spec.use === 'passport') return (request) => evaluatePassport(spec, request, recent)
  return null
}
