/**
 * The taxonomy of errors as a table: what a provider said, and what is to be done about it. Rows from the providers'
 * error pages; the order of the rules shows where two of them fit (a 429 may be an empty account).
 */
import { describe, expect, test } from 'vitest'
import type { ModelErrorClass } from '@signalbox/core'
import { providerModelError } from '../src/errors/model-error.ts'
import { readProviderError } from '../src/provider-error.ts'
import { quotes } from '../src/turn/quotes.ts'

/** The error body, the HTTP status (null within a stream), the class, whether the same call may be made again. */
type Row = readonly [unknown, number | null, ModelErrorClass, boolean]

function classOf(body: unknown, status: number | null, headers: Record<string, string> = {}) {
  const error = { ...readProviderError(body), ...(status === null ? {} : { status }) }
  return providerModelError(error, { inStream: status === null, headers, now: 1_000 })
}

const said = (code: string, message = 'x') => ({ error: { code, message } })
const words = (message: string) => ({ error: { message } })
const gemini = (status: string, message: string, details: readonly object[] = []) => ({
  error: { code: 429, status, message, details },
})
const minute = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.4s' }
const quotaOf = (quotaId: string) => ({
  '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
  violations: [{ quotaId }],
})
const geminiWords = 'You exceeded your current quota, please check your plan and billing details.'

const groups: Readonly<Record<string, readonly Row[]>> = {
  'an empty account before the rate that its status tells': [
    [said('insufficient_quota', geminiWords), 429, 'quota', false],
    [said('exceeded_current_quota_error'), 429, 'quota', false],
    [words('Your credit balance is too low to access the Anthropic API.'), 400, 'quota', false],
    [words('Insufficient Balance'), 402, 'quota', false],
    [words('payment required'), 402, 'quota', false],
    [words('Your team has used all available credits'), 429, 'quota', false],
    [said('Arrearage', 'Access denied'), 400, 'quota', false],
    [said('1113', '您的账户已欠费'), 429, 'quota', false],
    [said('insufficient_quota'), null, 'quota', false],
    [gemini('RESOURCE_EXHAUSTED', geminiWords), 429, 'quota', false],
    [
      gemini('RESOURCE_EXHAUSTED', geminiWords, [quotaOf('RequestsPerDayPerProject'), minute]),
      429,
      'quota',
      false,
    ],
  ],
  'a rate': [
    [
      gemini('RESOURCE_EXHAUSTED', geminiWords, [quotaOf('RequestsPerMinute'), minute]),
      429,
      'rate_limit',
      true,
    ],
    [said('rate_limit_exceeded'), 429, 'rate_limit', true],
    [words('slow down'), 429, 'rate_limit', true],
    [said('1302'), 429, 'rate_limit', true],
    [said('Throttling.AllocationQuota', 'Allocated quota exceeded'), 429, 'rate_limit', true],
    [{ error: { type: 'rate_limit_error', message: 'x' } }, null, 'rate_limit', true],
    [words('The server is busy'), 429, 'rate_limit', true],
  ],
  'a burst': [
    [said('limit_burst_rate', 'Request rate increased too quickly.'), 429, 'rate_limit', true],
    [said('limit_burst_rate'), null, 'rate_limit', true],
  ],
  'a key that is not good, before what else the words say': [
    [words('The service is temporarily unavailable for you'), 401, 'auth', false],
    [words('API key not valid. Please pass a valid API key.'), 400, 'auth', false],
    [said('invalid_api_key'), null, 'auth', false],
    [words('forbidden'), 403, 'auth', false],
    [{ error: { type: 'permission_error', message: 'x' } }, null, 'auth', false],
  ],
  'a prompt that is too long': [
    [said('context_length_exceeded'), 400, 'context_overflow', false],
    [words("This model's maximum context length is 65536 tokens."), 400, 'context_overflow', false],
    [words('prompt is too long: 2 > 1'), 400, 'context_overflow', false],
    [words('Input is too long for requested model.'), 400, 'context_overflow', false],
    [words('input length and `max_tokens` exceed context limit'), 400, 'context_overflow', false],
    [
      words('Please reduce the length of the messages or completion.'),
      400,
      'context_overflow',
      false,
    ],
    [words('Range of input length should be [1, 30720]'), 400, 'context_overflow', false],
    [
      said('rate_limit_exceeded', 'Request too large for gpt-4o on tokens per min'),
      429,
      'context_overflow',
      false,
    ],
    [words('Payload Too Large'), 413, 'context_overflow', false],
    [words('Too many tokens, please wait before trying again.'), 429, 'rate_limit', true],
  ],
  'a call that the provider could not read': [
    [said('tool_use_failed', 'Failed to call a function.'), 400, 'tool_use_failed', true],
    [said('tool_use_failed', 'x'), null, 'tool_use_failed', true],
  ],
  'a server that has no time': [
    [{ type: 'error', error: { type: 'overloaded_error', message: 'x' } }, 529, 'overloaded', true],
    [{ type: 'overloaded_error', message: 'Overloaded' }, null, 'overloaded', true],
    [{ error: { code: 529, message: 'x' } }, null, 'overloaded', true],
    [{ error: { code: 502, message: 'Provider returned error' } }, null, 'overloaded', true],
    [{ error: { code: '500', message: 'x' } }, null, 'overloaded', true],
    [{ message: 'x', originalStatusCode: 529 }, null, 'overloaded', true],
    [said('engine_overloaded_error'), 429, 'overloaded', true],
    [words('x'), 424, 'overloaded', true],
    [words('x'), 409, 'overloaded', true],
    [words('x'), 504, 'overloaded', true],
    [words('x'), 524, 'overloaded', true],
  ],
  'a server that says so in words alone': [
    'Model is overloaded, please try again later',
    'The model is currently experiencing high demand.',
    '服务器繁忙，请稍后再试',
    '系统负载过高',
    'サーバーが混み合っています',
    '서버가 과부하 상태입니다. 잠시 후 다시 시도하세요',
    'El servidor está sobrecargado, inténtelo de nuevo más tarde',
    'Le serveur est surchargé',
    'Der Dienst ist überlastet, bitte später erneut versuchen',
    'Il servizio è sovraccarico',
    'O servidor está sobrecarregado',
    'Сервер перегружен, попробуйте позже',
  ].flatMap((message): Row[] => [
    [message, null, 'overloaded', true],
    [{ error: { type: 'invalid_request_error', message } }, 400, 'overloaded', true],
  ]),
  'a connection': [
    [words('x'), 408, 'network', true],
    [words('x'), 425, 'network', true],
    [{ error: { type: 'timeout_error', message: 'x' } }, null, 'network', true],
  ],
  'what is left': [
    [words('x'), 400, 'invalid_request', false],
    [words('x'), 404, 'invalid_request', false],
    [{ error: { type: 'invalid_request_error', message: 'x' } }, null, 'invalid_request', false],
    [words('boom'), null, 'unknown', true],
    [null, null, 'unknown', true],
  ],
}

