/**
 * Signals of the typed wires that are more than a finish reason: refusal parts, failed responses, exceptions, guardrail
 * traces. Each with a call in flight; the same contract as in `finish-reasons.test.ts`.
 */
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Loopback, startLoopback } from './support/loopback.ts'
import { checkSignal, type SignalRow } from './support/signal-row.ts'
import { built, goodEnding, terminal, wholeArgs } from './support/wire-events.ts'

let loopback: Loopback
beforeAll(async () => {
  loopback = await startLoopback()
})
afterAll(() => loopback.close())

const { messages, gemini, responses, converse } = built
const response = { id: 'resp_1', status: 'completed', usage: { input_tokens: 1, output_tokens: 1 } }
const functionCallItem = {
  type: 'function_call',
  id: 'fc_1',
  call_id: 'call_a',
  name: 'write_file',
  arguments: wholeArgs.slice(0, -9),
}

const wholeItem = { ...functionCallItem, arguments: wholeArgs }

const responsesRows: readonly SignalRow[] = [
  {
    signal: 'item done as incomplete, content_filter',
    provider: 'openai-responses',
    events: [
      ...responses.open,
      ...responses.cutCall,
      {
        type: 'response.output_item.done',
        output_index: 1,
        item: { ...functionCallItem, status: 'incomplete' },
      },
      ...terminal('responses', 'content_filter'),
    ],
    verdict: 'safety',
    finish: 'content-filter/content_filter',
    evidence: ['openai-compatible incomplete_details.reason=content_filter'],
  },
  {
    signal: 'item done as incomplete, yet completed',
    provider: 'openai-responses',
    events: [
      ...responses.open,
      ...responses.cutCall,
      {
        type: 'response.output_item.done',
        output_index: 1,
        item: { ...functionCallItem, status: 'incomplete' },
      },
      ...goodEnding('responses'),
    ],
    verdict: 'interrupted',
    finish: 'tool-calls/undefined',
    errorClass: 'network',
  },
  ...['in_progress', 'incomplete'].map((status): SignalRow => ({
    signal: `call done with its arguments whole and status ${status}, yet completed`,
    provider: 'openai-responses',
    events: [
      ...responses.open,
      ...responses.wholeCall.map((event) =>
        event['type'] === 'response.output_item.done'
          ? { ...event, item: { ...wholeItem, status } }
          : event,
      ),
      ...goodEnding('responses'),
    ],
    verdict: 'interrupted',
    finish: 'tool-calls/undefined',
    errorClass: 'network',
  })),
  {
    signal: 'call of the whole response in progress, though it was completed in the stream',
    provider: 'openai-responses',
    events: [
      ...responses.open,
      ...responses.wholeCall,
      {
        type: 'response.completed',
        response: { ...response, output: [{ ...wholeItem, status: 'in_progress' }] },
      },
    ],
    verdict: 'interrupted',
    finish: 'tool-calls/undefined',
    errorClass: 'network',
  },
  {
    signal: 'refusal part beside a whole call: tool-calls to the package',
    provider: 'openai-responses',
    events: [
      ...responses.open,
      {
        type: 'response.refusal.delta',
        item_id: 'msg_1',
        output_index: 0,
        content_index: 0,
        delta: 'No.',
      },
      ...responses.wholeCall,
      ...goodEnding('responses'),
    ],
    verdict: 'refusal',
    finish: 'tool-calls/undefined',
  },
  {
    signal: 'refusal part',
    provider: 'openai-responses',
    events: [
      ...responses.open,
      {
        type: 'response.refusal.delta',
        item_id: 'msg_1',
        output_index: 0,
        content_index: 0,
        delta: 'No.',
      },
      ...goodEnding('responses'),
    ],
    verdict: 'refusal',
    finish: 'content-filter/undefined',
  },
  {
    signal: 'response.failed after output',
    provider: 'openai-responses',
    events: [
      ...responses.open,
      ...responses.cutCall,
      {
        type: 'response.failed',
        response: {
          ...response,
          status: 'failed',
          error: { code: 'server_error', message: 'boom' },
        },
      },
    ],
    verdict: 'error',
    finish: 'error/undefined',
    errorClass: 'overloaded',
  },
  {
    signal: 'error event after output',
    provider: 'openai-responses',
    events: [
      ...responses.open,
      ...responses.wholeCall,
      {
        type: 'error',
        code: 'rate_limit_exceeded',
        message: 'slow down',
        param: null,
        sequence_number: 9,
      },
    ],
    verdict: 'error',
    finish: 'error/error',
    errorClass: 'rate_limit',
  },
  {
    signal: 'Azure content_filters that block, yet completed',
    provider: 'openai-responses',
    events: [
      ...responses.open,
      ...responses.wholeCall,
      {
        type: 'response.completed',
        response: { ...response, content_filters: [{ blocked: true, source_type: 'completion' }] },
      },
    ],
    verdict: 'safety',
    finish: 'tool-calls/undefined',
    evidence: ['azure content_filters=completion'],
  },
]

