/**
 * The last word of the chat wire, `data: [DONE]`, read from the bytes. Would catch: a set of calls that runs although the
 * stream was cut behind a good finish reason, and a marker that is found where none stands or missed where one does.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EndMarkerWatch } from '../src/observer/end-marker.ts'
import { ask, callsOf, streamReply } from './support/call.ts'
import { type Loopback, startLoopback } from './support/loopback.ts'
import { encodeEvent, type Event, utf8 } from './support/wire-bytes.ts'
import { built, chatDelta, goodEnding } from './support/wire-events.ts'

let loopback: Loopback
beforeAll(async () => {
  loopback = await startLoopback()
})
afterAll(() => loopback.close())

const events: readonly Event[] = [
  ...built.chat.open,
  ...built.chat.wholeCall,
  ...goodEnding('chat'),
]
const marker = utf8('data: [DONE]\n\n')
const bytes = [...events.map((event) => encodeEvent('chat', event)), marker]
const more = (delta: object, rest: object = {}): Uint8Array =>
  encodeEvent('chat', chatDelta(delta, rest))

function play(body: readonly Uint8Array[], endMarker: 'required' | 'optional' = 'required') {
  const headers = { 'content-type': 'text/event-stream' }
  const baseURL = loopback.reply({ headers, body })
  return ask({ provider: 'openai-compatible', baseURL, model: { endMarker } })
}

describe('a chat stream that closes cleanly', () => {
  test('with its marker executes', async () => {
    const { turn } = await play(bytes)
    expect(turn.verdict).toBe('complete')
    expect(callsOf(turn)).toHaveLength(1)
  })

  test.each(['openai', 'azure', 'openai-compatible'] as const)(
    'without its marker is cut, through %s',
    async (provider) => {
      const baseURL = loopback.reply(streamReply('chat', events, { open: true }))
      const { turn } = await ask({ provider, baseURL })
      expect(turn.verdict).toBe('interrupted')
      expect(callsOf(turn)).toEqual([])
      expect(turn.suppressed).toHaveLength(1)
      expect(turn.cut?.code).toBe('end_marker_missing')
      expect(turn.cut?.detail).toContain('model.endMarker')
      expect(turn.error).toMatchObject({ class: 'network', retryable: true })
    },
  )

  test('within its marker is cut, at each byte', async () => {
    for (let length = 0; length < marker.length; length += 1) {
      const { turn } = await play([...bytes.slice(0, -1), marker.subarray(0, length)])
      expect(turn.verdict, `${length} bytes`).toBe('interrupted')
      expect(callsOf(turn)).toEqual([])
    }
  })

  test('without its marker executes where the model says that none comes', async () => {
    const { turn } = await play(bytes.slice(0, -1), 'optional')
    expect(turn.verdict).toBe('complete')
    expect(callsOf(turn)).toHaveLength(1)
  })

  test.each<[string, readonly Uint8Array[]]>([
    ['the marker first', [marker, ...bytes.slice(0, -1)]],
    ['the marker first and last', [marker, ...bytes]],
    ['a second answer', [...bytes, ...bytes]],
    ['one more event', [...bytes, more({})]],
    ['half an event', [...bytes, more({ content: 'more' }).subarray(0, 9)]],
  ])('is cut with events after its marker: %s', async (_, body) => {
    for (const endMarker of ['required', 'optional'] as const) {
      const { turn } = await play(body, endMarker)
      expect(turn.verdict).toBe('interrupted')
      expect(callsOf(turn)).toEqual([])
      expect(turn.cut?.code).toMatch(/^(events_after_end_marker|calls_differ)$/)
    }
  })

  test('with the marker twice executes', async () => {
    expect((await play([...bytes, marker])).turn.verdict).toBe('complete')
  })
})

const states = (text: string | Uint8Array, step: number): EndMarkerWatch['state'] => {
  const all = typeof text === 'string' ? utf8(text) : text
  const watch = new EndMarkerWatch()
  for (let at = 0; at < all.length; at += step) watch.push(all.subarray(at, at + step))
  return watch.state
}

describe('the reader of the marker', () => {
  test.each<[string, EndMarkerWatch['state'], string]>([
    ['ordinary', 'last', 'data: {}\n\ndata: [DONE]\n\n'],
    ['no space', 'last', 'data:{}\n\ndata:[DONE]\n\n'],
    ['CRLF', 'last', 'data: {}\r\n\r\ndata: [DONE]\r\n\r\n'],
    ['CR alone', 'last', 'data: {}\r\rdata: [DONE]\r\r'],
    ['mixed line ends', 'last', 'data: {}\r\n\ndata: [DONE]\n\r'],
    ['comments', 'last', ': hello\n\ndata: {}\n\n: [DONE]\ndata: [DONE]\n:\n\n: bye\n\n: bye'],
    ['other fields', 'last', 'event: end\nid: 1\ndata: [DONE]\nretry: 5\n\n'],
    ['BOM', 'last', '\uFEFFdata: [DONE]\n\n'],
    ['twice', 'last', 'data: [DONE]\n\ndata: [DONE]\n\n'],
    ['none', 'missing', 'data: {}\n\n'],
    ['nothing', 'missing', ''],
    ['in a comment', 'missing', ': data: [DONE]\n\n'],
    ['in the text of an event', 'missing', 'data: {"a":"data: [DONE]\\n\\n"}\n\n'],
    ['at the end of a longer line', 'missing', 'data: {}data: [DONE]\n\n'],
    ['longer', 'missing', 'data: [DONE]]\n\n'],
    ['shorter', 'missing', 'data: [DONE\n\n'],
    ['two spaces', 'missing', 'data:  [DONE]\n\n'],
    ['lower case', 'missing', 'data: [done]\n\n'],
    ['another field', 'missing', 'date: [DONE]\n\n'],
    ['of several lines', 'missing', 'data: [DONE]\ndata: [DONE]\n\n'],
    ['without its blank line', 'missing', 'data: {}\n\ndata: [DONE]\n'],
    ['a BOM within', 'missing', 'data: {}\n\n\uFEFFdata: [DONE]\n\n'],
    ['an event after it', 'followed', 'data: [DONE]\n\ndata: {}\n\n'],
    ['half an event after it', 'followed', 'data: [DONE]\n\ndata: {}'],
    ['an event between two', 'followed', 'data: [DONE]\n\ndata: {}\n\ndata: [DONE]\n\n'],
  ])('%s: %s', (_, state, text) => {
    for (const step of [1, 2, 3, 7, 1000]) expect(states(text, step), `by ${step}`).toBe(state)
  })

  test('invalid UTF-8 and NUL are bytes like others', () => {
    const odd = Uint8Array.of(0xff, 0xc3, 0x00, 0xe4, 0xbd)
    const all = Buffer.concat([utf8('data: {"a":"'), odd, utf8('"}\n\ndata: [DONE]\n\n')])
    for (const step of [1, 2, 13, 1000]) expect(states(all, step)).toBe('last')
  })

  test.each([
    ['one line', 'x', 100],
    ['ordinary events', `data: {"choices":[{"delta":{"content":"${'x'.repeat(200)}"}}]}\n\n`, 100],
    ['a LF in every other byte', 'x\n', 10],
    ['a CR in every other byte', 'x\r', 10],
    ['blank lines', '\n', 10],
  ])('is linear: %s', (_, fill, megabytes) => {
    const block = Buffer.alloc(1024 * 1024, fill)
    const watch = new EndMarkerWatch()
    const began = performance.now()
    for (let count = 0; count < megabytes; count += 1) watch.push(block)
    // Less than a second on the reference machine; what is quadratic in a block needs hours.
    expect(performance.now() - began).toBeLessThan(30_000)
    expect(watch.state).toBe('missing')
  })
})