describe.each(Object.entries(groups))('%s', (_group, rows) => {
  test.each(rows)('%j with %s is %s', (body, status, errorClass, retryable) => {
    expect(classOf(body, status)).toMatchObject({ class: errorClass, retryable })
  })
})

const hour = 3_600_000
const date = (ms: number) => new Date(ms).toUTCString()

describe('how long to wait', () => {
  test.each([
    [{ 'retry-after': '90' }, 90_000],
    [{ 'retry-after': ' 0.5 ' }, 500],
    [{ 'retry-after-ms': '1500.2' }, 1501],
    [{ 'retry-after': '3600' }, hour],
    [{ 'retry-after': '86400' }, hour],
    [{ 'retry-after': date(61_000) }, 60_000],
    [{ 'retry-after': date(61_000), date: date(41_000) }, 20_000],
    [{ 'retry-after': date(99 * hour) }, hour],
    [{ 'retry-after': '-5' }, undefined],
  ])('%j is %s ms', (headers, expected) => {
    expect(classOf(words('x'), 429, headers).retryAfterMs).toBe(expected)
  })

  test.each([
    [{ retryDelay: '34.4s' }, 34_400],
    [{ retryDelay: '0.0001s' }, 1],
    [{ retryDelay: { seconds: '7', nanos: 500_000_000 } }, 7500],
    [{ retryDelay: { seconds: 7 } }, 7000],
    [{ retryDelay: '34' }, undefined],
    [{ retryDelay: '5000s' }, hour],
  ])('a body with %j is %s ms', (detail, expected) => {
    const body = gemini('RESOURCE_EXHAUSTED', 'x', [detail])
    expect(classOf(body, 429).retryAfterMs).toBe(expected)
  })

  test('of two the longer one', () => {
    const body = gemini('RESOURCE_EXHAUSTED', 'x', [minute])
    expect(classOf(body, 429, { 'retry-after': '7' }).retryAfterMs).toBe(34_400)
    expect(classOf(body, 429, { 'retry-after': '70' }).retryAfterMs).toBe(70_000)
  })

  test('five seconds after a burst, unless another time is named', () => {
    expect(classOf(said('limit_burst_rate'), 429)).toMatchObject({
      code: 'limit_burst_rate',
      retryAfterMs: 5000,
    })
    expect(classOf(said('limit_burst_rate'), 429, { 'retry-after': '2' }).retryAfterMs).toBe(2000)
  })
})

describe('what quotes arguments', () => {
  const args = '{"k1":"v2","k3":"v4","k5":"\\u00e9t\\u00e9 1234"}'
  test.each([
    ['a piece of it', 'near "k3":"v4","k5":"\\u00e9t\\u00e9 1234', true],
    ['it, escaped once more', `near ${JSON.stringify(args)}`, true],
    ['it, read and written again', `near ${JSON.stringify(JSON.parse(args), null, 2)}`, true],
    ['a word of it', 'k1 v2', false],
    ['nothing of it', 'The request is not valid, and that is all there is to say.', false],
  ])('%s', (_what, text, expected) => {
    expect(quotes(text, ['short', args])).toBe(expected)
    expect(quotes(text, ['short'])).toBe(false)
  })
})