const otherRows: readonly SignalRow[] = [
  {
    signal: 'refusal, then the connection closes before message_stop',
    provider: 'anthropic',
    events: [
      ...messages.open,
      ...messages.wholeCall,
      ...terminal('messages', 'refusal').slice(0, 1),
    ],
    verdict: 'safety',
    finish: 'interrupted/undefined',
    evidence: ['anthropic stop_reason=refusal'],
  },
  {
    signal: 'refusal with stop_details',
    provider: 'anthropic',
    events: [
      ...messages.open,
      ...messages.cutCall,
      {
        type: 'message_delta',
        delta: {
          stop_reason: 'refusal',
          stop_sequence: null,
          stop_details: { type: 'refusal', category: 'cyber', explanation: 'x' },
        },
        usage: { output_tokens: 1 },
      },
      { type: 'message_stop' },
    ],
    verdict: 'safety',
    finish: 'content-filter/refusal',
    evidence: ['anthropic stop_reason=refusal', 'anthropic stop_details.category=cyber'],
  },
  {
    signal: 'overloaded_error after output',
    provider: 'anthropic',
    events: [
      ...messages.open,
      ...messages.wholeCall,
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    ],
    verdict: 'error',
    finish: 'none',
    errorClass: 'overloaded',
  },
  {
    signal: 'overloaded_error as the first event',
    provider: 'anthropic',
    events: [{ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }],
    verdict: 'error',
    finish: 'none',
    errorClass: 'overloaded',
  },
  {
    signal: 'promptFeedback without candidates',
    provider: 'google',
    events: [{ promptFeedback: { blockReason: 'PROHIBITED_CONTENT', blockReasonMessage: 'no' } }],
    verdict: 'safety',
    finish: 'content-filter/PROHIBITED_CONTENT',
    evidence: ['gemini promptFeedback.blockReason=PROHIBITED_CONTENT'],
  },
  {
    signal: 'a blocked safety rating, then STOP',
    provider: 'google',
    events: [
      ...gemini.wholeCall,
      {
        candidates: [
          {
            index: 0,
            finishReason: 'STOP',
            safetyRatings: [
              { category: 'HARM_CATEGORY_HARASSMENT', probability: 'HIGH', blocked: true },
            ],
          },
        ],
      },
    ],
    verdict: 'safety',
    finish: 'tool-calls/STOP',
    evidence: ['gemini safetyRatings.HARM_CATEGORY_HARASSMENT=blocked'],
  },
  {
    signal: 'error in the middle',
    provider: 'google',
    events: [
      ...gemini.open,
      ...gemini.wholeCall,
      { error: { code: 503, status: 'UNAVAILABLE', message: 'overloaded' } },
    ],
    verdict: 'error',
    finish: 'error/undefined',
    errorClass: 'overloaded',
  },
  {
    signal: 'throttlingException after a whole call',
    provider: 'amazon-bedrock',
    events: [
      ...converse.open,
      ...converse.wholeCall,
      { throttlingException: { message: 'slow down' } },
    ],
    verdict: 'error',
    finish: 'error/undefined',
    errorClass: 'rate_limit',
  },
  {
    signal: 'modelStreamErrorException after a good ending',
    provider: 'amazon-bedrock',
    events: [
      ...converse.wholeCall,
      ...goodEnding('converse'),
      { modelStreamErrorException: { message: 'x' } },
    ],
    verdict: 'error',
    finish: 'error/undefined',
    errorClass: 'overloaded',
  },
  {
    signal: 'a guardrail in the trace, after a good ending',
    provider: 'amazon-bedrock',
    events: [
      ...converse.wholeCall,
      ...goodEnding('converse'),
      {
        metadata: {
          usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
          trace: { guardrail: { actionReason: 'Guardrail blocked.' } },
        },
      },
    ],
    verdict: 'safety',
    finish: 'tool-calls/tool_use',
    evidence: ['bedrock trace.guardrail.actionReason=Guardrail blocked.'],
  },
]

describe.each([
  ['Responses', responsesRows],
  ['messages, Gemini and Converse', otherRows],
] as const)('%s', (_wire, rows) => {
  test.each(rows)('$provider: $signal is $verdict', (row) => checkSignal(loopback, row))
})
