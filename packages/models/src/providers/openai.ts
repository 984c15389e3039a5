import { createOpenAI } from '@ai-sdk/openai'
import { baseUrlOption, requireKey, type Unwired, type Wired, type WiringInput } from './wiring.ts'

/** OpenAI over chat completions. */
export function wireOpenAiChat(input: WiringInput): Wired | Unwired {
  const provider = openAi(input)
  return 'problem' in provider
    ? provider
    : {
        model: provider.create.chat(input.config.model),
        metaKeys: ['openai'],
        endUser: ['safetyIdentifier'],
      }
}

/**
 * OpenAI over Responses. `store` is off: the register is the truth, and a thread must not depend on items that OpenAI
 * keeps for a time; reasoning travels encrypted in the provider metadata instead.
 */
export function wireOpenAiResponses(input: WiringInput): Wired | Unwired {
  const provider = openAi(input)
  return 'problem' in provider
    ? provider
    : {
        model: provider.create.responses(input.config.model),
        metaKeys: ['openai'],
        defaults: { openai: { store: false } },
        endUser: ['safetyIdentifier'],
      }
}

function openAi(input: WiringInput) {
  const auth = requireKey(input, 'OPENAI_API_KEY')
  if ('problem' in auth) return auth
  const { config, fetch } = input
  return { create: createOpenAI({ apiKey: auth.key, fetch, ...baseUrlOption(config) }) }
}
