/**
 * Signals of the chat wire that are more than a finish reason: flags beside the answer, refusals, errors in the middle,
 * filters that act late. Each with a call in flight; the same contract as in `finish-reasons.test.ts`.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { wireOf } from '../src/observer/wires.ts'
import { askStream, callsOf, type Provider } from './support/call.ts'
import { type Loopback, startLoopback } from './support/loopback.ts'
import { checkSignal, type SignalRow } from './support/signal-row.ts'
import type { Event } from './support/wire-bytes.ts'
import { built, chatDelta, goodEnding, terminal, wholeArgs } from './support/wire-events.ts'

let loopback: Loopback
beforeAll(async () => {
  loopback = await startLoopback()
})
afterAll(() => loopback.close())

const { chat } = built
const filtered = {
  hate: { filtered: true, severity: 'high' },
  sexual: { filtered: false, severity: 'safe' },
}
const chatRows: readonly SignalRow[] = [
  {
    signal: 'refusal, finish stop',
    provider: 'openai',
    events: [chatDelta({ refusal: 'I will not.' }), ...chat.wholeCall, ...terminal('chat', 'stop')],
    verdict: 'refusal',
    finish: 'content-filter/stop',
  },
  {
    signal: 'refusal, finish stop',
    provider: 'azure',
    events: [chatDelta({ refusal: 'I will not.' }), ...chat.wholeCall, ...terminal('chat', 'stop')],
    verdict: 'refusal',
    finish: 'content-filter/stop',
  },
  {
    signal: 'refusal, finish stop',
    provider: 'openai-compatible',
    events: [chatDelta({ refusal: 'I will not.' }), ...chat.wholeCall, ...terminal('chat', 'stop')],
    verdict: 'refusal',
    finish: 'content-filter/stop',
  },
  {
    signal: 'error object in the middle',
    provider: 'openai',
    events: [
      ...chat.open,
      ...chat.cutCall,
      { error: { message: 'boom', type: 'server_error', code: null, param: null } },
    ],
    verdict: 'error',
    finish: 'error/undefined',
    errorClass: 'overloaded',
  },
  {
    signal: 'error object in the middle, then a good ending',
    provider: 'openai-compatible',
    events: [
      ...chat.wholeCall,
      { error: { message: 'boom', type: 'server_error' } },
      ...goodEnding('chat'),
    ],
    verdict: 'error',
    finish: 'tool-calls/tool_calls',
    errorClass: 'overloaded',
  },
  {
    signal: 'error that is a bare text (DeepSeek)',
    provider: 'openai-compatible',
    events: [...chat.cutCall, { error: 'Content Exists Risk' }],
    verdict: 'safety',
    finish: 'error/undefined',
    evidence: ['openai-compatible error.message=Content Exists Risk'],
  },
  {
    signal: 'GLM error chunk 1301',
    provider: 'openai-compatible',
    events: [...chat.cutCall, { error: { code: '1301', message: 'unsafe content' } }],
    verdict: 'safety',
    finish: 'error/undefined',
    evidence: ['glm error.code=1301'],
  },
  {
    signal: 'GLM contentFilter of level 0, then a good ending',
    provider: 'openai-compatible',
    events: [
      ...chat.wholeCall,
      { ...chatDelta({}), contentFilter: [{ role: 'user', level: 0 }] },
      ...goodEnding('chat'),
    ],
    verdict: 'safety',
    finish: 'tool-calls/tool_calls',
    evidence: ['glm contentFilter.user=0'],
  },
  {
    signal: 'Groq tool_use_failed',
    provider: 'openai-compatible',
    events: [
      ...chat.cutCall,
      {
        error: {
          code: 'tool_use_failed',
          message: 'Failed to call a function.',
          failed_generation: wholeArgs,
        },
      },
    ],
    verdict: 'error',
    finish: 'error/undefined',
    errorClass: 'tool_use_failed',
  },
  {
    signal: 'native refusal behind a stop (OpenRouter)',
    provider: 'openai-compatible',
    events: [
      ...chat.wholeCall,
      chatDelta({}, { finish_reason: 'stop', native_finish_reason: 'refusal' }),
    ],
    verdict: 'safety',
    finish: 'stop/stop',
    evidence: ['openai-compatible native_finish_reason=refusal'],
  },
  {
    signal: 'a finish reason that is a number',
    provider: 'openai-compatible',
    events: [...chat.wholeCall, chatDelta({}, { finish_reason: 7 })],
    verdict: 'unknown_terminal',
    finish: 'error/undefined',
  },
  {
    signal: 'a second choice that is filtered',
    provider: 'openai-compatible',
    events: [
      ...chat.wholeCall,
      chatDelta({}, { index: 1, finish_reason: 'content_filter' }),
      ...goodEnding('chat'),
    ],
    verdict: 'safety',
    finish: 'tool-calls/tool_calls',
    evidence: ['openai-compatible finish_reason=content_filter'],
  },
  {
    signal: 'a second choice that never ends',
    provider: 'openai-compatible',
    events: [...chat.wholeCall, chatDelta({ content: 'and' }, { index: 1 }), ...goodEnding('chat')],
    verdict: 'interrupted',
    finish: 'tool-calls/tool_calls',
    errorClass: 'network',
  },
]

const azureRows: readonly SignalRow[] = [
  {
    signal: 'prompt_filter_results, then a good ending',
    provider: 'azure',
    events: [
      {
        ...chatDelta({}),
        choices: [],
        prompt_filter_results: [{ prompt_index: 0, content_filter_results: filtered }],
      },
      ...chat.wholeCall,
      ...goodEnding('chat'),
    ],
    verdict: 'safety',
    finish: 'tool-calls/tool_calls',
    evidence: ['azure prompt_filter_results.hate=high'],
  },
  {
    signal: 'content_filter_results with content_filter',
    provider: 'azure',
    events: [
      ...chat.cutCall,
      chatDelta({}, { finish_reason: 'content_filter', content_filter_results: filtered }),
    ],
    verdict: 'safety',
    finish: 'content-filter/content_filter',
    evidence: ['azure content_filter_results.hate=high', 'azure finish_reason=content_filter'],
  },
  {
    signal: 'asynchronous filter after tool_calls',
    provider: 'azure',
    events: [
      ...chat.wholeCall,
      ...goodEnding('chat'),
      chatDelta(
        {},
        {
          finish_reason: 'content_filter',
          content_filter_results: filtered,
          content_filter_offsets: { check_offset: 44 },
        },
      ),
    ],
    verdict: 'safety',
    finish: 'content-filter/content_filter',
    evidence: ['azure content_filter_results.hate=high', 'azure finish_reason=content_filter'],
  },
  {
    signal: 'content_filter before tool_calls',
    provider: 'azure',
    events: [...chat.wholeCall, ...terminal('chat', 'content_filter'), ...goodEnding('chat')],
    verdict: 'safety',
    finish: 'tool-calls/tool_calls',
    evidence: ['azure finish_reason=content_filter'],
  },
]

/** Reasons of vendors behind a gateway that says `tool_calls`: word, verdict, class of the error, evidence. */
const native: readonly (readonly [
  string,
  Pick<SignalRow, 'verdict' | 'errorClass' | 'evidence'>,
])[] = [
  // Google.
  ['MAX_TOKENS', { verdict: 'length' }],
  ['MALFORMED_FUNCTION_CALL', { verdict: 'error', errorClass: 'tool_use_failed' }],
  ['UNEXPECTED_TOOL_CALL', { verdict: 'unknown_terminal' }],
  ['TOO_MANY_TOOL_CALLS', { verdict: 'unknown_terminal' }],
  ['MALFORMED_RESPONSE', { verdict: 'unknown_terminal' }],
  ['MISSING_THOUGHT_SIGNATURE', { verdict: 'unknown_terminal' }],
  ['LANGUAGE', { verdict: 'unknown_terminal' }],
  ['OTHER', { verdict: 'unknown_terminal' }],
  ['FINISH_REASON_UNSPECIFIED', { verdict: 'unknown_terminal' }],
  ['SAFETY', { verdict: 'safety', evidence: ['openai-compatible native_finish_reason=SAFETY'] }],
  ['SPII', { verdict: 'safety', evidence: ['gemini native_finish_reason=SPII'] }],
  // Anthropic and AWS.
  ['max_tokens', { verdict: 'length' }],
  ['model_context_window_exceeded', { verdict: 'length' }],
  ['pause_turn', { verdict: 'unknown_terminal' }],
  ['malformed_tool_use', { verdict: 'error', errorClass: 'tool_use_failed' }],
  ['malformed_model_output', { verdict: 'unknown_terminal' }],
  [
    'guardrail_intervened',
    { verdict: 'safety', evidence: ['bedrock native_finish_reason=guardrail_intervened'] },
  ],
  // OpenAI, Mistral, DeepSeek, Cohere, GLM, SGLang.
  ['length', { verdict: 'length' }],
  ['max_output_tokens', { verdict: 'length' }],
  ['incomplete', { verdict: 'unknown_terminal' }],
  ['cancelled', { verdict: 'unknown_terminal' }],
  ['model_length', { verdict: 'unknown_terminal' }],
  ['insufficient_system_resource', { verdict: 'error', errorClass: 'overloaded' }],
  ['ERROR', { verdict: 'error', errorClass: 'unknown' }],
  ['error', { verdict: 'error', errorClass: 'unknown' }],
  ['TIMEOUT', { verdict: 'unknown_terminal' }],
  ['network_error', { verdict: 'error', errorClass: 'network' }],
  ['sensitive', { verdict: 'safety', evidence: ['glm native_finish_reason=sensitive'] }],
  ['abort', { verdict: 'unknown_terminal' }],
  ['maxTokens', { verdict: 'unknown_terminal' }],
]
const nativeRows = native.map(([word, said]): SignalRow => ({
  signal: `native_finish_reason ${word} beside tool_calls`,
  provider: 'openai-compatible',
  events: [
    ...chat.wholeCall,
    chatDelta({}, { finish_reason: 'tool_calls', native_finish_reason: word }),
  ],
  finish: 'tool-calls/tool_calls',
  ...said,
}))

