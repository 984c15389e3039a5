/** The policies that need nothing to be loaded, behind the decider's door. */
import type { PassportEvaluator } from '@signalbox/core'
import { auditCall } from './bash-audit/audit-call.ts'
import { evaluatePassport, passportTallies } from './passport/evaluate-passport.ts'

/** Passports and the audit of `bash`. */
export const passports: PassportEvaluator = {
  evaluate: evaluatePassport,
  audit: auditCall,
  tallies: passportTallies,
}
