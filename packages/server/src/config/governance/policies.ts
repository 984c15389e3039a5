/** The policies of an agent, from what its configuration names. */
import { AllowlistSpec, HttpPolicySpec, ModulePolicySpec, type PolicySpec } from '@signalbox/core'
import { readResultTool } from '@signalbox/engine'
import type { PolicyModule } from '@signalbox/policies'
import { type DefinedPolicy, isPolicy } from '../define-policy.ts'
import { fail } from '../fail.ts'
import type { Provider } from '../provider-schema.ts'
import { resolveCedar } from './cedar.ts'
import { digestOf } from './digest.ts'
import { type Given, givenName } from './given.ts'
import type { Modules } from './modules.ts'
import { resolvePassport } from './passport.ts'

/** What policies are resolved with. */
export interface PolicySources {
  readonly modules: Modules
  readonly given: Given<PolicyModule>
  /** The folder of the configuration. */
  readonly dir: string
  /** Tools that keys of the agent give it: who names such a key wants them allowed. */
  readonly own: readonly string[]
}

/** A policy, and the field of the configuration that it comes from. */
export interface ResolvedPolicy {
  readonly spec: PolicySpec
  readonly field: string
}

/** In the order of the configuration. @throws ConfigError */
export async function resolvePolicies(
  provider: Provider | readonly Provider[] | undefined,
  field: string,
  sources: PolicySources,
): Promise<readonly ResolvedPolicy[]> {
  const list = listed(provider, field)
  const resolved: ResolvedPolicy[] = []
  const ids = new Set<string>()
  for (const { provider: each, field: at } of list) {
    const id = idOf(each, ids)
    if (ids.has(id)) fail('config_invalid', `${at}.id`, `another provider has the id "${id}" too`)
    ids.add(id)
    resolved.push({ spec: await resolve(each, { id, field: at }, sources), field: at })
  }
  return resolved
}

/** The providers of an agent, each with its field. */
export const listed = (
  provider: Provider | readonly Provider[] | undefined,
  field: string,
): readonly { readonly provider: Provider; readonly field: string }[] => {
  if (provider === undefined) return []
  if (!isList(provider)) return [{ provider, field }]
  return provider.map((each, n) => ({ provider: each, field: `${field}[${n}]` }))
}

const isList = (provider: Provider | readonly Provider[]): provider is readonly Provider[] =>
  Array.isArray(provider)

/** Without an id of its own a provider is named after its kind; a second one of a kind gets a number. */
function idOf(provider: Provider, taken: ReadonlySet<string>): string {
  if (provider.id !== undefined) return provider.id
  const kind = 'use' in provider && !provider.use.includes('#') ? provider.use : 'module'
  let id: string = kind
  for (let n = 2; taken.has(id); n += 1) id = `${kind}-${n}`
  return id
}

interface About {
  readonly id: string
  readonly field: string
}

async function resolve(
  provider: Provider,
  about: About,
  sources: PolicySources,
): Promise<PolicySpec> {
  const { id, field } = about
  if (!('use' in provider)) return keep(provider, { id, field }, sources)
  switch (provider.use) {
    case 'allowlist': {
      const { allowedTools, deniedTools, approvalTools } = provider
      // Reading on in a long result belongs to having results at all.
      const more = [readResultTool, ...sources.own]
      const allowed = allowedTools?.length ? [...allowedTools, ...more] : allowedTools
      const lists = { allowedTools: allowed, deniedTools, approvalTools }
      return AllowlistSpec.parse({ use: 'allowlist', id, digest: digestOf(lists), ...lists })
    }
    case 'passport':
      return resolvePassport(provider, { id, field, dir: sources.dir })
    case 'cedar':
      return resolveCedar(provider, { id, field, dir: sources.dir })
    case 'http': {
      const { id: _, ...server } = provider
      return HttpPolicySpec.parse({ ...server, id, digest: digestOf(server) })
    }
    default:
      return load({ ...provider, use: provider.use }, about, sources)
  }
}

interface ModuleProvider {
  readonly use: string
  readonly config?: unknown
  readonly timeoutMs?: number | undefined
}

async function load(
  { use: path, config, timeoutMs }: ModuleProvider,
  { id, field }: About,
  { modules, given }: PolicySources,
): Promise<PolicySpec> {
  const found = await modules.load(path, `${field}.use`)
  const policy = isPolicy(found) ? found : null
  const evaluate = policy?.evaluate ?? found
  if (!isFunction(evaluate))
    return fail(
      'config_invalid',
      `${field}.use`,
      `${path} is neither a function (request, context) nor made with definePolicy({ … })`,
    )
  given.keep(path, evaluate, `${field}.use`)
  const settings = {
    path,
    ...(config === undefined ? {} : { config }),
    ...timeLimit(timeoutMs ?? policy?.timeoutMs),
  }
  return ModulePolicySpec.parse({ use: 'module', id, digest: digestOf(settings), ...settings })
}

const isFunction = (value: unknown): value is PolicyModule => typeof value === 'function'

function keep(policy: DefinedPolicy, { id, field }: About, { given }: PolicySources): PolicySpec {
  const path = givenName(policy.id)
  given.keep(path, policy.evaluate, field)
  const settings = { path, ...timeLimit(policy.timeoutMs) }
  return ModulePolicySpec.parse({ use: 'module', id, digest: digestOf(settings), ...settings })
}

const timeLimit = (timeoutMs: number | undefined) => (timeoutMs === undefined ? {} : { timeoutMs })
