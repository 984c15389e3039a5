/**
 * Filters that answer with an HTTP error, in the shapes the providers document. They take the same path as filters that
 * stop a stream: verdict `safety` with evidence, never tried again.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask, jsonReply, type Provider } from './support/call.ts'
import { type Loopback, startLoopback } from './support/loopback.ts'

let loopback: Loopback
beforeAll(async () => {
  loopback = await startLoopback()
})
afterAll(() => loopback.close())

type Row = readonly [string, Provider, number, unknown, string]

const filters: readonly Row[] = [
  [
    'OpenAI content_policy_violation',
    'openai',
    400,
    { error: { code: 'content_policy_violation', message: 'no', type: 'invalid_request_error' } },
    'openai-compatible error.code=content_policy_violation',
  ],
  [
    'Azure content_filter',
    'azure',
    400,
    {
      error: {
        code: 'content_filter',
        message: 'The response was filtered',
        status: 400,
        innererror: { code: 'ResponsibleAIPolicyViolation' },
      },
    },
    'azure error.innererror.code=ResponsibleAIPolicyViolation',
  ],
  [
    'GLM 1301',
    'openai-compatible',
    400,
    { error: { code: '1301', message: 'unsafe' }, contentFilter: [{ role: 'user', level: 0 }] },
    'glm error.code=1301',
  ],
  [
    'DeepSeek Content Exists Risk',
    'openai-compatible',
    400,
    {
      error: {
        code: 'invalid_request_error',
        message: 'Content Exists Risk',
        type: 'invalid_request_error',
      },
    },
    'openai-compatible error.message=Content Exists Risk',
  ],
  [
    'Moonshot content_filter',
    'openai-compatible',
    400,
    {
      error: {
        message: 'The request was rejected because it was considered high risk',
        type: 'content_filter',
      },
    },
    'openai-compatible error.type=content_filter',
  ],
  [
    'Alibaba, compatible shape',
    'openai-compatible',
    400,
    { error: { code: 'data_inspection_failed', message: 'no', type: 'data_inspection_failed' } },
    'alibaba error.code=data_inspection_failed',
  ],
  [
    'Alibaba, DashScope shape',
    'openai-compatible',
    400,
    { code: 'DataInspectionFailed', message: 'no', request_id: 'r' },
    'alibaba error.code=DataInspectionFailed',
  ],
  [
    'Anthropic',
    'anthropic',
    400,
    {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message: 'Output blocked by content filtering policy',
      },
    },
    'anthropic error.message=Output blocked by content filtering policy',
  ],
  [
    'xAI safety check',
    'openai-compatible',
    403,
    {
      code: 'forbidden',
      error: 'Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO',
    },
    'openai-compatible error.message=SAFETY_CHECK_TYPE_BIO',
  ],
  [
    'OpenRouter moderation',
    'openai-compatible',
    403,
    {
      error: {
        code: 403,
        message: 'Input flagged',
        metadata: { reasons: ['violence'], flagged_input: 'x' },
      },
    },
    'openai-compatible error.metadata.reasons=violence',
  ],
  [
    'Bedrock guardrail',
    'amazon-bedrock',
    400,
    { message: 'The request was blocked by the guardrail.' },
    'bedrock error.message=blocked by the guardrail',
  ],
  [
    'Bedrock content filters',
    'amazon-bedrock',
    400,
    { message: 'This request has been blocked by our content filters.' },
    'bedrock error.message=blocked by our content filters',
  ],
  [
    'Claude on Bedrock',
    'amazon-bedrock',
    400,
    { message: 'Output blocked by content filtering policy' },
    'anthropic error.message=Output blocked by content filtering policy',
  ],
  [
    'Azure content_filter without innererror',
    'azure',
    400,
    { error: { code: 'content_filter', message: 'The prompt was filtered', type: null } },
    'azure error.code=content_filter',
  ],
  [
    'GLM 1301 as a number',
    'openai-compatible',
    400,
    { error: { code: 1301, message: 'unsafe' } },
    'glm error.code=1301',
  ],
  [
    'OpenAI usage policy',
    'openai-responses',
    400,
    {
      error: {
        code: 'invalid_prompt',
        message:
          'Invalid prompt: your prompt was flagged as potentially violating our usage policy.',
        type: 'invalid_request_error',
      },
    },
    'openai-compatible error.message=flagged as potentially violating our usage policy',
  ],
  [
    'xAI without the check it failed',
    'openai-compatible',
    403,
    { code: 'forbidden', error: 'Content violates usage guidelines.' },
    'openai-compatible error.message=Content violates usage guidelines',
  ],
]

describe('a filter that answers with an error', () => {
  test.each(filters)('%s', async (_name, provider, status, body, evidence) => {
    const { turn } = await ask({ provider, baseURL: loopback.reply(jsonReply(status, body)) })

    expect(turn.verdict).toBe('safety')
    expect(turn.evidence.map((it) => `${it.detector} ${it.field}=${it.value}`)).toEqual([evidence])
    expect(turn.error).toBeUndefined()
  })

  test('is no evidence, and not retried, where the configuration names other detectors', async () => {
    const { turn } = await ask({
      provider: 'openai-compatible',
      baseURL: loopback.reply(jsonReply(400, { error: { code: '1301', message: 'unsafe' } })),
      detectors: [{ use: 'gemini' }],
    })

    expect(turn.verdict).toBe('error')
    expect(turn.error).toMatchObject({ class: 'safety', retryable: false })
  })
})