describe.each([
  ['chat completions', chatRows],
  ['OpenRouter', nativeRows],
  ['Azure', azureRows],
] as const)('%s', (_wire, rows) => {
  test.each(rows)('$provider: $signal is $verdict', (row) => checkSignal(loopback, row))
})

describe('signs that are no signal', () => {
  const good: readonly (readonly [string, Provider, readonly Event[]])[] = [
    [
      'GLM contentFilter of level 3',
      'openai-compatible',
      [{ ...chatDelta({}), contentFilter: [{ role: 'assistant', level: 3 }] }],
    ],
    [
      'Azure filter results that let everything pass',
      'azure',
      [chatDelta({}, { content_filter_results: { hate: { filtered: false, severity: 'safe' } } })],
    ],
    [
      'an empty finish reason on the way',
      'openai-compatible',
      [chatDelta({}, { finish_reason: '' })],
    ],
    ...[
      'stop',
      'STOP',
      'tool_calls',
      'end_turn',
      'tool_use',
      'stop_sequence',
      'COMPLETE',
      'TOOL_CALL',
      'completed',
      'eos',
      'eos_token',
      '<|im_end|>',
    ].map((word): (typeof good)[number] => [
      `the vendor's own good reason ${word}`,
      'openai-compatible',
      [chatDelta({}, { finish_reason: 'tool_calls', native_finish_reason: word })],
    ]),
    [
      'no reason of the vendor',
      'openai-compatible',
      [chatDelta({}, { native_finish_reason: null })],
    ],
    [
      'a guardrail that took no action',
      'amazon-bedrock',
      [{ metadata: { trace: { guardrail: { actionReason: 'No action.' } } } }],
    ],
  ]
  test.each(good)('%s', async (_name, provider, extra) => {
    const wire = wireOf(provider)
    const events = [...built[wire].wholeCall, ...extra, ...goodEnding(wire)]
    const { turn } = await askStream(loopback, { provider }, events)

    expect(turn.verdict).toBe('complete')
    expect(callsOf(turn)).toHaveLength(1)
  })
})
