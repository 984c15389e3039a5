/** The names of variables whose values are secret, as a configuration says. */
import { loginVariables, metricsKeyEnv, pseudonymKeyEnv } from '../config/environment.ts'
import { listed } from '../config/governance/policies.ts'
import type { Config } from '../config/schema.ts'
import { skillsOf } from '../config/skills-schema.ts'

/** Keys of models, tokens of policy servers, the key of the pseudonyms, secrets of skills, secrets and addresses of webhooks. */
export const secretNames = (config: Config): readonly string[] => [
  pseudonymKeyEnv,
  ...[config.webhooks.secretEnv].flat(),
  ...Object.values(config.webhooks.endpoints).flatMap(({ urlEnv = [], secretEnv = [] }) => [
    ...[urlEnv].flat(),
    ...[secretEnv].flat(),
  ]),
  ...Object.values(config.agents).flatMap((agent) =>
    Object.values(skillsOf(agent).secrets).map(({ env }) => env),
  ),
  ...Object.values(config.agents).flatMap(({ model, fallbackModels, guardrails }) => [
    ...[model, ...fallbackModels].flatMap(({ apiKeyEnv }) => apiKeyEnv ?? []),
    ...listed(guardrails.provider, '').flatMap(({ provider }) =>
      'tokenEnv' in provider ? (provider.tokenEnv ?? []) : [],
    ),
  ]),
]

/** Secrets of every process, whatever its configuration says. */
export const ownSecrets: readonly string[] = [
  'DATABASE_URL',
  ...Object.values(loginVariables),
  'REDIS_URL',
  'SIGNALBOX_API_KEY',
  metricsKeyEnv,
  pseudonymKeyEnv,
]

type Provider = Config['agents'][string]['model']['provider']

/** Where a provider's package looks for keys that the configuration does not name. */
const usualKeys: Readonly<Record<Provider, readonly string[]>> = {
  openai: ['OPENAI_API_KEY'],
  'openai-responses': ['OPENAI_API_KEY'],
  anthropic: ['ANTHROPIC_API_KEY'],
  google: ['GOOGLE_GENERATIVE_AI_API_KEY'],
  azure: ['AZURE_API_KEY'],
  'amazon-bedrock': [
    'AWS_BEARER_TOKEN_BEDROCK',
    'AWS_ACCESS_KEY_ID',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_SESSION_TOKEN',
  ],
  'openai-compatible': [],
  scripted: [],
}

/** The variables that hold the keys of the models: those that are named, else the usual ones of the provider. */
export const modelKeys = (config: Config): readonly string[] => [
  ...new Set(
    Object.values(config.agents).flatMap(({ model, fallbackModels }) =>
      [model, ...fallbackModels].flatMap(
        ({ apiKeyEnv, provider }) => apiKeyEnv ?? usualKeys[provider],
      ),
    ),
  ),
]

/** What tools and MCP servers must not find: our own secrets, and those that the configuration names for us. */
export const withheldNames = (config: Config): readonly string[] => [
  ...new Set([
    ...ownSecrets,
    ...secretNames(config),
    ...Object.values(config.agents).flatMap(({ model, fallbackModels }) =>
      [model, ...fallbackModels].flatMap(({ provider }) => usualKeys[provider]),
    ),
  ]),
]

/** Every variable that may stand in a file: those withheld, and `${NAME}` of MCP servers, which are given them by intent. */
export const fileNames = (config: Config): readonly string[] => [
  ...withheldNames(config),
  ...[...JSON.stringify(config.mcpServers).matchAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)/g)].flatMap(
    ([, name]) => name ?? [],
  ),
]
