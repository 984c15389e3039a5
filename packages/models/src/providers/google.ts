import { createGoogle } from '@ai-sdk/google'
import { baseUrlOption, requireKey, type Unwired, type Wired, type WiringInput } from './wiring.ts'

/** Gemini over generateContent. */
export function wireGoogle(input: WiringInput): Wired | Unwired {
  const auth = requireKey(input, 'GOOGLE_GENERATIVE_AI_API_KEY')
  if ('problem' in auth) return auth
  const { config, fetch } = input
  const provider = createGoogle({ apiKey: auth.key, fetch, ...baseUrlOption(config) })
  return { model: provider.languageModel(config.model), metaKeys: ['google'], answerOptions: {} }
}
