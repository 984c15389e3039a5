/**
 * The filters of `filter-errors.test.ts` once the answer has begun: as a chunk, an event, or an exception. Verdict `safety`
 * with the same evidence, and nothing of the call that was under way.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { wireOf } from '../src/observer/wires.ts'
import { askStream, callsOf, type Provider } from './support/call.ts'
import { type Loopback, startLoopback } from './support/loopback.ts'
import type { Event } from './support/wire-bytes.ts'
import { built, canary } from './support/wire-events.ts'

let loopback: Loopback
beforeAll(async () => {
  loopback = await startLoopback()
})
afterAll(() => loopback.close())

interface Row {
  readonly filter: string
  readonly provider: Provider
  readonly event: Event
  readonly evidence: string
  /** Where the first event of a stream shows less. */
  readonly first?: string
}

const rows: readonly Row[] = [
  {
    filter: 'GLM 1301',
    provider: 'openai-compatible',
    event: { error: { code: '1301', message: 'unsafe' } },
    evidence: 'glm error.code=1301',
  },
  {
    filter: 'Azure',
    provider: 'azure',
    event: {
      error: {
        code: 'content_filter',
        message: 'filtered',
        innererror: { code: 'ResponsibleAIPolicyViolation' },
      },
    },
    evidence: 'azure error.innererror.code=ResponsibleAIPolicyViolation',
    // The package throws it without its inner error, and before it hands out the raw chunk.
    first: 'azure error.code=content_filter',
  },
  {
    filter: 'Alibaba, compatible shape',
    provider: 'openai-compatible',
    event: {
      error: { code: 'data_inspection_failed', message: 'Output data may be inappropriate.' },
    },
    evidence: 'alibaba error.code=data_inspection_failed',
  },
  {
    filter: 'Alibaba, DashScope shape',
    provider: 'openai-compatible',
    event: {
      code: 'DataInspectionFailed',
      message: 'Output data may be inappropriate.',
      request_id: 'r',
    },
    evidence: 'alibaba error.code=DataInspectionFailed',
  },
  {
    filter: 'DeepSeek, a bare text',
    provider: 'openai-compatible',
    event: { error: 'Content Exists Risk' },
    evidence: 'openai-compatible error.message=Content Exists Risk',
  },
  {
    filter: 'Moonshot',
    provider: 'openai-compatible',
    event: { error: { type: 'content_filter', message: 'high risk' } },
    evidence: 'openai-compatible error.type=content_filter',
  },
  {
    filter: 'OpenRouter moderation',
    provider: 'openai-compatible',
    event: {
      error: { code: 403, message: 'flagged', metadata: { reasons: ['violence', 'hate'] } },
    },
    evidence: 'openai-compatible error.metadata.reasons=violence, hate',
  },
  {
    filter: 'xAI',
    provider: 'openai-compatible',
    event: { error: { message: 'Failed check: SAFETY_CHECK_TYPE_CSAM' } },
    evidence: 'openai-compatible error.message=SAFETY_CHECK_TYPE_CSAM',
  },
  {
    filter: 'OpenAI chat',
    provider: 'openai',
    event: {
      error: { code: 'content_policy_violation', message: 'no', type: 'invalid_request_error' },
    },
    evidence: 'openai-compatible error.code=content_policy_violation',
  },
  {
    filter: 'OpenAI Responses',
    provider: 'openai-responses',
    event: {
      type: 'response.failed',
      response: {
        id: 'resp_1',
        status: 'failed',
        error: { code: 'content_policy_violation', message: 'no' },
      },
    },
    evidence: 'openai-compatible error.code=content_policy_violation',
  },
  {
    filter: 'Anthropic',
    provider: 'anthropic',
    event: {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message: 'Output blocked by content filtering policy',
      },
    },
    evidence: 'anthropic error.message=Output blocked by content filtering policy',
  },
  {
    filter: 'Bedrock guardrail',
    provider: 'amazon-bedrock',
    event: { validationException: { message: 'Blocked by your guardrail.' } },
    evidence: 'bedrock error.message=Blocked by your guardrail',
  },
  {
    filter: 'Claude on Bedrock',
    provider: 'amazon-bedrock',
    event: { modelStreamErrorException: { message: 'Output blocked by content filtering policy' } },
    evidence: 'anthropic error.message=Output blocked by content filtering policy',
  },
]

describe('a filter that ends the stream with an error', () => {
  test.each(rows)('$filter ($provider), as the first event', async (row) => {
    const { provider, event, evidence, first } = row
    const { turn } = await askStream(loopback, { provider }, [event])

    expect(turn.verdict).toBe('safety')
    expect(turn.evidence.map((it) => `${it.detector} ${it.field}=${it.value}`)).toEqual([
      first ?? evidence,
    ])
  })

  test.each(rows)('$filter ($provider), in a call', async ({ provider, event, evidence }) => {
    const { open, cutCall } = built[wireOf(provider)]
    const { turn } = await askStream(loopback, { provider }, [...open, ...cutCall, event])

    expect(turn.verdict).toBe('safety')
    expect(turn.evidence.map((it) => `${it.detector} ${it.field}=${it.value}`)).toEqual([evidence])
    expect(turn.message.parts).toEqual([{ type: 'text', text: 'I write. ' }])
    expect(turn.suppressed.map(({ name }) => name)).toEqual(['write_file'])
    expect(callsOf(turn)).toEqual([])
    expect(JSON.stringify(turn)).not.toContain(canary)
  })
})
