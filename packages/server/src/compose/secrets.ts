/** The names of variables whose values are secret, as a configuration says. */
import { pseudonymKeyEnv } from '../config/environment.ts'
import { listed } from '../config/governance/policies.ts'
import type { Config } from '../config/schema.ts'

/** Keys of models, tokens of policy servers, the key of the pseudonyms, secrets and addresses of webhooks. */
export const secretNames = (config: Config): readonly string[] => [
  pseudonymKeyEnv,
  ...[config.webhooks.secretEnv].flat(),
  ...Object.values(config.webhooks.endpoints).flatMap(({ urlEnv = [], secretEnv = [] }) => [
    ...[urlEnv].flat(),
    ...[secretEnv].flat(),
  ]),
  ...Object.values(config.agents).flatMap(({ model, fallbackModels, guardrails }) => [
    ...[model, ...fallbackModels].flatMap(({ apiKeyEnv }) => apiKeyEnv ?? []),
    ...listed(guardrails.provider, '').flatMap(({ provider }) =>
      'tokenEnv' in provider ? (provider.tokenEnv ?? []) : [],
    ),
  ]),
]
