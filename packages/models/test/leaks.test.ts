/**
 * The leak hunt's model half: a canary in the arguments of a call that must not execute, in every provider's own shape and
 * smuggled into whatever else a stream can carry. It must be found in no turn, no delta and no line that is logged (I23).
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createStreamGuard } from '../../policies/src/guardrails/create-stream-guard.ts'
import { stop } from '../../policies/src/guardrails/part.ts'
import { type Wire, wireOf } from '../src/observer/wires.ts'
import { createModels } from '../src/index.ts'
import {
  type Asked,
  callsOf,
  env,
  jsonReply,
  type Provider,
  providers,
  request,
  streamReply,
  tool,
} from './support/call.ts'
import { type Loopback, type Reply, startLoopback } from './support/loopback.ts'
import type { Event } from './support/wire-bytes.ts'
import { built, canary, chatDelta, goodEnding, terminal, wholeArgs } from './support/wire-events.ts'

let loopback: Loopback
const logged: unknown[] = []
beforeAll(async () => {
  loopback = await startLoopback()
  for (const method of ['debug', 'error', 'info', 'log', 'warn'] as const)
    vi.spyOn(console, method).mockImplementation((...line) => void logged.push(line))
})
beforeEach(() => void (logged.length = 0))
afterAll(() => {
  vi.restoreAllMocks()
  return loopback.close()
})

/** Places beside the call where its arguments, or a copy of them, can stand. */
const smuggled: Readonly<Record<Wire, readonly Event[]>> = {
  chat: [
    chatDelta({ function_call: { name: 'write_file', arguments: wholeArgs } }),
    chatDelta({ reasoning_details: [{ type: 'reasoning.encrypted', data: canary }] }),
    chatDelta({}, { message: { tool_calls: [{ id: 'x', function: { arguments: wholeArgs } }] } }),
  ],
  messages: [
    {
      type: 'content_block_start',
      index: 2,
      content_block: { type: 'thinking', thinking: '', signature: '' },
    },
    { type: 'content_block_delta', index: 2, delta: { type: 'thinking_delta', thinking: 'Hm.' } },
    {
      type: 'content_block_delta',
      index: 2,
      delta: { type: 'signature_delta', signature: canary },
    },
    { type: 'content_block_stop', index: 2 },
    {
      type: 'content_block_start',
      index: 3,
      content_block: { type: 'tool_use', id: 'toolu_2', name: 'write_file', input: { a: canary } },
    },
  ],
  gemini: [
    {
      candidates: [
        {
          index: 0,
          content: { role: 'model', parts: [{ text: 'Hm.', thoughtSignature: canary }] },
        },
      ],
    },
    {
      candidates: [
        {
          index: 0,
          content: {
            role: 'model',
            parts: [
              {
                functionCall: { name: 'write_file', args: { a: canary } },
                thoughtSignature: canary,
              },
            ],
          },
        },
      ],
    },
  ],
  responses: [
    {
      type: 'response.output_item.added',
      output_index: 2,
      item: { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: canary },
    },
    {
      type: 'response.output_item.done',
      output_index: 2,
      item: { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: canary },
    },
    {
      type: 'response.output_item.added',
      output_index: 3,
      item: {
        type: 'custom_tool_call',
        id: 'ct_1',
        call_id: 'c',
        name: 'write_file',
        input: wholeArgs,
      },
    },
  ],
  converse: [
    { contentBlockDelta: { contentBlockIndex: 2, delta: { reasoningContent: { text: 'Hm.' } } } },
    {
      contentBlockDelta: {
        contentBlockIndex: 2,
        delta: { reasoningContent: { signature: canary } },
      },
    },
    { contentBlockStop: { contentBlockIndex: 2 } },
  ],
}

const safety: Readonly<Record<Wire, string>> = {
  chat: 'content_filter',
  messages: 'refusal',
  gemini: 'SAFETY',
  responses: 'content_filter',
  converse: 'guardrail_intervened',
}

/** An error that shows what the model wrote, as a whole and escaped once more. */
function quoting(wire: Wire): Event {
  const message = `Could not read ${wholeArgs}, that is ${JSON.stringify(wholeArgs)}`
  switch (wire) {
    case 'chat':
      return { error: { code: 'tool_use_failed', message, failed_generation: wholeArgs } }
    case 'messages':
      return { type: 'error', error: { type: 'api_error', message } }
    case 'gemini':
      return { error: { code: 400, status: 'INVALID_ARGUMENT', message } }
    case 'responses':
      return { type: 'error', code: canary, message, param: null, sequence_number: 9 }
    case 'converse':
      return { validationException: { message } }
  }
}

type Case = readonly [how: string, verdict: string, reply: (wire: Wire) => Reply]

