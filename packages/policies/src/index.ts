export { createPolicyHost, type PolicyHostOptions } from './host.ts'
export type { EvaluatePassport } from './living/living.ts'
export type { PolicyModule, PolicyModuleContext } from './module/ask-module.ts'
export { bashRules } from './bash-audit/rules.ts'
export { passports } from './pure-policies.ts'
export { readPassport } from './passport/read-passport.ts'
export { patternProblem } from './guardrails/builtin/patterns.ts'
export { guardProblem } from './guardrails/create-guardrail.ts'
export {
  fail,
  type Guardrail,
  type GuardrailContext,
  type GuardrailResult,
  pass,
  stop,
} from './guardrails/part.ts'
export { createStreamGuardrails, type CustomGuardrails } from './guardrails/stream-guardrails.ts'
