/** The stream guardrails of an agent, from what its configuration names. */
import { StreamGuardSpec } from '@signalbox/core'
import { guardProblem, type Guardrail } from '@signalbox/policies'
import { isGuardrail } from '../define-guardrail.ts'
import { fail } from '../fail.ts'
import type { StreamGuardSetting } from '../guardrails-schema.ts'
import { type Given, givenName } from './given.ts'
import type { Modules } from './modules.ts'
import { type SkippedPattern, withoutSkipped } from './skipped-patterns.ts'

/** What guardrails are resolved with. */
export interface GuardSources {
  readonly modules: Modules
  readonly given: Given<Guardrail>
  /** Takes what is skipped. */
  readonly skipped: SkippedPattern[]
}

/** In the order of the configuration. A pattern that cannot be used is refused. @throws ConfigError */
export async function resolveStreamGuards(
  guards: readonly StreamGuardSetting[],
  field: string,
  sources: GuardSources,
): Promise<readonly StreamGuardSpec[]> {
  const specs: StreamGuardSpec[] = []
  for (const [n, guard] of guards.entries()) {
    const at = `${field}[${n}]`
    const spec = await resolve(guard, at, sources)
    const problem = guardProblem(spec)
    if (problem !== null) fail('config_invalid', at, problem)
    specs.push(spec)
  }
  return specs
}

async function resolve(
  guard: StreamGuardSetting,
  field: string,
  { modules, given, skipped }: GuardSources,
): Promise<StreamGuardSpec> {
  if (typeof guard === 'object' && 'handle' in guard) {
    const path = givenName(guard.id)
    given.keep(path, guard, field)
    return { use: 'module', id: guard.id, path }
  }
  if (typeof guard === 'object' && 'patterns' in guard) {
    const { skip, ...spec } = guard
    const patterns = withoutSkipped(spec.patterns, skip, { field, skipped })
    return StreamGuardSpec.parse({ ...reachOf(spec.use), ...spec, patterns })
  }
  const { use, ...rest } = typeof guard === 'string' ? { use: guard } : guard
  if (!use.includes('#')) return StreamGuardSpec.parse({ ...reachOf(use), ...rest, use })
  const found = await modules.load(use, field)
  if (!isGuardrail(found))
    return fail('config_invalid', field, `${use} is not made with defineGuardrail({ … })`)
  given.keep(use, found, field)
  return StreamGuardSpec.parse({ id: found.id, ...rest, use: 'module', path: use })
}

/** What new agents look for; definitions of older builds without a list have no resident identity numbers. */
const entities = ['email', 'phone', 'ssn', 'cn-resident-id', 'credit-card', 'iban']

/** Where a built-in guardrail looks besides the model's words, and for what, unless the configuration says otherwise. */
const reachOf = (use: string) => ({
  ...(use === 'error-recovery' ? {} : { arguments: true, toolResults: use === 'secrets' }),
  ...(use === 'pii' ? { entities } : {}),
})
