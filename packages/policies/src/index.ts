export { createPolicyHost, type PolicyHostOptions } from './host.ts'
export type { PolicyModule, PolicyModuleContext } from './module/ask-module.ts'
export type { EvaluatePassport } from './passport/living.ts'
