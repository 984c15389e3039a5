/** Policies of the user's own, as functions. */
import type { JsonObject, ModulePolicySpec, PolicyAnswer, PolicyRequest } from '@signalbox/core'
import { readAnswer } from '../answer.ts'
import { within } from '../deadline.ts'

/** The things that a policy module gets besides the request. */
export interface PolicyModuleContext {
  /** Ends with the policy's timeout and with the run. */
  readonly signal: AbortSignal
  /** `config` of the policy, as configured; empty if there is none. */
  readonly config: JsonObject
}

/**
 * A user's policy: answers a boolean, `{ allow }` or `{ effect }`, with `reasons: [{ code, message }]` if it has some,
 * or a promise of it. A throw is no answer. Not a sandbox: a function that never gives the thread back stops the process.
 */
export type PolicyModule = (request: PolicyRequest, context: PolicyModuleContext) => unknown

/** Asks. Rejects when the function throws, is late, or answers with anything that is no answer. */
export async function askModule(
  spec: ModulePolicySpec,
  request: PolicyRequest,
  world: { readonly evaluate: PolicyModule; readonly signal: AbortSignal },
): Promise<PolicyAnswer> {
  const late = `The policy module did not answer within ${spec.timeoutMs} ms.`
  const bound = { ms: spec.timeoutMs, signal: world.signal, late }
  // Copies: what is judged here is what will be executed, and no policy may change it.
  const asked = structuredClone(request)
  const config = structuredClone(spec.config ?? {})
  const value = await within(bound, (signal) => world.evaluate(asked, { signal, config }))
  return readAnswer(spec, value)
}
