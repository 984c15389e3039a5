import { createOpenAI } from '@ai-sdk/openai'
import {
  baseUrlOption,
  type CacheMark,
  imagesBehind,
  isOwnAddress,
  requireKey,
  type Unwired,
  type Wired,
  type WiringInput,
} from './wiring.ts'

/** OpenAI over chat completions. */
export function wireOpenAiChat(input: WiringInput): Wired | Unwired {
  const provider = openAi(input)
  return 'problem' in provider
    ? provider
    : {
        model: provider.create.chat(input.config.model),
        metaKeys: ['openai'],
        endUser: ['safetyIdentifier'],
        images: imagesBehind,
        ...answerOptions(input),
        cacheMark: cacheMark(input),
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
        images: { ...imagesBehind, inResults: true },
        ...answerOptions(input),
        cacheMark: cacheMark(input),
      }
}

/**
 * OpenAI caches by itself, on the machine that answered; requests with the same key go to the same one. Many that speak its interface
 * refuse a request with a field that they do not know, so nobody else gets a key unasked.
 */
function cacheMark(input: WiringInput): CacheMark {
  return {
    option: 'promptCacheKey',
    own: input.cacheKey ?? null,
    on: 'request',
    byDefault: isOwn(input) ? 'request' : null,
  }
}

const isOwn = (input: WiringInput): boolean => isOwnAddress(input, 'openai.com', 'OPENAI_BASE_URL')

/** Not all that speak its interface know how to hold an answer to a schema. */
const answerOptions = (input: WiringInput): Pick<Wired, 'answerOptions'> =>
  isOwn(input) ? { answerOptions: {} } : {}

function openAi(input: WiringInput) {
  const auth = requireKey(input, 'OPENAI_API_KEY')
  if ('problem' in auth) return auth
  const { config, fetch } = input
  return { create: createOpenAI({ apiKey: auth.key, fetch, ...baseUrlOption(config) }) }
}
