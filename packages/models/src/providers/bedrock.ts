import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock'
import {
  baseUrlOption,
  imageBytesOfAnthropic,
  imagesBehind,
  missingVariable,
  requireKey,
  type Unwired,
  type Wired,
  type WiringInput,
} from './wiring.ts'

/**
 * Amazon Bedrock over Converse. With a bearer token if the configuration names its variable or AWS_BEARER_TOKEN_BEDROCK
 * is set, else signed with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.
 */
export function wireBedrock(input: WiringInput): Wired | Unwired {
  const { config, env, fetch } = input
  const region = config.region ?? env['AWS_REGION']
  if (region === undefined && config.baseURL === undefined)
    return {
      problem: 'invalid_request',
      message: 'amazon-bedrock needs "region" in the configuration, or AWS_REGION.',
    }
  const auth = credentials(input)
  if ('problem' in auth) return auth
  const provider = createAmazonBedrock({
    ...auth,
    ...baseUrlOption(config),
    region: region ?? 'us-east-1',
    fetch,
  })
  return {
    model: provider.languageModel(config.model),
    metaKeys: ['amazonBedrock', 'bedrock'],
    images: {
      ...imagesBehind,
      bytesMax: imageBytesOfAnthropic,
      inResults: takesImageInResult(config.model),
    },
    // Its package holds other models to a schema by a call of a tool, and those are ours alone.
    ...(isClaude(config.model)
      ? { answerOptions: { amazonBedrock: { structuredOutputMode: 'outputFormat' } } }
      : {}),
    cacheMark: {
      option: 'cachePoint',
      own: { type: 'default' },
      on: 'message',
      byDefault: takesCachePoint(config.model) ? 'message' : null,
    },
  }
}

/**
 * Bedrock refuses a request with a cache point for a model that has no prompt caching (403), and Amazon's Nova one that stands behind
 * a result. So only Claude gets one by itself, from the versions on that have it; a profile whose name does not say what it stands for
 * gets none.
 */
function takesCachePoint(model: string): boolean {
  return isClaude(model) && !withoutCaching.test(model)
}

/** By the reference of Converse, results have images for Claude and Nova alone. */
const takesImageInResult = (model: string): boolean =>
  isClaude(model) || /(^|[./])amazon\.nova-/.test(model)

const isClaude = (model: string): boolean => /(^|[./])anthropic\.claude-/.test(model)

const withoutCaching = /\.claude-(v\d|instant|3-(opus|sonnet|haiku)|3-5-sonnet-20240620)/

function credentials(input: WiringInput) {
  const { config, env } = input
  const token = requireKey(input, 'AWS_BEARER_TOKEN_BEDROCK')
  if ('key' in token) return { apiKey: token.key }
  if (config.apiKeyEnv !== undefined) return token
  const accessKeyId = env['AWS_ACCESS_KEY_ID']
  const secretAccessKey = env['AWS_SECRET_ACCESS_KEY']
  const sessionToken = env['AWS_SESSION_TOKEN']
  if (!accessKeyId || !secretAccessKey)
    return missingVariable(accessKeyId ? 'AWS_SECRET_ACCESS_KEY' : 'AWS_BEARER_TOKEN_BEDROCK')
  return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) }
}
