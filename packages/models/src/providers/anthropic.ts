import { createAnthropic } from '@ai-sdk/anthropic'
import { baseUrlOption, requireKey, type Unwired, type Wired, type WiringInput } from './wiring.ts'

/** Anthropic over messages. */
export function wireAnthropic(input: WiringInput): Wired | Unwired {
  const auth = requireKey(input, 'ANTHROPIC_API_KEY')
  if ('problem' in auth) return auth
  const { config, fetch } = input
  const provider = createAnthropic({ apiKey: auth.key, fetch, ...baseUrlOption(config) })
  return {
    model: provider.languageModel(config.model),
    metaKeys: ['anthropic'],
    endUser: ['metadata', 'userId'],
  }
}
