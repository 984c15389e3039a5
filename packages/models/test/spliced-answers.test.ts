/**
 * Streams that hold more than one answer, and arguments that were damaged on their way. Would catch: a set of calls that runs twice
 * because a proxy sent a chunk or a whole answer again, calls of a choice nobody asked for, and a file written with `\uFFFD` in it.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Wire, wireOf } from '../src/observer/wires.ts'
import { ask, callsOf, type Provider, providers, streamReply } from './support/call.ts'
import { type Loopback, startLoopback } from './support/loopback.ts'
import { closing, contentType, encodeEvent, type Event, utf8 } from './support/wire-bytes.ts'
import { built, canary, chatDelta, goodEnding } from './support/wire-events.ts'

let loopback: Loopback
beforeAll(async () => {
  loopback = await startLoopback()
})
afterAll(() => loopback.close())

const answer = (wire: Wire): readonly Event[] => [
  ...built[wire].open,
  ...built[wire].wholeCall,
  ...goodEnding(wire),
]

/** Every id of the answer is another one. */
const renamed = (events: readonly Event[]): readonly Event[] =>
  events.map((event): Event =>
    JSON.parse(JSON.stringify(event), (key: string, value: unknown) =>
      /^(id|.*_id|responseId|toolUseId)$/.test(key) && typeof value === 'string'
        ? `${value}-2`
        : value,
    ),
  )

const withAnswerId = (events: readonly Event[], responseId: string): readonly Event[] =>
  events.map((event) => ({ ...event, responseId }))

async function play(provider: Provider, events: readonly Event[]) {
  const baseURL = loopback.reply(streamReply(wireOf(provider), events))
  return (await ask({ provider, baseURL })).turn
}

async function playBytes(provider: Provider, body: readonly Uint8Array[]) {
  const headers = { 'content-type': contentType(wireOf(provider)) }
  return (await ask({ provider, baseURL: loopback.reply({ headers, body }) })).turn
}

describe.each(providers)('%s', (provider) => {
  const wire = wireOf(provider)

  test('the same answer once more executes nothing', async () => {
    const turn = await play(provider, [...answer(wire), ...answer(wire)])
    expect(callsOf(turn).filter(({ invalid }) => !invalid)).toEqual([])
  })

  test('another answer behind the first executes nothing, and says so', async () => {
    const first = wire === 'gemini' ? withAnswerId(answer(wire), 'a') : answer(wire)
    const turn = await play(provider, [...first, ...renamed(first)])
    expect(turn.verdict).toBe('interrupted')
    expect(callsOf(turn)).toEqual([])
    expect(turn.cut?.code).toMatch(/^(several_answers|call_ids_repeated|calls_differ)$/)
    expect(turn.suppressed.length).toBeGreaterThan(0)
  })

  test('every event twice executes no call twice', async () => {
    const turn = await play(
      provider,
      answer(wire).flatMap((event) => [event, event]),
    )
    expect(callsOf(turn).filter(({ invalid }) => !invalid).length).toBeLessThanOrEqual(1)
  })
})

const choice = (index: number, delta: object, rest: object = {}): Event =>
  chatDelta(delta, { index, ...rest })
const whole = (id: string) => ({
  tool_calls: [{ index: 0, id, function: { name: 'write_file', arguments: '{}' } }],
})

test.each<[string, readonly Event[]]>([
  ['in turns', [choice(0, whole('a')), choice(1, whole('b'))]],
  ['of which only the second calls', [choice(0, { content: 'Hm.' }), choice(1, whole('b'))]],
])('chat: two choices, %s, execute nothing', async (_, pieces) => {
  const ends = [0, 1].map((index) => choice(index, {}, { finish_reason: 'tool_calls' }))
  for (const provider of ['openai', 'azure', 'openai-compatible'] as const) {
    const turn = await play(provider, [...pieces, ...ends])
    expect(turn.verdict).toBe('interrupted')
    expect(callsOf(turn)).toEqual([])
    expect(turn.cut?.code).toBe('several_answers')
  }
})

