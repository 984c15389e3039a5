/** What a process knows of webhooks: addresses, secrets, and what may be reached. It holds secrets: never log it. */
import type { Webhook } from '@signalbox/core'
import type { Env } from '../config/environment.ts'
import { fail } from '../config/fail.ts'
import type { Config } from '../config/schema.ts'
import { isAddressText } from '../config/references.ts'
import { reachOf, type Reach } from './reach.ts'
import { webhookRefusal } from './refusal.ts'
import { secretProblem } from './sign.ts'

/** Who is told of runs by the configuration. */
export interface Endpoint {
  readonly name: string
  readonly url: URL
  readonly on: Webhook['on']
  /** Null: every agent. */
  readonly agents: readonly string[] | null
  readonly secrets: readonly string[]
}

export interface WebhookSettings {
  readonly reach: Reach
  readonly endpoints: ReadonlyMap<string, Endpoint>
  /** What signs for addresses that runs bring themselves; empty: such runs are refused. */
  readonly secrets: readonly string[]
}

/** Of a process that tells nobody. */
const noWebhooks: WebhookSettings = {
  reach: reachOf([]),
  endpoints: new Map(),
  secrets: [],
}

/** What a process of these roles knows: workers, which run tools, need no secret to sign with. @throws ConfigError */
export const webhooksOf = (config: Config, env: Env, roles: readonly string[]): WebhookSettings =>
  roles.some((role) => role !== 'worker') ? readWebhooks(config, env) : noWebhooks

/** Reads addresses and secrets where the configuration says they stand. @throws ConfigError */
export function readWebhooks({ webhooks, agents }: Config, env: Env): WebhookSettings {
  const reach = reachOf(webhooks.allow)
  const own = secretsOf(env, webhooks.secretEnv)
  const endpoints = Object.entries(webhooks.endpoints).map(([name, endpoint]) => {
    const field = `webhooks.endpoints.${name}`
    const url = urlOf(endpoint, field, env)
    const refusal = webhookRefusal(url, reach)
    if (refusal !== null) fail('config_invalid', `${field}.url`, refusal)
    for (const agent of endpoint.agents ?? [])
      if (!Object.hasOwn(agents, agent))
        fail('config_invalid', `${field}.agents`, `there is no agent "${agent}"`)
    const { secretEnv } = endpoint
    const secrets = secretEnv === undefined ? own : secretsOf(env, secretEnv)
    if (secrets.length === 0)
      fail(
        'config_env',
        [secretEnv ?? webhooks.secretEnv].flat().join(' or '),
        `signs what goes to ${field}, and is not set`,
      )
    const { on, agents: whose = null } = endpoint
    return { name, url, on, agents: whose, secrets }
  })
  return { reach, endpoints: new Map(endpoints.map((each) => [each.name, each])), secrets: own }
}

function urlOf(
  { url, urlEnv = '' }: Config['webhooks']['endpoints'][string],
  field: string,
  env: Env,
): URL {
  const text = url ?? env[urlEnv]?.trim() ?? ''
  const parsed = isAddressText(text) ? URL.parse(text) : null
  return parsed ?? fail('config_env', urlEnv, `holds no address for ${field}`)
}

/** The live ones. */
const secretsOf = (env: Env, names: string | readonly string[]): readonly string[] =>
  [names].flat().flatMap((name) => secretOf(env, name) ?? [])

function secretOf(env: Env, name: string): string | null {
  const secret = env[name]?.trim() ?? ''
  if (secret === '') return null
  const problem = secretProblem(secret)
  return problem === null ? secret : fail('config_env', name, problem)
}
