/**
 * Streams of a size or a slowness that no provider means: each ends, with a reason that has a name, in bounded memory and in time that
 * grows with the bytes. Would catch: a reader that looks at all of a line again with each piece, and a stream that drips for ever.
 */
import { describe, expect, test } from 'vitest'
import { limits } from '@signalbox/core'
import { createModels } from '../src/index.ts'
import { type Wire, wireOf } from '../src/observer/wires.ts'
import { WholeMessages } from '../src/whole-messages.ts'
import { callsOf, env, type Provider, providers, request, tool } from './support/call.ts'
import { closing, contentType, encodeEvent, type Event, utf8 } from './support/wire-bytes.ts'
import { built, chatDelta, goodEnding } from './support/wire-events.ts'

/** What is sent, and how much of it was taken. */
interface Sent {
  readonly body: Iterable<Uint8Array>
  readonly everyMs?: number
}

async function play(
  provider: Provider,
  { body, everyMs }: Sent,
  signal: AbortSignal = new AbortController().signal,
) {
  let taken = 0
  const pieces = body[Symbol.iterator]()
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (everyMs !== undefined) await new Promise((resolve) => setTimeout(resolve, everyMs))
        const next = pieces.next()
        if (next.done) return controller.close()
        taken += next.value.length
        controller.enqueue(next.value)
      },
    },
    { highWaterMark: 0 },
  )
  const headers = { 'content-type': contentType(wireOf(provider)) }
  const models = createModels({ env, fetch: async () => new Response(stream, { headers }) })
  const asked = request({
    provider,
    baseURL: 'http://provider.test/v1',
    tools: [tool('write_file')],
  })
  const began = performance.now()
  const turn = await models.call(asked, { delta: () => undefined }, signal)
  return { turn, taken, ms: performance.now() - began }
}

const megabyte = 1024 * 1024

function* repeated(piece: Uint8Array, bytes: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes; at += piece.length) yield piece
}

const encoded = (wire: Wire, events: readonly Event[]): readonly Uint8Array[] => [
  ...events.map((event) => encodeEvent(wire, event)),
  ...closing(wire),
]

/** The bytes in pieces of this size. */
function* inPieces(body: readonly Uint8Array[], size: number): Generator<Uint8Array> {
  const all = Buffer.concat(body)
  for (let at = 0; at < all.length; at += size) yield all.subarray(at, at + size)
}

/** The answer of a wire whose one call has these arguments. */
const calling = (wire: Wire, content: string): readonly Event[] =>
  [...built[wire].open, ...built[wire].wholeCall, ...goodEnding(wire)].map((event): Event =>
    JSON.parse(JSON.stringify(event).replaceAll('canary7f3a9secret', content)),
  )

describe.each(providers)('%s', (provider) => {
  const wire = wireOf(provider)
  const open = built[wire].open.map((event) => encodeEvent(wire, event))

  const endless: readonly (readonly [string, Uint8Array])[] = [
    ['a line without an end', Buffer.alloc(65_536, 'x')],
    ['a text without an end', Buffer.from(`data: "${'x'.repeat(65_536)}`)],
    ['comments', Buffer.from(`: ${'x'.repeat(1022)}\n\n`)],
    ['blank lines', Buffer.alloc(65_536, '\n')],
    ['NUL bytes', Buffer.alloc(65_536)],
  ]
  // A message of Converse has an end.
  test.each(wire === 'converse' ? endless.slice(0, 1) : endless)(
    '100 MB of %s are cut',
    async (_, piece) => {
      const body = [...open, ...repeated(piece, 100 * megabyte)]
      const { turn, taken } = await play(provider, { body })
      expect(turn.verdict).toBe('interrupted')
      expect(turn.error?.code).toMatch(/^(turn_too_large|broken_stream)$/)
      expect(taken).toBeLessThan(limits.turnBytesMax + 2 * piece.length)
    },
  )

  test('arguments of 16 MB are cut at the limit, and stand nowhere', async () => {
    const body = inPieces(encoded(wire, calling(wire, 'canary-of-16-MB '.repeat(megabyte))), 65_536)
    const { turn, taken } = await play(provider, { body })
    expect(turn.verdict).toBe('interrupted')
    expect(turn.error?.code).toBe('turn_too_large')
    expect(callsOf(turn)).toEqual([])
    expect(taken).toBeLessThan(limits.turnBytesMax + 200_000)
    expect(JSON.stringify(turn)).not.toContain('canary-of-16-MB')
  })

  test('3 MB of arguments in one event that comes in small pieces take linear time', async () => {
    const once = inPieces(encoded(wire, calling(wire, 'x'.repeat(3 * megabyte))), 65_536)
    const small = inPieces(encoded(wire, calling(wire, 'x'.repeat(3 * megabyte))), 128)
    await play(provider, { body: once })
    const { turn, ms } = await play(provider, { body: small })
    expect(turn.verdict).toBe('complete')
    expect(callsOf(turn)[0]?.invalid?.code).toBe('arguments_too_large')
    // A second or two; what looks at all of the line with each piece needs minutes.
    expect(ms).toBeLessThan(30_000)
  })

  test('a few bytes at a time: the run ends it, whatever comes', async () => {
    const reason = new Error('the run is over')
    const controller = new AbortController()
    setTimeout(() => controller.abort(reason), 300)
    // Of Converse, the beginning of a message of 16,384 bytes.
    const piece = wire === 'converse' ? Uint8Array.of(0, 0, 64, 0) : utf8(':')
    const body = repeated(piece, megabyte)
    await expect(play(provider, { body, everyMs: 10 }, controller.signal)).rejects.toBe(reason)
  })
})