test('gemini: two candidates execute nothing', async () => {
  const part = { functionCall: { name: 'write_file', args: { path: '/a' } } }
  const candidate = (index: number): Event => ({
    candidates: [{ index, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
  })
  const turn = await play('google', [candidate(0), candidate(1)])
  expect(turn.verdict).toBe('interrupted')
  expect(callsOf(turn)).toEqual([])
})

test('gemini: two calls that are alike in one chunk are two calls', async () => {
  const part = { functionCall: { name: 'write_file', args: { path: '/a' } } }
  const parts = { role: 'model', parts: [part, part] }
  const turn = await play('google', [
    { candidates: [{ index: 0, content: parts, finishReason: 'STOP' }] },
  ])
  expect(callsOf(turn)).toHaveLength(2)
})

test('messages: a sign of a refusal beside a good reason executes nothing', async () => {
  for (const details of [{ type: 'refusal', category: 'cyber' }, { type: 'refusal' }]) {
    const ending = goodEnding('messages').map((event) =>
      event['type'] === 'message_delta'
        ? { ...event, delta: { stop_reason: 'tool_use', stop_details: details } }
        : event,
    )
    const turn = await play('anthropic', [
      ...built.messages.open,
      ...built.messages.wholeCall,
      ...ending,
    ])
    expect(turn.verdict).not.toBe('complete')
    expect(callsOf(turn)).toEqual([])
  }
})

const damaged: readonly (readonly [string, readonly number[]])[] = [
  ['a byte that begins nothing', [0xff]],
  ['a character without its end', [0xe2, 0x82]],
  ['a surrogate', [0xed, 0xa0, 0x80]],
  ['an overlong slash', [0xc0, 0xaf]],
]
const readers = providers.filter((provider) => wireOf(provider) !== 'converse')

/** The bytes in pieces, with these behind each place of the text. */
const withBytes = (body: readonly Uint8Array[], text: string, more: readonly number[]) => {
  const all = Buffer.concat(body).toString('latin1')
  const broken = all.replaceAll(text, () => text + String.fromCharCode(...more))
  expect(broken).not.toBe(all)
  const made = Buffer.from(broken, 'latin1')
  return Array.from({ length: Math.ceil(made.length / 7) }, (_, at) =>
    made.subarray(at * 7, at * 7 + 7),
  )
}

describe.each(readers)('%s: bytes that are not UTF-8', (provider) => {
  const wire = wireOf(provider)
  const bytes = (events: readonly Event[]) => [
    ...events.map((event) => encodeEvent(wire, event)),
    ...closing(wire),
  ]

  test.each(damaged)('%s in arguments executes nothing', async (_, more) => {
    const turn = await playBytes(provider, withBytes(bytes(answer(wire)), canary, more))
    expect(turn.verdict).toBe('interrupted')
    expect(callsOf(turn)).toEqual([])
    expect(turn.cut?.code).toBe('invalid_utf8')
    expect(JSON.stringify(turn)).not.toContain(canary)
  })

  test('in a text alone are shown as the standard says', async () => {
    const body = bytes([...built[wire].open, ...goodEnding(wire)])
    const turn = await playBytes(provider, withBytes(body, 'write', [0xff]))
    expect(turn.verdict).toBe('complete')
    expect(turn.message.parts).toMatchObject([{ type: 'text', text: 'I write\uFFFD. ' }])
  })

  test('characters that are cut by the pieces they come in are whole', async () => {
    const events = answer(wire).map((event): Event =>
      JSON.parse(JSON.stringify(event).replaceAll(canary, 'Schlüssel 密钥 🗝')),
    )
    const all = Buffer.concat(bytes(events))
    const turn = await playBytes(
      provider,
      Array.from(all, (_, at) => all.subarray(at, at + 1)),
    )
    expect(turn.verdict).toBe('complete')
    expect(JSON.stringify(callsOf(turn))).toContain('Schlüssel 密钥 🗝')
  })
})

test.each(readers)('%s: a stream whose lines end in CR alone is whole', async (provider) => {
  const wire = wireOf(provider)
  const all = Buffer.concat([
    ...answer(wire).map((event) => encodeEvent(wire, event)),
    ...closing(wire),
  ])
  const turn = await playBytes(provider, [utf8(all.toString('utf8').replaceAll('\n', '\r'))])
  expect(turn.verdict).toBe('complete')
  expect(callsOf(turn)).toHaveLength(1)
})
