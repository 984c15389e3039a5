/** The names that OpenTelemetry's conventions for generative AI have for providers, and where these are reached. */
import type { ModelConfig } from '@signalbox/core'

type Provider = ModelConfig['provider']

/** `gen_ai.provider.name`: the well-known values of the conventions. */
const providerNames: Readonly<Record<Provider, string>> = {
  openai: 'openai',
  'openai-responses': 'openai',
  anthropic: 'anthropic',
  google: 'gcp.gemini',
  'amazon-bedrock': 'aws.bedrock',
  azure: 'azure.ai.openai',
  // The conventions say so of every server that is called through OpenAI's API; `server.address` tells them apart.
  'openai-compatible': 'openai',
  scripted: 'signalbox.scripted',
}

/** Vendors that the conventions know, behind a wire that is not theirs. */
const vendors: readonly (readonly [host: RegExp, name: string])[] = [
  [/(^|\.)deepseek\.com$/, 'deepseek'],
  [/(^|\.)groq\.com$/, 'groq'],
  [/(^|\.)mistral\.ai$/, 'mistral_ai'],
  [/(^|\.)perplexity\.ai$/, 'perplexity'],
  [/(^|\.)x\.ai$/, 'x_ai'],
]

const hosts: Readonly<Partial<Record<Provider, string>>> = {
  openai: 'api.openai.com',
  'openai-responses': 'api.openai.com',
  anthropic: 'api.anthropic.com',
  google: 'generativelanguage.googleapis.com',
}

/** Attributes that say which provider a model is of, and where it was asked. */
export function providerAttributes({
  provider,
  baseURL,
}: ModelConfig): Record<string, string | number> {
  const url = baseURL === undefined ? null : URL.parse(baseURL)
  const host = url?.hostname ?? hosts[provider]
  const vendor = vendors.find(([pattern]) => pattern.test(host ?? ''))?.[1]
  const port = url === null ? 443 : Number(url.port) || (url.protocol === 'http:' ? 80 : 443)
  return {
    'gen_ai.provider.name': vendor ?? providerNames[provider],
    ...(host === undefined ? {} : { 'server.address': host, 'server.port': port }),
  }
}
