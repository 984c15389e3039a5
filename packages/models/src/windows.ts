/**
 * Windows of models by name, for configurations that say none. As models.dev had them from the providers' pages on 2026-10-03.
 *
 * W1 A name that is not here has no window: none is guessed from a name that looks alike.
 * W2 Where a provider bounds the request by itself, below the window, that bound stands here: it is what a request has to fit.
 * W3 Only where a name means the model: deployments of Azure and servers of any vendor call theirs as they like.
 *
 * A window that is too small has a conversation relieved earlier than need be; one that is too large is found out by the provider.
 */
import type { ModelConfig } from '@signalbox/core'

/** Tokens by the name of a model, without date and version. */
type Windows = ReadonlyMap<string, number>

const windows = (each: Readonly<Record<string, number>>): Windows => new Map(Object.entries(each))

const openAi = windows({
  'gpt-6-sol': 922_000,
  'gpt-5.6': 922_000,
  'gpt-5.6-sol': 922_000,
  'gpt-5.5': 922_000,
  // More is priced otherwise, and was not open to all at first.
  'gpt-5.4': 272_000,
  'gpt-5.2': 272_000,
  'gpt-5.1': 272_000,
  'gpt-5': 272_000,
  'gpt-5-mini': 272_000,
  'gpt-5-nano': 272_000,
  'gpt-5-pro': 272_000,
  'gpt-4.1': 1_047_576,
  'gpt-4.1-mini': 1_047_576,
  'gpt-4.1-nano': 1_047_576,
  'gpt-4o': 128_000,
  'gpt-4o-mini': 128_000,
  'o4-mini': 200_000,
  o3: 200_000,
  'o3-mini': 200_000,
  o1: 200_000,
})

const anthropic = windows({
  'claude-opus-5': 1_000_000,
  'claude-sonnet-5': 1_000_000,
  'claude-opus-4-8': 1_000_000,
  'claude-opus-4-7': 1_000_000,
  'claude-opus-4-6': 1_000_000,
  'claude-sonnet-4-6': 1_000_000,
  'claude-opus-4-5': 200_000,
  'claude-sonnet-4-5': 200_000,
  'claude-haiku-4-5': 200_000,
  'claude-opus-4-1': 200_000,
  'claude-opus-4-0': 200_000,
  'claude-opus-4': 200_000,
  'claude-sonnet-4-0': 200_000,
  'claude-sonnet-4': 200_000,
  'claude-3-7-sonnet': 200_000,
  'claude-3-5-sonnet': 200_000,
  'claude-3-5-haiku': 200_000,
  'claude-3-haiku': 200_000,
})

const google = windows({
  'gemini-3.1-pro-preview': 1_048_576,
  'gemini-3-flash-preview': 1_048_576,
  'gemini-3-pro-preview': 1_000_000,
  'gemini-2.5-pro': 1_048_576,
  'gemini-2.5-flash': 1_048_576,
  'gemini-2.5-flash-lite': 1_048_576,
  'gemini-2.0-flash': 1_048_576,
  'gemini-2.0-flash-lite': 1_048_576,
})

const amazon = windows({ 'nova-micro': 128_000, 'nova-lite': 300_000, 'nova-pro': 300_000 })

/** The ends that the name of a model may have: a date, a number of a version, or that it is the newest. */
const version = /-(\d{8}|\d{4}-\d\d-\d\d|00\d|latest)$/

/** A model on Bedrock: `eu.anthropic.claude-sonnet-4-5-20250929-v1:0`, also behind an ARN, by its vendor and its name. */
const onBedrock = /^(?:arn:[^/]*\/)?(?:[a-z]{2,6}\.)?(anthropic|amazon)\.(.+?)(?:-v\d+(?::\d+)?)?$/

/** The window of a model, in tokens: as its configuration says, else by the table; undefined where nobody knows. */
export function listedWindow({ provider, model, contextWindow }: ModelConfig): number | undefined {
  return contextWindow ?? known(provider, model)
}

function known(provider: ModelConfig['provider'], model: string): number | undefined {
  const find = (among: Windows, name = model) =>
    among.get(name) ?? among.get(name.replace(version, ''))
  switch (provider) {
    case 'openai':
    case 'openai-responses':
      return find(openAi)
    case 'anthropic':
      return find(anthropic)
    case 'google':
      return find(google)
    case 'amazon-bedrock': {
      const [, vendor, name] = onBedrock.exec(model) ?? []
      return find(vendor === 'amazon' ? amazon : anthropic, name ?? '')
    }
    case 'azure':
    case 'openai-compatible':
    case 'scripted':
      return undefined
  }
}
