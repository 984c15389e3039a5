/**
 * Calls of a turn that closed positively: what is handed out as it is, what is refused, and that siblings of a refused
 * call go on. Catches any repair of arguments, and arguments that the register could not store.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { limits, type JsonObject } from '@signalbox/core'
import { argsHash, askStream, callsOf, tool } from './support/call.ts'
import { type Loopback, startLoopback } from './support/loopback.ts'
import { chatDelta, goodEnding, terminal } from './support/wire-events.ts'

let loopback: Loopback
beforeAll(async () => {
  loopback = await startLoopback()
})
afterAll(() => loopback.close())

const schema: JsonObject = {
  type: 'object',
  properties: { path: { type: 'string' }, size: { type: 'integer' } },
  required: ['path'],
  additionalProperties: false,
}
const tools = [tool('write', schema), tool('list'), tool('broken', { type: 'nonsense' })]

function calls(list: readonly (readonly [name: string, args: string])[]) {
  return list.map(([name, args], index) =>
    chatDelta({
      tool_calls: [
        { index, id: `call_${index}`, type: 'function', function: { name, arguments: args } },
      ],
    }),
  )
}

async function askCalls(list: readonly (readonly [string, string])[]) {
  const events = [...calls(list), ...goodEnding('chat')]
  const { turn } = await askStream(loopback, { provider: 'openai-compatible', tools }, events)
  expect(turn.verdict).toBe('complete')
  return callsOf(turn)
}

test('good calls come out in order, with ids of their own and the digest that the run makes', async () => {
  const parts = await askCalls([
    ['write', '{ "size": 1, "path": "/a" }'],
    ['list', '{}'],
  ])
  expect(parts).toEqual([
    {
      type: 'tool_call',
      id: 'call_0',
      name: 'write',
      args: { path: '/a', size: 1 },
      argsHash: argsHash({ size: 1, path: '/a' }),
    },
    {
      type: 'tool_call',
      id: 'call_1',
      name: 'list',
      args: {},
      argsHash: argsHash({}),
    },
  ])
})

const deep = '['.repeat(limits.jsonDepthMax + 1) + ']'.repeat(limits.jsonDepthMax + 1)
const large = 'x'.repeat(limits.bodyBytesMax)

describe('a call that cannot be executed stays, without its arguments', () => {
  test.each([
    ['unknown_tool', 'delete', '{}'],
    ['arguments_not_json', 'write', '{"path":"/a"'],
    ['arguments_not_json', 'write', ''],
    ['arguments_not_object', 'write', '["/a"]'],
    ['arguments_not_object', 'write', 'null'],
    ['arguments_not_object', 'list', '"text"'],
    ['arguments_invalid', 'write', '{}'],
    ['arguments_invalid', 'write', '{"path":"/a","size":"1"}'],
    ['arguments_invalid', 'write', '{"path":"/a","more":true}'],
    ['arguments_invalid', 'broken', '{}'],
    ['arguments_too_deep', 'list', `{"a":${deep}}`],
    ['arguments_too_large', 'list', `{"a":"${large}"}`],
    ['arguments_not_storable', 'list', '{"a":"\\u0000"}'],
    ['arguments_not_storable', 'list', '{"a":"\\ud800"}'],
    ['arguments_not_storable', 'list', '{"a":1e999}'],
    ['arguments_not_storable', 'list', '{"__proto__":{"polluted":true}}'],
    ['arguments_ambiguous', 'list', '{"a":1,"\\u0061":2}'],
    ['arguments_ambiguous', 'list', '{"a":{"b":[{"c":1,"c":1}]}}'],
    ['arguments_ambiguous', 'list', '{"a":9007199254740993}'],
  ])('%s: %s', async (code, name, args) => {
    const parts = await askCalls([
      ['list', '{"first":1}'],
      [name, args],
      ['write', '{"path":"/b"}'],
    ])
    expect(parts.map(({ args: it }) => it)).toEqual([{ first: 1 }, {}, { path: '/b' }])
    expect(parts.map(({ invalid }) => invalid?.code)).toEqual([undefined, code, undefined])
    expect(parts.map(({ id }) => id)).toEqual(['call_0', 'call_1', 'call_2'])
  })

  test('the message names the rule, not the value', async () => {
    const [part] = await askCalls([['write', '{"path":"/a","size":"secret-value"}']])
    expect(part?.invalid?.message).toContain('/size must be integer')
    expect(part?.invalid?.message).not.toContain('secret-value')
  })

  test('with more calls than the limit, none is executed', async () => {
    const many = Array.from({ length: limits.callsPerTurnMax + 1 }, () => ['list', '{}'] as const)
    const parts = await askCalls(many)
    expect(parts).toHaveLength(limits.callsPerTurnMax + 1)
    expect(new Set(parts.map(({ invalid }) => invalid?.code))).toEqual(new Set(['too_many_calls']))
  })
})

test('no arguments at all are an empty object, for a tool that requires none', async () => {
  const [part] = await askCalls([['list', '']])
  expect(part).toMatchObject({ name: 'list', args: {} })
  expect(part?.invalid).toBeUndefined()
})

const start = (id: string, args: string) =>
  chatDelta({
    tool_calls: [{ index: 0, id, type: 'function', function: { name: 'list', arguments: args } }],
  })
const more = (args: string) =>
  chatDelta({ tool_calls: [{ index: 0, function: { arguments: args } }] })

describe('calls that share an index: the packages guess which pieces belong together', () => {
  test.each([
    ['a piece after the second start', [start('a', '{"x":'), start('b', '{}'), more('1}')]],
    ['one after the other', [start('a', ''), more('{"x":1}'), start('b', ''), more('{"y":2}')]],
    ['the second without a piece', [start('a', ''), more('{"x":1}'), start('b', '')]],
    ['merged', [start('a', '{"x":'), start('b', '1}')]],
  ])('%s: none is executed', async (_how, pieces) => {
    const provider = 'openai-compatible'
    const { turn } = await askStream(loopback, { provider, tools }, [
      ...pieces,
      ...goodEnding('chat'),
    ])
    expect(turn.verdict).toBe('interrupted')
    expect(turn.suppressed.map(({ name }) => name)).toEqual(['list', 'list'])
  })

  test('whole calls in one piece each are executed', async () => {
    const events = [start('a', '{"x":1}'), start('b', '{"y":2}'), ...goodEnding('chat')]
    const { turn } = await askStream(loopback, { provider: 'openai-compatible', tools }, events)
    expect(callsOf(turn).map(({ args }) => args)).toEqual([{ x: 1 }, { y: 2 }])
  })
})

test('a piece of arguments that the package drops keeps its call from being executed', async () => {
  const events = [
    ...calls([
      ['list', ''],
      ['list', ''],
    ]),
    chatDelta({ tool_calls: [{ function: { arguments: '{"x":1}' } }] }),
    ...goodEnding('chat'),
  ]
  const { turn } = await askStream(loopback, { provider: 'openai-compatible', tools }, events)
  expect(turn.verdict).toBe('interrupted')
})

test('text is cleaned as it streams: the deltas, joined, are the text', async () => {
  const events = [
    chatDelta({ content: 'smile \ud83d' }),
    chatDelta({ content: '\ude00 nul\u0000 lone\ud800' }),
    chatDelta({ content: ' end \ud83d' }),
    ...terminal('chat', 'stop'),
  ]
  const { turn, deltas } = await askStream(loopback, { provider: 'openai-compatible' }, events)
  const expected = 'smile \u{1f600} nul lone\ufffd end \ufffd'
  expect(turn.message.parts).toEqual([{ type: 'text', text: expected }])
  expect(deltas.map(({ text }) => text).join('')).toBe(expected)
})

test.each([
  ['all of it', (args: string) => args],
  ['a piece of it', (args: string) => args.slice(30, 45)],
])('an error that quotes the arguments, %s, is kept without its words', async (_how, quote) => {
  const secret = 'canary-in-arguments'
  const args = `{"path":"/a","content":"see ${secret}`
  const events = [
    ...calls([['write', args]]),
    { error: { message: `Could not parse: ${quote(args)}`, code: 'tool_use_failed' } },
  ]
  const { turn, deltas } = await askStream(loopback, { provider: 'openai-compatible' }, events)
  expect(turn.error).toMatchObject({ class: 'tool_use_failed', retryable: true })
  expect(JSON.stringify([turn, deltas])).not.toContain(quote(args).slice(0, 15))
})

test('a chunk that the package cannot read does not show up in the error', async () => {
  const secret = 'canary-in-a-bad-chunk'
  const events = [
    chatDelta({ tool_calls: [{ index: 0, function: { name: 5, arguments: secret } }] }),
  ]
  const { turn } = await askStream(loopback, { provider: 'openai-compatible' }, [
    ...events,
    ...goodEnding('chat'),
  ])
  expect(turn.verdict).toBe('error')
  expect(turn.error?.code).toBe('unreadable_stream')
  expect(JSON.stringify(turn)).not.toContain(secret)
})