const cases: readonly Case[] = [
  [
    'a stop signal in the call',
    'safety',
    (wire) => streamReply(wire, [...cut(wire), ...terminal(wire, safety[wire])]),
  ],
  [
    'a stop signal after the call',
    'safety',
    (wire) => streamReply(wire, [...whole(wire), ...terminal(wire, safety[wire])]),
  ],
  [
    'a stop signal after a good ending',
    'safety',
    (wire) =>
      streamReply(wire, [...whole(wire), ...goodEnding(wire), ...terminal(wire, safety[wire])]),
  ],
  [
    'the length',
    'length',
    (wire) => streamReply(wire, [...cut(wire), ...terminal(wire, lengthOf(wire))]),
  ],
  [
    'a reason nobody knows',
    'unknown_terminal',
    (wire) => streamReply(wire, [...whole(wire), ...terminal(wire, 'brand_new')]),
  ],
  ['an error in the call', 'error', (wire) => streamReply(wire, [...cut(wire), quoting(wire)])],
  [
    'an error after the call',
    'error',
    (wire) => streamReply(wire, [...whole(wire), quoting(wire)]),
  ],
  ['an end in the call', 'interrupted', (wire) => streamReply(wire, cut(wire), { open: true })],
  [
    'an end after the call',
    'interrupted',
    (wire) => streamReply(wire, whole(wire), { open: true }),
  ],
  [
    'a reset in the call',
    'interrupted',
    (wire) => streamReply(wire, cut(wire), { open: true, end: 'reset' }),
  ],
  ['an error before the first byte', 'error', () => jsonReply(400, quoting('chat'))],
]

describe.each(cases)('%s', (_how, verdict, reply) => {
  test.each(providers)('%s', async (provider) => {
    const { turn, heard } = await hear(provider, reply(wireOf(provider)))
    expect(turn.verdict).toBe(verdict)
    expect(callsOf(turn)).toEqual([])
    expectNoCanary(heard)
  })
})

test.each(providers)('%s: a guardrail on the call', async (provider) => {
  const guard = createStreamGuard({
    guardrails: [{ id: 'g', name: 'G', handle: (part) => stop(part, JSON.stringify(part)) }],
    context: { availableTools: [], availableSkills: [], attempt: 0 },
  })
  const wire = wireOf(provider)
  const reply = streamReply(wire, [...built[wire].wholeCall, ...goodEnding(wire)])
  const { turn, heard } = await hear(provider, reply, { guard })
  expect(turn).toMatchObject({ verdict: 'guardrail', trip: { outcome: 'stop' } })
  expectNoCanary(heard)
})

test('a refused call leaves nothing in the metadata of its sibling', async () => {
  const strict = tool('write_file', { type: 'object', required: ['path'] })
  const uses = [{ path: '/a' }, { content: canary }].map((parameters) => ({
    recipient_name: 'functions.write_file',
    parameters,
  }))
  const item = { type: 'function_call', id: 'fc_1', call_id: 'call_a', name: 'parallel' }
  const args = JSON.stringify({ tool_uses: uses })
  const reply = streamReply('responses', [
    ...built.responses.open,
    {
      type: 'response.output_item.done',
      output_index: 1,
      item: { ...item, arguments: args, status: 'completed' },
    },
    ...goodEnding('responses'),
  ])
  const { turn, heard } = await hear('openai-responses', reply, { tools: [strict] })
  expect(callsOf(turn).map(({ invalid }) => invalid?.code)).toEqual([
    undefined,
    'arguments_invalid',
  ])
  expectNoCanary(heard)
})

const cut = (wire: Wire) => [...built[wire].open, ...smuggled[wire], ...built[wire].cutCall]
const whole = (wire: Wire) => [...built[wire].open, ...smuggled[wire], ...built[wire].wholeCall]

function lengthOf(wire: Wire): string {
  const words = {
    chat: 'length',
    messages: 'max_tokens',
    gemini: 'MAX_TOKENS',
    converse: 'max_tokens',
  }
  return wire === 'responses' ? 'max_output_tokens' : words[wire]
}

/** Everything that leaves the model layer. */
async function hear(provider: Provider, reply: Reply, more: Pick<Asked, 'guard' | 'tools'> = {}) {
  const heard: unknown[] = []
  const models = createModels({
    env,
    log: { warn: (...line) => void heard.push(line) },
  })
  const asked = request({ provider, baseURL: loopback.reply(reply), ...more })
  const sink = { delta: (...delta: unknown[]) => void heard.push(delta) }
  const turn = await models.call(asked, sink, new AbortController().signal)
  return { turn, heard: [turn, ...heard, ...logged] }
}

/** Nor a half of it: a call is split into deltas anywhere. */
function expectNoCanary(heard: readonly unknown[]): void {
  const text = JSON.stringify(heard)
  expect(text).not.toContain(canary.slice(0, 9))
  expect(text).not.toContain(canary.slice(-9))
}
