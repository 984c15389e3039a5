import { createGoogle } from '@ai-sdk/google'
import {
  baseUrlOption,
  imagesBehind,
  requireKey,
  type Unwired,
  type Wired,
  type WiringInput,
} from './wiring.ts'

/** Gemini over generateContent. */
export function wireGoogle(input: WiringInput): Wired | Unwired {
  const auth = requireKey(input, 'GOOGLE_GENERATIVE_AI_API_KEY')
  if ('problem' in auth) return auth
  const { config, fetch } = input
  const provider = createGoogle({ apiKey: auth.key, fetch, ...baseUrlOption(config) })
  return {
    model: provider.languageModel(config.model),
    metaKeys: ['google'],
    answerOptions: {},
    images: { ...imagesBehind, types, inResults: takesImageInResult(config.model) },
  }
}

/** Gemini refuses a request with a GIF. */
const types = imagesBehind.types.filter((type) => type !== 'image/gif')

/** From the third generation on; the package writes those of older ones beside the results, and a result of nothing but an image not at all. */
const takesImageInResult = (model: string): boolean => /(^|[./])gemini-([3-9]|\d\d)/.test(model)
