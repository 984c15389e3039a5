/**
 * Windows of models by name, for configurations that do not say any. As the providers published them, by models.dev on 2026-10-03.
 *
 * W1 A name that is not here has no window: none is guessed from a name that looks alike.
 * W2 Where a provider bounds the request by itself, below the window, that bound stands here: it is what a request has to fit.
 * W3 Only where a name means the model: deployments of Azure and servers of any vendor call theirs as they like.
 *
 * A window that is too small has a conversation relieved earlier than need be; one that is too large is found out by the provider.
 */
import type { ModelConfig } from '@signalbox/core'

/** The beginning of a name, whole or before a date or version, and the tokens that fit. The first that fits counts. */
type Windows = readonly (readonly [RegExp, number])[]

/** Behind the name of an OpenAI model: nothing, or the date of a snapshot. */
const openAi: Windows = [
  [/^gpt-5\.[56](-(sol|terra|luna|pro))?(-\d{4}-\d\d-\d\d)?$/, 922_000],
  [/^gpt-5(\.[1-4])?(-(mini|nano|pro|codex))?(-\d{4}-\d\d-\d\d)?$/, 272_000],
  [/^gpt-4\.1(-(mini|nano))?(-\d{4}-\d\d-\d\d)?$/, 1_047_576],
  [/^gpt-4o(-mini)?(-\d{4}-\d\d-\d\d)?$/, 128_000],
  [/^(o1|o3|o3-mini|o3-pro|o4-mini)(-\d{4}-\d\d-\d\d)?$/, 200_000],
]

const anthropic: Windows = [
  [/^claude-(opus|sonnet)-(4-[678]|5)$/, 1_000_000],
  [/^claude-(opus|sonnet|haiku)-4(-[0135])?(-\d{8})?$/, 200_000],
  [/^claude-3(-[57])?-(opus|sonnet|haiku)-(\d{8}|latest)$/, 200_000],
]

const google: Windows = [
  [/^gemini-2\.0-flash(-lite)?(-001)?$/, 1_048_576],
  [/^gemini-2\.5-(pro|flash|flash-lite)$/, 1_048_576],
  [/^gemini-3(\.1)?-(pro|flash)-preview$/, 1_048_576],
]

/** Names of models on Bedrock without region, vendor and version: `eu.anthropic.claude-opus-4-6-v1` is `claude-opus-4-6`. */
const onBedrock = /^(?:[a-z]{2,6}\.)?anthropic\.(claude-[a-z0-9-]+?)(?:-v\d+(?::\d+)?)?$/

const nova: Windows = [
  [/^(?:[a-z]{2,6}\.)?amazon\.nova-micro-v1:0$/, 128_000],
  [/^(?:[a-z]{2,6}\.)?amazon\.nova-(lite|pro)-v1:0$/, 300_000],
]

/** The window of a model that a configuration names, in tokens: as it says, else by the table; undefined where nobody knows. */
export function windowOf({ provider, model, contextWindow }: ModelConfig): number | undefined {
  return contextWindow ?? find(provider, model)
}

function find(provider: ModelConfig['provider'], model: string): number | undefined {
  switch (provider) {
    case 'openai':
    case 'openai-responses':
      return within(openAi, model)
    case 'anthropic':
      return within(anthropic, model)
    case 'google':
      return within(google, model)
    case 'amazon-bedrock':
      return within(nova, model) ?? within(anthropic, onBedrock.exec(model)?.[1] ?? '')
    case 'azure':
    case 'openai-compatible':
    case 'scripted':
      return undefined
  }
}

const within = (windows: Windows, model: string): number | undefined =>
  windows.find(([name]) => name.test(model))?.[1]
