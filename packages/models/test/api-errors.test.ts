/** Errors as HTTP answers, in the shapes the providers document: their class, whether to try again and when. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ModelErrorClass } from '@signalbox/core'
import { ask, env, jsonReply, type Provider } from './support/call.ts'
import { type Loopback, startLoopback } from './support/loopback.ts'

let loopback: Loopback
beforeAll(async () => {
  loopback = await startLoopback()
})
afterAll(() => loopback.close())

type ErrorRow = readonly [string, Provider, number, unknown, ModelErrorClass, boolean]

const openAiError = (code: string, message = 'no') => ({
  error: { code, message, type: null, param: null },
})

const errors: readonly ErrorRow[] = [
  ['OpenAI rate limit', 'openai', 429, openAiError('rate_limit_exceeded'), 'rate_limit', true],
  ['OpenAI empty account', 'openai', 429, openAiError('insufficient_quota'), 'quota', false],
  [
    'credit balance',
    'anthropic',
    400,
    {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message: 'Your credit balance is too low to access the API.',
      },
    },
    'quota',
    false,
  ],
  [
    '402',
    'openai-compatible',
    402,
    { error: { code: 402, message: 'Insufficient credits' } },
    'quota',
    false,
  ],
  [
    'GLM rate limit',
    'openai-compatible',
    429,
    { error: { code: '1302', message: 'x' } },
    'rate_limit',
    true,
  ],
  [
    'OpenAI context',
    'openai',
    400,
    openAiError('context_length_exceeded'),
    'context_overflow',
    false,
  ],
  [
    'Anthropic context',
    'anthropic',
    400,
    {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message: 'prompt is too long: 210000 tokens > 200000 maximum',
      },
    },
    'context_overflow',
    false,
  ],
  [
    'Gemini context',
    'google',
    400,
    {
      error: {
        code: 400,
        status: 'INVALID_ARGUMENT',
        message: 'The input token count (2000000) exceeds the maximum number of tokens allowed',
      },
    },
    'context_overflow',
    false,
  ],
  [
    'Groq tool_use_failed',
    'openai-compatible',
    400,
    {
      error: {
        code: 'tool_use_failed',
        message: 'Failed to call a function.',
        failed_generation: '<x>',
      },
    },
    'tool_use_failed',
    true,
  ],
  ['OpenAI bad key', 'openai', 401, openAiError('invalid_api_key'), 'auth', false],
  [
    '403 without marks',
    'openai-compatible',
    403,
    { error: { message: 'forbidden' } },
    'auth',
    false,
  ],
  [
    'Anthropic overloaded',
    'anthropic',
    529,
    { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    'overloaded',
    true,
  ],
  [
    'Gemini unavailable',
    'google',
    503,
    { error: { code: 503, status: 'UNAVAILABLE', message: 'x' } },
    'overloaded',
    true,
  ],
  [
    'Bedrock throttling',
    'amazon-bedrock',
    429,
    { message: 'Too many requests' },
    'rate_limit',
    true,
  ],
  ['500 with a page', 'openai-compatible', 500, 'not an object', 'overloaded', true],
  ['599', 'openai-compatible', 599, {}, 'overloaded', true],
  [
    'OpenAI bad request',
    'openai',
    400,
    {
      error: {
        code: null,
        message: 'Invalid schema',
        type: 'invalid_request_error',
        param: 'tools',
      },
    },
    'invalid_request',
    false,
  ],
  ['422', 'openai-compatible', 422, { error: { message: 'x' } }, 'invalid_request', false],
]

describe('classes', () => {
  test.each(errors)('%s', async (_name, provider, status, body, errorClass, retryable) => {
    const { turn } = await ask({ provider, baseURL: loopback.reply(jsonReply(status, body)) })

    expect(turn.verdict).toBe('error')
    expect(turn.error).toMatchObject({ class: errorClass, retryable, status })
    expect(turn.finish).toBeNull()
  })

  test('no package retries by itself', async () => {
    const baseURL = loopback.reply(jsonReply(503, { error: { message: 'x' } }))
    await ask({ provider: 'openai', baseURL })
    expect(loopback.requests(baseURL)).toHaveLength(1)
  })
})

describe('what to wait for', () => {
  const body = { error: { message: 'slow down' } }
  test.each([
    ['retry-after in seconds', { 'retry-after': '7' }, body, 7000],
    ['retry-after-ms wins', { 'retry-after': '7', 'retry-after-ms': '1500' }, body, 1500],
    ['a date in the past', { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, body, 0],
    ['nonsense', { 'retry-after': 'soon' }, body, undefined],
    [
      'Gemini RetryInfo',
      {},
      {
        error: {
          code: 429,
          status: 'RESOURCE_EXHAUSTED',
          message: 'x',
          details: [
            { '@type': 'type.googleapis.com/google.rpc.Help' },
            { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.4s' },
          ],
        },
      },
      34_400,
    ],
  ])('%s', async (_name, headers, answer, expected) => {
    const { turn } = await ask({
      provider: 'google',
      baseURL: loopback.reply(jsonReply(429, answer, headers)),
    })
    expect(turn.error?.class).toBe('rate_limit')
    expect(turn.error?.retryAfterMs).toBe(expected)
  })

  test('a date in the future', async () => {
    const inAnHour = new Date(Date.now() + 3_600_000).toUTCString()
    const { turn } = await ask({
      provider: 'openai',
      baseURL: loopback.reply(jsonReply(429, body, { 'retry-after': inAnHour })),
    })
    expect(turn.error?.retryAfterMs).toBeGreaterThan(3_500_000)
    expect(turn.error?.retryAfterMs).toBeLessThanOrEqual(3_600_000)
  })
})

test('the id of the request is kept, the key is not shown', async () => {
  const answer = { error: { message: `Incorrect API key provided: ${env.TEST_KEY}.` } }
  const { turn } = await ask({
    provider: 'openai',
    baseURL: loopback.reply(jsonReply(401, answer, { 'x-request-id': 'req_1' })),
  })
  expect(turn.error).toMatchObject({ class: 'auth', requestId: 'req_1' })
  expect(turn.error?.message).toBe('Incorrect API key provided: [key].')
})
