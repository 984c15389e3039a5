/**
 * The calls of a turn are exactly those that began on the wire, each once. Would catch: a call that executes twice because a
 * server repeated a chunk, and one that is handed out although it never began.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BegunCalls } from '../src/observer/begun-calls.ts'
import { type Wire, wireOf } from '../src/observer/wires.ts'
import { askStream, callsOf, type Provider } from './support/call.ts'
import { type Loopback, startLoopback } from './support/loopback.ts'
import type { Event } from './support/wire-bytes.ts'
import { built, canary, chatDelta, goodEnding, wholeArgs } from './support/wire-events.ts'

let loopback: Loopback
beforeAll(async () => {
  loopback = await startLoopback()
})
afterAll(() => loopback.close())

const play = async (provider: Provider, events: readonly Event[]) => {
  const wire = wireOf(provider)
  const all = [...built[wire].open, ...events, ...goodEnding(wire)]
  return (await askStream(loopback, { provider }, all)).turn
}

type Piece = readonly [
  id: string | undefined,
  name: string | undefined,
  args: string,
  index?: number,
]

const chat = ([id, name, args, index = 0]: Piece): Event =>
  chatDelta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: args } }] })

const providers = ['openai', 'azure', 'openai-compatible'] as const
const name = 'write_file'

describe.each(providers)('chat through %s', (provider) => {
  test.each<[string, readonly Piece[]]>([
    [
      'a whole call',
      [
        ['a', name, '{}'],
        ['a', name, '{}'],
      ],
    ],
    [
      'a whole call under another index',
      [
        ['a', name, '{}'],
        ['a', name, '{}', 1],
      ],
    ],
    [
      'a whole call with other arguments',
      [
        ['a', name, '{}'],
        ['a', name, '{"path":"/b"}'],
      ],
    ],
    [
      'a whole call without an id',
      [
        ['', name, '{}'],
        ['', name, '{}'],
      ],
    ],
    [
      'the first of two',
      [
        ['a', name, '{}'],
        ['b', name, '{}', 1],
        ['a', name, '{}'],
      ],
    ],
    [
      'the first of two without ids',
      [
        ['', name, '{}'],
        ['', name, '{"a":1}'],
        ['', name, '{}'],
      ],
    ],
  ])('%s, twice: nothing executes', async (_, pieces) => {
    const turn = await play(provider, pieces.map(chat))
    expect(turn.verdict).toBe('interrupted')
    expect(callsOf(turn)).toEqual([])
    expect(turn.suppressed.length).toBeGreaterThan(0)
  })

  test.each<[string, readonly Piece[], readonly object[]]>([
    [
      'a beginning that comes twice',
      [
        ['a', name, ''],
        ['a', name, ''],
        [undefined, undefined, '{}'],
      ],
      [{}],
    ],
    [
      'two calls under one index',
      [
        ['a', name, '{}'],
        ['b', name, '{"a":1}'],
      ],
      [{}, { a: 1 }],
    ],
    [
      'two calls without ids',
      [
        ['', name, '{}'],
        ['', name, '{"a":1}'],
      ],
      [{}, { a: 1 }],
    ],
    [
      'equal calls with ids',
      [
        ['a', name, '{}'],
        ['b', name, '{}', 1],
      ],
      [{}, {}],
    ],
    [
      'a name in each piece',
      [
        ['a', name, '{"a"'],
        [undefined, name, ':1}'],
      ],
      [{ a: 1 }],
    ],
  ])('%s: the calls execute', async (_, pieces, args) => {
    const turn = await play(provider, pieces.map(chat))
    expect(turn.verdict).toBe('complete')
    expect(callsOf(turn).map((call) => call.args)).toEqual(args)
  })
})

const others: readonly Provider[] = ['openai-responses', 'anthropic', 'amazon-bedrock']

test.each(others)('%s: a call whose events come twice', async (provider) => {
  const { wholeCall } = built[wireOf(provider)]
  const turn = await play(provider, [...wholeCall, ...wholeCall])
  expect(turn.verdict).toBe('interrupted')
  expect(callsOf(turn)).toEqual([])
  expect(turn.cut?.code).toMatch(/^(call_ids_repeated|calls_differ)$/)
})

test('gemini: two calls with one id', async () => {
  const part = { functionCall: { id: 'a', name, args: {} } }
  const event = { candidates: [{ index: 0, content: { role: 'model', parts: [part] } }] }
  const turn = await play('google', [event, event])
  expect(turn.cut?.code).toBe('call_ids_repeated')
  expect(callsOf(turn)).toEqual([])
})

test.each<Wire>(['chat', 'messages', 'gemini', 'responses', 'converse'])(
  '%s: an ordinary call executes',
  async (wire) => {
    const provider = [...providers, ...others, 'google' as const].find((it) => wireOf(it) === wire)
    const turn = await play(provider ?? 'openai', built[wire].wholeCall)
    expect(turn.verdict).toBe('complete')
    expect(JSON.stringify(callsOf(turn))).toContain(canary)
  },
)

test('10,000 calls, and 8 MB of arguments in small pieces, are read in linear time', () => {
  const began = performance.now()
  const many = new BegunCalls()
  const whole = (index: number) => ({
    place: '0//',
    id: undefined,
    name,
    args: `{"n":${index}}`,
    isIndexed: true,
  })
  for (let index = 0; index < 10_000; index += 1) many.piece(whole(index))
  expect(many.size).toBe(10_000)
  const long = new BegunCalls()
  long.piece({ place: '0/0/', id: 'a', name, args: wholeArgs, isIndexed: true })
  for (let count = 0; count < 200_000; count += 1)
    long.piece({ place: '0/0/', id: undefined, name, args: `[${'x'.repeat(14)}]`, isIndexed: true })
  expect(performance.now() - began).toBeLessThan(30_000)
})
