/**
 * How many tokens fit: by the name of a model, and by the words of a provider that refused a request. Would catch: a window that is
 * guessed, a configured one that the table overrules, a limit per minute or a code that is taken for a window.
 */
import { limits, type ModelConfig } from '@signalbox/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listedWindow } from '../src/index.ts'
import { providerModelError } from '../src/errors/model-error.ts'
import { readProviderError } from '../src/provider-error.ts'
import { ask, jsonReply, type Provider, request } from './support/call.ts'
import { type Loopback, startLoopback } from './support/loopback.ts'

let loopback: Loopback
beforeAll(async () => {
  loopback = await startLoopback()
})
afterAll(() => loopback.close())

const config = (
  provider: Provider,
  model: string,
  more: Partial<ModelConfig> = {},
): ModelConfig => ({
  ...request({ provider }).model,
  model,
  ...more,
})

describe('§4.2: a window by the name of a model', () => {
  /** As the providers publish them. */
  test.each<readonly [Provider, string, number]>([
    ['anthropic', 'claude-sonnet-4-5', 200_000],
    ['anthropic', 'claude-sonnet-4-5-20250929', 200_000],
    ['anthropic', 'claude-sonnet-4-6', 1_000_000],
    ['anthropic', 'claude-3-5-haiku-latest', 200_000],
    ['openai', 'gpt-4o-2024-11-20', 128_000],
    ['openai', 'gpt-4.1-mini', 1_047_576],
    ['openai-responses', 'o4-mini', 200_000],
    // 400,000 with the answer, but no request of more than this.
    ['openai-responses', 'gpt-5', 272_000],
    ['google', 'gemini-2.5-pro', 1_048_576],
    ['google', 'gemini-2.0-flash-001', 1_048_576],
    ['amazon-bedrock', 'anthropic.claude-3-5-sonnet-20241022-v2:0', 200_000],
    ['amazon-bedrock', 'eu.anthropic.claude-opus-4-6-v1', 1_000_000],
    ['amazon-bedrock', 'us.amazon.nova-pro-v1:0', 300_000],
    [
      'amazon-bedrock',
      'arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.anthropic.claude-haiku-4-5-20251001-v1:0',
      200_000,
    ],
  ])('%s %s: %i', (provider, model, window) => {
    expect(listedWindow(config(provider, model))).toBe(window)
  })

  test.each<readonly [Provider, string]>([
    ['anthropic', 'claude-sonnet-4-5-turbo'],
    ['anthropic', 'my-claude-sonnet-4-5'],
    ['openai', 'gpt-5-chat-latest'],
    ['openai', 'constructor'],
    ['amazon-bedrock', 'amazon.nova-pro-v1:0:24k'],
    ['amazon-bedrock', 'anthropic.claude-3-haiku-20240307-v1:0:48k'],
    ['amazon-bedrock', 'arn:aws:bedrock:eu-west-1:1:application-inference-profile/abc'],
    // The operator of a deployment or a server names its models freely, and gives them the memory that the machine has.
    ['azure', 'gpt-4o'],
    ['openai-compatible', 'gpt-4o'],
    ['scripted', 'gpt-4o'],
  ])('%s %s: nobody knows', (provider, model) => {
    expect(listedWindow(config(provider, model))).toBeUndefined()
  })

  test('what is configured stands', () => {
    const contextWindow = 32_000
    expect(listedWindow(config('anthropic', 'claude-sonnet-4-5', { contextWindow }))).toBe(32_000)
    expect(listedWindow(config('openai-compatible', 'mine', { contextWindow }))).toBe(32_000)
  })
})

/** The words of providers, and the tokens that fit by them. */
const worded: readonly (readonly [string, number])[] = [
  ['prompt is too long: 208310 tokens > 200000 maximum', 200_000],
  [
    'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again',
    200_000,
  ],
  [
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 204308 tokens. Please reduce the length of the messages.",
    128_000,
  ],
  [
    "This model's maximum context length is 16385 tokens. However, you requested 17385 tokens (13385 in the messages, 4000 in the completion).",
    16_385,
  ],
  [
    "This endpoint's maximum context length is 163840 tokens. However, you requested about 200000 tokens (190000 of text input, 10000 in the output).",
    163_840,
  ],
  [
    'The input token count (1196265) exceeds the maximum number of tokens allowed (1048576).',
    1_048_576,
  ],
  [
    'Unable to submit request because the input token count is 1239024 but model only supports up to 1048576. Reduce the input token count and try again.',
    1_048_576,
  ],
  ["This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 131_072],
  ['Your request exceeded model token limit: 262144 (requested: 300000)', 262_144],
  ['Range of input length should be [1, 129024]', 129_024],
  [
    'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    32_768,
  ],
  ['the request exceeds the available context size (8192 tokens), try increasing it', 8_192],
]

const refused = (message: string, more: object = {}) =>
  providerModelError(
    { ...readProviderError({ error: { message, ...more } }), status: 400 },
    { inStream: false, headers: {}, now: 1_000 },
  )

describe('§19 meter 4: an error that names the window', () => {
  test.each(worded)('%s', (message, window) => {
    expect(refused(message)).toMatchObject({ class: 'context_overflow', window })
  })

  test('a server of llama.cpp has a field for it', () => {
    const more = { type: 'exceed_context_size_error', n_prompt_tokens: 9_000, n_ctx: 8_192 }
    const error = refused('the request exceeds the available context size, try increasing it', more)
    expect(error).toMatchObject({ class: 'context_overflow', window: 8_192 })
  })

  test.each([
    'Input is too long for requested model.',
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
    'Input Tokens Exceeded: Number of input tokens exceeds maximum length.',
    // A code of MiniMax.
    'invalid params, context window exceeds limit (2013)',
    'Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 40000.',
    'Please reduce the length of the messages or completion.',
    'prompt is too long: 12 tokens > 0 maximum',
    `This model's maximum context length is ${'9'.repeat(40)} tokens.`,
    `This model's maximum context length is ${limits.contextWindowMin - 1} tokens.`,
  ])('none: %s', (message) => {
    const error = refused(message)
    expect(error.class).toBe('context_overflow')
    expect(error).not.toHaveProperty('window')
  })

  test('none of an error of another class', () => {
    const error = refused("Wrong key. This model's maximum context length is 128000 tokens.", {
      code: 'invalid_api_key',
    })
    expect(error.class).toBe('auth')
    expect(error).not.toHaveProperty('window')
  })

  test.each<readonly [Provider, unknown, number]>([
    [
      'anthropic',
      {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: 'prompt is too long: 210000 tokens > 200000 maximum',
        },
      },
      200_000,
    ],
    [
      'openai',
      {
        error: {
          code: 'context_length_exceeded',
          message: "This model's maximum context length is 128000 tokens.",
        },
      },
      128_000,
    ],
    [
      'amazon-bedrock',
      {
        message:
          'The model returned the following errors: prompt is too long: 210000 tokens > 200000 maximum',
      },
      200_000,
    ],
    [
      'google',
      {
        error: {
          code: 400,
          status: 'INVALID_ARGUMENT',
          message:
            'The input token count (1196265) exceeds the maximum number of tokens allowed (1048576).',
        },
      },
      1_048_576,
    ],
  ])('%s, over HTTP', async (provider, body, window) => {
    const { turn } = await ask({ provider, baseURL: loopback.reply(jsonReply(400, body)) })
    expect(turn.error).toMatchObject({ class: 'context_overflow', window })
  })
})
