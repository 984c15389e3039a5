/** What each provider's wiring takes and gives. Keys are read here, at the call, and live nowhere else (I20). */
import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { JsonObject, ModelConfig } from '@signalbox/core'

/** Environment variables, as a process has them. */
export type Environment = Readonly<Record<string, string | undefined>>

export interface WiringInput {
  readonly config: ModelConfig
  readonly env: Environment
  readonly fetch: typeof globalThis.fetch
}

export interface Wired {
  readonly model: LanguageModelV4
  /** Keys of provider metadata that this provider reads: metadata under another key is another provider's. */
  readonly metaKeys: readonly string[]
  /** Options that a configuration's `providerOptions` may override, key by key. */
  readonly defaults?: Readonly<Record<string, JsonObject>>
  /** Where, among the options under the first of `metaKeys`, the provider takes an id of the end user. */
  readonly endUser?: readonly string[]
}

/** A configuration that cannot make a call. Returned: the turn says so, nothing is thrown. */
export interface Unwired {
  readonly problem: 'auth' | 'invalid_request'
  readonly message: string
}

/** A required key: from the variable that the configuration names, or from the provider's usual one. */
export function requireKey(
  { config, env }: WiringInput,
  usual: string,
): { readonly key: string } | Unwired {
  const name = config.apiKeyEnv ?? usual
  const key = env[name]?.trim()
  return key ? { key } : missingVariable(name)
}

/** The answer for a variable that is not set. */
export function missingVariable(name: string): Unwired {
  return { problem: 'auth', message: `The environment variable ${name} is not set or is empty.` }
}

/** Each provider's usual variable. */
const usualKeys: Readonly<Partial<Record<ModelConfig['provider'], string>>> = {
  openai: 'OPENAI_API_KEY',
  'openai-responses': 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
  google: 'GOOGLE_GENERATIVE_AI_API_KEY',
  azure: 'AZURE_API_KEY',
  'amazon-bedrock': 'AWS_BEARER_TOKEN_BEDROCK',
}

/** The variable that the key of a model is read from; undefined for one without a key. */
export function keyNameOf(
  { apiKeyEnv, provider }: ModelConfig,
  env: Environment,
): string | undefined {
  const name = apiKeyEnv ?? usualKeys[provider]
  const isSigned = name === 'AWS_BEARER_TOKEN_BEDROCK' && !env[name]?.trim()
  return isSigned && env['AWS_ACCESS_KEY_ID'] ? 'AWS_SECRET_ACCESS_KEY' : name
}

/** The `baseURL` of the configuration as an option, if there is one. */
export function baseUrlOption(config: ModelConfig): { readonly baseURL?: string } {
  return config.baseURL === undefined ? {} : { baseURL: config.baseURL }
}

/** Values of the environment that are keys of a provider: they must not be in any message. */
export function secretsOf(config: ModelConfig, env: Environment): readonly string[] {
  const names = [
    config.apiKeyEnv,
    'OPENAI_API_KEY',
    'ANTHROPIC_API_KEY',
    'GOOGLE_GENERATIVE_AI_API_KEY',
    'AZURE_API_KEY',
    'AWS_BEARER_TOKEN_BEDROCK',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_SESSION_TOKEN',
  ]
  return names.flatMap((name) => {
    const value = name === undefined ? undefined : env[name]?.trim()
    return value ? [value] : []
  })
}
