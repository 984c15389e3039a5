/**
 * The order of events is part of a close. Would catch: calls that run although their pieces came after the terminal, and a
 * Converse stream that is taken for whole without its `metadata`.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Wire, wireOf } from '../src/observer/wires.ts'
import { ask, askStream, callsOf, type Provider, streamReply } from './support/call.ts'
import { type Loopback, startLoopback } from './support/loopback.ts'
import type { Event } from './support/wire-bytes.ts'
import { built, chatDelta, goodEnding } from './support/wire-events.ts'

let loopback: Loopback
beforeAll(async () => {
  loopback = await startLoopback()
})
afterAll(() => loopback.close())

const providers: readonly Provider[] = [
  'openai',
  'azure',
  'openai-compatible',
  'openai-responses',
  'anthropic',
  'google',
  'amazon-bedrock',
]

const play = async (provider: Provider, events: readonly Event[]) =>
  (await askStream(loopback, { provider }, events)).turn

describe.each(providers)('%s', (provider) => {
  const wire: Wire = wireOf(provider)
  const { open, wholeCall } = built[wire]
  const ending = goodEnding(wire)

  test('the terminal before the call executes nothing', async () => {
    const turn = await play(provider, [...open, ...ending, ...wholeCall])
    expect(turn.verdict).not.toBe('complete')
    expect(callsOf(turn)).toEqual([])
  })

  test('the last piece of the call after the terminal executes nothing', async () => {
    const pieces = wholeCall.slice(0, -1)
    const last = wholeCall.slice(-1)
    const turn = await play(provider, [...open, ...pieces, ...ending, ...last])
    expect(turn.verdict).not.toBe('complete')
    expect(callsOf(turn)).toEqual([])
  })

  test('the terminal last executes', async () => {
    const turn = await play(provider, [...open, ...wholeCall, ...ending])
    expect(turn.verdict).toBe('complete')
    expect(callsOf(turn)).toHaveLength(1)
  })
})

const reason = chatDelta({}, { finish_reason: 'tool_calls' })
const { open, wholeCall } = built.chat

test.each<[string, readonly Event[]]>([
  ['twice', [...wholeCall, reason, reason]],
  ['in every chunk', [...wholeCall.map(withReason), reason]],
  ['before an empty delta', [...wholeCall, reason, chatDelta({ content: '', tool_calls: [] })]],
])('a reason that comes %s is a good end', async (_, events) => {
  const turn = await play('openai-compatible', [...open, ...events])
  expect(turn.verdict).toBe('complete')
  expect(callsOf(turn)).toHaveLength(1)
})

test.each<[string, Event]>([
  ['text', chatDelta({ content: 'more' })],
  [
    'another call',
    chatDelta({
      tool_calls: [{ index: 1, id: 'b', function: { name: 'write_file', arguments: '{}' } }],
    }),
  ],
  ['arguments', chatDelta({ tool_calls: [{ index: 0, function: { arguments: ' ' } }] })],
  ['another reason', chatDelta({}, { finish_reason: 'brand_new' })],
  ['a filter', chatDelta({}, { content_filter_results: { hate: { filtered: true } } })],
])('%s after the reason is no good end', async (_, event) => {
  const turn = await play('openai-compatible', [...open, ...wholeCall, reason, event])
  expect(turn.verdict).not.toBe('complete')
  expect(callsOf(turn)).toEqual([])
})

test('messages: the reason must come before its stop', async () => {
  const events = [
    ...built.messages.open,
    ...built.messages.wholeCall,
    ...goodEnding('messages').toReversed(),
  ]
  expect((await play('anthropic', events)).verdict).toBe('interrupted')
})

test('converse: without its metadata a stream is cut', async () => {
  const events = [...built.converse.open, ...built.converse.wholeCall, ...goodEnding('converse')]
  const baseURL = loopback.reply(streamReply('converse', events.slice(0, -1)))
  const { turn } = await ask({ provider: 'amazon-bedrock', baseURL })
  expect(turn.verdict).toBe('interrupted')
  expect(callsOf(turn)).toEqual([])
  const whole = await play('amazon-bedrock', events)
  expect(whole.verdict).toBe('complete')
  expect(whole.usage).toMatchObject({ inputTokens: 1, outputTokens: 1 })
})

function withReason(event: Event): Event {
  const choices = Array.isArray(event['choices']) ? event['choices'] : []
  return {
    ...event,
    choices: choices.map((it: object) => ({ ...it, finish_reason: 'tool_calls' })),
  }
}
