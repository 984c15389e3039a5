/** Configurations that cannot make a call are turns with an explanation: never a throw, never a request. */
import { expect, test } from 'vitest'
import type { ModelConfig } from '@signalbox/core'
import { createModels } from '../src/index.ts'
import { request, type Provider } from './support/call.ts'

const sink = { delta: () => undefined }

async function askWith(
  provider: Provider,
  { env = {}, model = {} }: { env?: Record<string, string>; model?: Partial<ModelConfig> },
) {
  const models = createModels({
    env,
    fetch: () => Promise.reject(new Error('nothing must be sent')),
  })
  const { apiKeyEnv: _key, region: _region, ...config } = request({ provider }).model
  const asked = { ...request({ provider }), model: { ...config, ...model } }
  return models.call(asked, sink, new AbortController().signal)
}

test.each([
  ['openai', 'OPENAI_API_KEY'],
  ['openai-responses', 'OPENAI_API_KEY'],
  ['anthropic', 'ANTHROPIC_API_KEY'],
  ['google', 'GOOGLE_GENERATIVE_AI_API_KEY'],
  ['azure', 'AZURE_API_KEY'],
  ['amazon-bedrock', 'AWS_BEARER_TOKEN_BEDROCK'],
] as const)('%s without a key names %s', async (provider, variable) => {
  const turn = await askWith(provider, { model: { region: 'us-east-1' } })
  expect(turn.verdict).toBe('error')
  expect(turn.error).toMatchObject({ class: 'auth', retryable: false })
  expect(turn.error?.message).toContain(variable)
})

test.each(['openai', 'openai-compatible', 'amazon-bedrock'] as const)(
  '%s without the key that the configuration names says its name',
  async (provider) => {
    const model = { apiKeyEnv: 'KIMI_API_KEY', baseURL: 'http://127.0.0.1:1/v1' }
    const turn = await askWith(provider, { model, env: { KIMI_API_KEY: ' ' } })
    expect(turn.error).toMatchObject({ class: 'auth' })
    expect(turn.error?.message).toContain('KIMI_API_KEY')
  },
)

test.each([
  ['openai-compatible', {}, /baseURL/],
  ['azure', { AZURE_API_KEY: 'k' }, /AZURE_RESOURCE_NAME/],
  ['amazon-bedrock', { AWS_BEARER_TOKEN_BEDROCK: 'k' }, /AWS_REGION/],
] as const)('%s without an address says what is missing', async (provider, env, message) => {
  const turn = await askWith(provider, { env })
  expect(turn.error).toMatchObject({ class: 'invalid_request', retryable: false })
  expect(turn.error?.message).toMatch(message)
})

test.each(['openai', 'azure', 'amazon-bedrock', 'openai-compatible'] as const)(
  '%s with an address that is none says so',
  async (provider) => {
    for (const baseURL of ['127.0.0.1:1/v1', 'file:///etc/passwd', '']) {
      const turn = await askWith(provider, { model: { baseURL } })
      expect(turn.error).toMatchObject({ class: 'invalid_request', retryable: false })
      expect(turn.error?.message).toContain('baseURL')
    }
  },
)

test('an aborted signal comes before a missing key', async () => {
  const reason = new Error('too late')
  const models = createModels({ env: {} })
  const call = models.call(request({ provider: 'openai' }), sink, AbortSignal.abort(reason))
  await expect(call).rejects.toBe(reason)
})

test('so does one that is aborted while the package of the provider is loaded', async () => {
  const reason = new Error('cancelled')
  const controller = new AbortController()
  const models = createModels({ env: {} })
  const call = models.call(request({ provider: 'openai' }), sink, controller.signal)
  controller.abort(reason)
  await expect(call).rejects.toBe(reason)
})

test('options that are not grouped by provider are refused', async () => {
  const model = { baseURL: 'http://127.0.0.1:1/v1', providerOptions: { user: 'u' } }
  const turn = await askWith('openai-compatible', { model })
  expect(turn.error).toMatchObject({ class: 'invalid_request' })
  expect(turn.error?.message).toContain('providerOptions')
})

test('a fetch that fails in an unforeseen way is a turn, too', async () => {
  const turn = await askWith('openai-compatible', { model: { baseURL: 'http://127.0.0.1:1/v1' } })
  expect(turn.verdict).toBe('error')
  expect(turn.error?.message).toContain('nothing must be sent')
})
