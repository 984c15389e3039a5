/** What each provider's wiring takes and gives. Keys are read here, at the call, and live nowhere else (I20). */
import type { LanguageModelV4 } from '@ai-sdk/provider'
import { ImageType, type Json, type JsonObject, limits, type ModelConfig } from '@signalbox/core'
import type { ImageRules } from '../prompt/images.ts'

/** Takes all types that there are, of any size that an image may have, and none in results. */
export const imagesBehind: ImageRules = {
  types: ImageType.options,
  bytesMax: limits.imageBytesMax,
  inResults: false,
}

/** Anthropic, and Bedrock with it, take at most 5 MiB of base64: three of four bytes. */
export const imageBytesOfAnthropic = (5 * 1024 * 1024 * 3) / 4

/** Environment variables, as a process has them. */
export type Environment = Readonly<Record<string, string | undefined>>

export interface WiringInput {
  readonly config: ModelConfig
  readonly env: Environment
  readonly fetch: typeof globalThis.fetch
  /** The word that requests of one conversation share: see `ModelRequest`. */
  readonly cacheKey?: string
  /** May the next request come much later? */
  readonly waitsForPeople?: boolean
}

export interface Wired {
  readonly model: LanguageModelV4
  /** Keys of provider metadata that this provider reads: metadata under another key is another provider's. */
  readonly metaKeys: readonly string[]
  /** Options that a configuration's `providerOptions` may override, key by key. */
  readonly defaults?: Readonly<Record<string, JsonObject>>
  /** Where, among the options under the first of `metaKeys`, the provider takes an id of the end user. */
  readonly endUser?: readonly string[]
  /** Options that go along where an answer is held to a schema; absent where the provider cannot be held to one. */
  readonly answerOptions?: Readonly<Record<string, JsonObject>>
  /** The images that it takes; absent where it takes none. */
  readonly images?: ImageRules
  /** How the provider is told to keep what requests have in common; absent where it needs no telling, or its package has no way. */
  readonly cacheMark?: CacheMark
}

/** An option that has a provider cache the beginning of a prompt. What the configuration says of it stands. */
export interface CacheMark {
  /** Its name, among the options under one of `metaKeys`. */
  readonly option: string
  /** The mark of ours; null where there is none, as of a request that belongs to no conversation. */
  readonly own: Json | null
  /** Where the package takes what is configured: with the request, or with a message of the prompt. */
  readonly on: 'request' | 'message'
  /** Where ours stands if the configuration says nothing; null: nowhere, for whoever would refuse it. */
  readonly byDefault: 'request' | 'message' | null
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

/** Is the host of an address one of these domains, or below one? */
export function isHostOf(baseURL: string, domains: readonly string[]): boolean {
  const host = URL.parse(baseURL)?.hostname ?? ''
  return domains.some((domain) => host === domain || host.endsWith(`.${domain}`))
}

/**
 * Is it the vendor itself that is called: at its usual address, or below its domain? Its package takes another address from the variable
 * `usual` where the configuration has none.
 */
export function isOwnAddress(
  { config, env }: Pick<WiringInput, 'config' | 'env'>,
  domain: string,
  usual: string,
): boolean {
  const baseURL = config.baseURL ?? env[usual]?.trim()
  return !baseURL || isHostOf(baseURL, [domain])
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
