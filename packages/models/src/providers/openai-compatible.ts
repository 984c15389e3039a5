import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import {
  imagesBehind,
  isHostOf,
  requireKey,
  type Unwired,
  type Wired,
  type WiringInput,
} from './wiring.ts'

/**
 * Every vendor that speaks chat completions. `baseURL` is required. A key is sent only if the configuration names its
 * variable: servers on one's own machine have none.
 */
export function wireOpenAiCompatible(input: WiringInput): Wired | Unwired {
  const { config, fetch } = input
  if (config.baseURL === undefined)
    return {
      problem: 'invalid_request',
      message: `${config.provider} needs "baseURL" in the configuration.`,
    }
  const auth = config.apiKeyEnv === undefined ? null : requireKey(input, config.apiKeyEnv)
  if (auth && 'problem' in auth) return auth
  const provider = createOpenAICompatible({
    name: 'openai-compatible',
    baseURL: config.baseURL,
    includeUsage: true,
    fetch,
    ...(auth ? { apiKey: auth.key } : {}),
  })
  const endUser = endUserField(config.baseURL)
  return {
    model: provider.chatModel(config.model),
    metaKeys: ['openai-compatible', 'openaiCompatible'],
    images: imagesBehind,
    ...(endUser === null ? {} : { endUser: [endUser] }),
  }
}

/** The field of the end user in the request: GLM has one of its own, Mistral has none and refuses unknown fields. */
function endUserField(baseURL: string): 'user' | 'user_id' | null {
  if (isHostOf(baseURL, ['bigmodel.cn', 'z.ai', 'zhipuai.cn'])) return 'user_id'
  return isHostOf(baseURL, ['mistral.ai']) ? null : 'user'
}
