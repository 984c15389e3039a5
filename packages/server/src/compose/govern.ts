/** The governance of a process: what agents pin, and the functions and policies behind it. */
import type { StreamGuardSpec } from '@signalbox/core'
import {
  type CheckArguments,
  type Log,
  messageOf,
  type PolicyHost,
  type StreamGuardrails,
  systemClock,
} from '@signalbox/engine'
import { schemaProblem } from '@signalbox/models'
import { createPolicyHost, createStreamGuardrails } from '@signalbox/policies'
import type { Env } from '../config/environment.ts'
import { fail } from '../config/fail.ts'
import { type Governance, loadGovernance } from '../config/governance/load-governance.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import type { Closers } from './closers.ts'

/** What a process governs with. The engine takes the last three as they are. */
export interface Governed {
  readonly governance: Governance
  readonly policies: PolicyHost
  readonly guardrails: StreamGuardrails
  readonly checkArguments: CheckArguments
}

/** Loads what the configuration names, and refuses a policy that could not be asked. @throws ConfigError */
export async function govern(
  loaded: LoadedConfig,
  { env, log }: { readonly env: Env; readonly log: Log },
  closers: Closers,
): Promise<Governed> {
  const governance = await loadGovernance(loaded)
  const policies = createPolicyHost({
    log,
    clock: systemClock,
    env,
    modules: governance.policies,
    baseDir: loaded.dir,
  })
  closers.add('policies', () => policies.close())
  for (const agent of governance.agents.values())
    for (const { spec, field } of agent.policies)
      await policies
        .prepare([spec])
        .catch((cause: unknown) =>
          fail('config_invalid', field, { message: messageOf(cause), cause }),
        )
  for (const [name, { guardrails }] of Object.entries(loaded.config.agents))
    if (guardrails.enabled === false) log.warn('an agent works without guardrails', { agent: name })
  for (const { field, pattern, reason } of governance.skipped)
    log.warn('a pattern is skipped: nobody looks for it', { field, pattern, reason })
  return {
    governance,
    policies,
    guardrails: createStreamGuardrails((spec) => guardrailOf(governance, spec)),
    checkArguments: schemaProblem,
  }
}

const guardrailOf = (governance: Governance, spec: StreamGuardSpec) =>
  (spec.use === 'module' ? governance.guardrails.get(spec.path) : null) ?? null
