import { createAzure } from '@ai-sdk/azure'
import {
  baseUrlOption,
  imagesBehind,
  requireKey,
  type Unwired,
  type Wired,
  type WiringInput,
} from './wiring.ts'

/** The newest version of the deployment-based interface that is generally available. */
const defaultApiVersion = '2024-10-21'

/**
 * Azure OpenAI over deployment-based chat completions; `model` is the name of the deployment. The resource comes from
 * `baseURL` (`https://<resource>.openai.azure.com/openai`) or AZURE_RESOURCE_NAME, the version from OPENAI_API_VERSION.
 */
export function wireAzure(input: WiringInput): Wired | Unwired {
  const auth = requireKey(input, 'AZURE_API_KEY')
  if ('problem' in auth) return auth
  const { config, env, fetch } = input
  const resourceName = env['AZURE_RESOURCE_NAME']
  if (config.baseURL === undefined && !resourceName)
    return {
      problem: 'invalid_request',
      message: 'azure needs "baseURL" in the configuration, or AZURE_RESOURCE_NAME.',
    }
  const provider = createAzure({
    apiKey: auth.key,
    apiVersion: env['OPENAI_API_VERSION'] ?? defaultApiVersion,
    useDeploymentBasedUrls: true,
    fetch,
    ...baseUrlOption(config),
    ...(resourceName ? { resourceName } : {}),
  })
  return {
    model: provider.chat(config.model),
    metaKeys: ['azure', 'openai'],
    // Not `safety_identifier`: the versions of this interface answer an argument they do not know with 400.
    endUser: ['user'],
    images: imagesBehind,
    answerOptions: {},
    // Nor a key of the cache, for the same reason: Azure caches without one.
    cacheMark: {
      option: 'promptCacheKey',
      own: input.cacheKey ?? null,
      on: 'request',
      byDefault: null,
    },
  }
}