test('converse: 100 MB of messages are cut at the limit', async () => {
  const piece = encodeEvent('converse', {
    contentBlockDelta: { contentBlockIndex: 0, delta: { text: 'x'.repeat(65_536) } },
  })
  const open = built.converse.open.map((event) => encodeEvent('converse', event))
  const body = [...open, ...repeated(piece, 100 * megabyte)]
  const { turn } = await play('amazon-bedrock', { body })
  expect(turn.error).toMatchObject({ code: 'turn_too_large', retryable: false })
})

test('messages of the AWS event stream are handed on whole, in whatever pieces they come', () => {
  const messages = [...calling('converse', 'x'.repeat(5_000))].map((event) =>
    encodeEvent('converse', event),
  )
  const all = Buffer.concat(messages)
  const ends = messages.map((_, at) => Buffer.concat(messages.slice(0, at + 1)).length)
  for (const size of [1, 2, 3, 5, 64, 1000, all.length]) {
    const reader = new WholeMessages()
    const handed: Uint8Array[] = []
    for (const piece of inPieces([all], size)) {
      handed.push(...reader.push(piece))
      expect([0, ...ends]).toContain(Buffer.concat(handed).length)
    }
    expect(Buffer.concat(handed).equals(all), `by ${size}`).toBe(true)
    expect(reader.flush()).toEqual([])
  }
})

test.each<[string, Uint8Array]>([
  [
    'half a message',
    encodeEvent('converse', { messageStart: { role: 'assistant' } }).subarray(0, 30),
  ],
  ['a page', utf8('\0\0\0\u0001<html>')],
  ['two bytes', utf8('ab')],
])('what is no whole message is handed on all the same: %s', (_, bytes) => {
  for (const size of [1, 7, 100]) {
    const reader = new WholeMessages()
    const handed = [...inPieces([bytes], size)].flatMap((piece) => reader.push(piece))
    expect(Buffer.concat([...handed, ...reader.flush()])).toEqual(Buffer.from(bytes))
  }
})

test.each(['openai', 'azure', 'openai-compatible'] as const)(
  '%s: 10,000 calls are read in linear time, and none of them runs',
  async (provider) => {
    const events = Array.from({ length: 10_000 }, (_, index) =>
      chatDelta({
        tool_calls: [
          { index, id: `call_${index}`, function: { name: 'write_file', arguments: '{}' } },
        ],
      }),
    )
    const body = inPieces(encoded('chat', [...events, ...goodEnding('chat')]), 16_384)
    const { turn, ms } = await play(provider, { body })
    expect(ms).toBeLessThan(30_000)
    const calls = callsOf(turn)
    expect(calls).toHaveLength(10_000)
    expect(new Set(calls.map(({ invalid }) => invalid?.code))).toEqual(new Set(['too_many_calls']))
    const cut = inPieces(encoded('chat', events), 16_384)
    const second = await play(provider, { body: cut })
    expect(second.turn.verdict).toBe('interrupted')
    expect(second.turn.suppressed).toHaveLength(10_000)
    expect(second.ms).toBeLessThan(30_000)
  },
)

test.each(['openai', 'azure', 'openai-compatible'] as const)(
  '%s: arguments in 40,000 pieces take linear time',
  async (provider) => {
    const start = chatDelta({
      tool_calls: [{ index: 0, id: 'a', function: { name: 'write_file', arguments: '{"a":"' } }],
    })
    const piece = chatDelta({ tool_calls: [{ index: 0, function: { arguments: '0123456789' } }] })
    const end = chatDelta({ tool_calls: [{ index: 0, function: { arguments: '"}' } }] })
    const pieces = Array.from({ length: 40_000 }, () => piece)
    const events = [start, ...pieces, end, ...goodEnding('chat')]
    const { turn, ms } = await play(provider, { body: inPieces(encoded('chat', events), 16_384) })
    expect(turn.verdict).toBe('complete')
    expect(callsOf(turn)[0]?.args['a']).toHaveLength(400_000)
    expect(ms).toBeLessThan(60_000)
  },
)

test.each<[string, unknown]>([
  ['as text', '12'],
  ['negative', -12],
  ['of 1e30', 1e30],
  ['fractional', 1.5],
  ['null', null],
  ['a list', [1]],
])('usage %s: a count that is one, or none; the stream ends clearly', async (_, tokens) => {
  const events = [
    ...built.chat.open,
    ...built.chat.wholeCall,
    ...goodEnding('chat'),
    { id: 'chatcmpl-1', choices: [], usage: { prompt_tokens: tokens, completion_tokens: tokens } },
  ]
  for (const provider of ['openai', 'azure', 'openai-compatible'] as const) {
    const { turn } = await play(provider, { body: encoded('chat', events) })
    for (const count of Object.values(turn.usage))
      expect(Number.isInteger(count) && Number(count) >= 0).toBe(true)
    expect(Math.max(0, ...Object.values(turn.usage).map(Number))).toBeLessThanOrEqual(
      limits.usageTokensMax,
    )
    // A package may refuse the chunk: then nothing of the answer runs, and the error has a name.
    const isWhole = turn.verdict === 'complete'
    expect(turn.verdict).toMatch(/^(complete|error)$/)
    expect(turn.error?.code).toBe(isWhole ? undefined : 'unreadable_stream')
    expect(callsOf(turn)).toHaveLength(isWhole ? 1 : 0)
  }
})
