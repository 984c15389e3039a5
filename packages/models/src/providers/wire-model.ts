import { wireAnthropic } from './anthropic.ts'
import { wireAzure } from './azure.ts'
import { wireBedrock } from './bedrock.ts'
import { wireGoogle } from './google.ts'
import { wireOpenAiChat, wireOpenAiResponses } from './openai.ts'
import { wireOpenAiCompatible } from './openai-compatible.ts'
import type { Unwired, Wired, WiringInput } from './wiring.ts'

/** The model of a configuration, ready for one call. A `scripted` model is wired by `scripted/in-process.ts`. */
export function wireModel(input: WiringInput): Wired | Unwired {
  const { baseURL, provider } = input.config
  if (baseURL !== undefined && !/^https?:$/.test(URL.parse(baseURL)?.protocol ?? ''))
    return { problem: 'invalid_request', message: 'model.baseURL is not an http(s) address.' }
  switch (provider) {
    case 'openai':
      return wireOpenAiChat(input)
    case 'openai-responses':
      return wireOpenAiResponses(input)
    case 'anthropic':
      return wireAnthropic(input)
    case 'google':
      return wireGoogle(input)
    case 'amazon-bedrock':
      return wireBedrock(input)
    case 'azure':
      return wireAzure(input)
    case 'openai-compatible':
    case 'scripted':
      return wireOpenAiCompatible(input)
  }
}
