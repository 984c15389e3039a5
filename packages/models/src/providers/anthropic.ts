import { createAnthropic } from '@ai-sdk/anthropic'
import {
  baseUrlOption,
  imageBytesOfAnthropic,
  imagesBehind,
  isOwnAddress,
  requireKey,
  type Unwired,
  type Wired,
  type WiringInput,
} from './wiring.ts'

/** Anthropic over messages. */
export function wireAnthropic(input: WiringInput): Wired | Unwired {
  const auth = requireKey(input, 'ANTHROPIC_API_KEY')
  if ('problem' in auth) return auth
  const { config, fetch } = input
  const isOwn = isOwnAddress(input, 'anthropic.com', 'ANTHROPIC_BASE_URL')
  const provider = createAnthropic({ apiKey: auth.key, fetch, ...baseUrlOption(config) })
  return {
    model: provider.languageModel(config.model),
    metaKeys: ['anthropic'],
    endUser: ['metadata', 'userId'],
    images: { ...imagesBehind, bytesMax: imageBytesOfAnthropic, inResults: true },
    // Of its package's two ways the one that answers in text: the other is a call of a tool, and those are ours alone.
    ...(isOwn ? { answerOptions: { anthropic: { structuredOutputMode: 'outputFormat' } } } : {}),
    cacheMark: {
      option: 'cacheControl',
      // Five minutes are gone before a human has answered. Who else speaks this interface may know no other time.
      own: { type: 'ephemeral', ...(isOwn && input.waitsForPeople ? { ttl: '1h' } : {}) },
      on: 'request',
      // Anthropic moves a mark of the request to the last block that can have one. Gateways to Bedrock and Vertex refuse such a mark, and
      // take one on a block.
      byDefault: isOwn ? 'request' : 'message',
    },
  }
}
