/**
 * Streams that break: closed early, reset, silent, endless, empty, not a stream at all. None of them executes anything,
 * and each says that it may be tried again.
 */
import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { limits } from '@signalbox/core'
import { wireOf } from '../src/observer/wires.ts'
import { ask, callsOf, type Provider, streamReply } from './support/call.ts'
import { type Loopback, startLoopback } from './support/loopback.ts'
import { contentType, encodeEvent, utf8 } from './support/wire-bytes.ts'
import { built, canary, chatDelta, goodEnding } from './support/wire-events.ts'

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

describe.each(providers)('%s', (provider) => {
  const wire = wireOf(provider)
  const { open, cutCall, wholeCall } = built[wire]

  test.each([
    ['in the middle of a call', cutCall],
    ['after a whole call', wholeCall],
  ])('closes %s', async (_when, call) => {
    const baseURL = loopback.reply(streamReply(wire, [...open, ...call], { open: true }))
    const { turn } = await ask({ provider, baseURL })

    expect(turn.verdict).toBe('interrupted')
    expect(turn.error).toMatchObject({ class: 'network', retryable: true, code: 'no_terminal' })
    expect(callsOf(turn)).toEqual([])
    expect(turn.suppressed.map(({ name }) => name)).toEqual(['write_file'])
    expect(turn.message.parts).toEqual([{ type: 'text', text: 'I write. ' }])
    expect(JSON.stringify(turn)).not.toContain(canary)
  })

  test('is reset after a whole call', async () => {
    const reply = streamReply(wire, [...open, ...wholeCall], { open: true, end: 'reset' })
    const { turn } = await ask({ provider, baseURL: loopback.reply(reply) })

    expect(turn.verdict).toBe('interrupted')
    expect(turn.error).toMatchObject({ class: 'network', retryable: true })
    expect(callsOf(turn)).toEqual([])
    expect(JSON.stringify(turn)).not.toContain(canary)
  })

  test('loses the second half of its terminal event', async () => {
    const reply = streamReply(wire, [...open, ...wholeCall], { open: true })
    const last = goodEnding(wire).map((event) => encodeEvent(wire, event))
    const half = last.map((bytes, index) =>
      index === last.length - 1 ? bytes.subarray(0, bytes.length - 3) : bytes,
    )
    const { turn } = await ask({
      provider,
      baseURL: loopback.reply({ ...reply, body: [...reply.body, ...half] }),
    })

    expect(turn.verdict).toBe('interrupted')
    expect(callsOf(turn)).toEqual([])
  })

  test.each([
    ['nothing', ''],
    ['a page', '<html><body>Sign in</body></html>'],
  ])('answers 200 with %s', async (_what, body) => {
    const headers = { 'content-type': contentType(wire) }
    const { turn } = await ask({
      provider,
      baseURL: loopback.reply({ headers, body: [utf8(body)] }),
    })

    expect(turn.verdict).toBe('interrupted')
    expect(turn.error).toMatchObject({ class: 'network', retryable: true })
    expect(turn.message.parts).toEqual([])
  })

  test('falls silent in the middle of a call', async () => {
    const reply = streamReply(wire, [...open, ...cutCall], { open: true, end: 'hang' })
    const baseURL = loopback.reply(reply)
    const { turn } = await ask({ provider, baseURL, model: { idleTimeoutMs: 150 } })

    expect(turn.verdict).toBe('interrupted')
    expect(turn.error).toEqual({
      class: 'network',
      retryable: true,
      kind: 'timeout',
      code: 'idle_timeout',
      message: 'The provider was silent for 150 ms.',
    })
    expect(callsOf(turn)).toEqual([])
    expect(JSON.stringify(turn)).not.toContain(canary)
  })

  test('is aborted in the middle of a call', async () => {
    const reply = streamReply(wire, [...open, ...cutCall], { open: true, end: 'hang' })
    const baseURL = loopback.reply(reply)
    const controller = new AbortController()
    const reason = new Error('the run was cancelled')
    const answer = ask({ provider, baseURL }, controller.signal)
    setTimeout(() => controller.abort(reason), 100)

    await expect(answer).rejects.toBe(reason)
  })

  test('is not there', async () => {
    const { turn } = await ask({ provider, baseURL: `http://127.0.0.1:${await freePort()}/v1` })

    expect(turn.verdict).toBe('error')
    expect(turn.error).toMatchObject({ class: 'network', retryable: true, code: 'ECONNREFUSED' })
  })
})

test('a signal that is aborted already is obeyed before anything is sent', async () => {
  const baseURL = loopback.reply(streamReply('chat', goodEnding('chat')))
  const reason = new Error('too late')
  const call = ask({ provider: 'openai-compatible', baseURL }, AbortSignal.abort(reason))

  await expect(call).rejects.toBe(reason)
  expect(loopback.requests(baseURL)).toEqual([])
})

test('the idle time also runs before the first byte', async () => {
  const silent = createServer(() => undefined)
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const address = silent.address()
  const port = typeof address === 'object' ? address?.port : 0
  try {
    const { turn } = await ask({
      provider: 'openai-compatible',
      baseURL: `http://127.0.0.1:${port}/v1`,
      model: { idleTimeoutMs: 150 },
    })
    expect(turn.verdict).toBe('interrupted')
    expect(turn.error?.code).toBe('idle_timeout')
  } finally {
    silent.close()
  }
})

test('a turn that does not end is cut at the limit', async () => {
  const piece = encodeEvent('chat', chatDelta({ content: 'x'.repeat(64 * 1024) }))
  const count = Math.ceil(limits.turnBytesMax / piece.byteLength) + 1
  const body = Array.from({ length: count }, () => piece)
  const terminal = goodEnding('chat').map((event) => encodeEvent('chat', event))
  const headers = { 'content-type': contentType('chat') }
  const { turn } = await ask({
    provider: 'openai-compatible',
    baseURL: loopback.reply({ headers, body: [...body, ...terminal] }),
  })

  expect(turn.verdict).toBe('interrupted')
  expect(turn.error).toMatchObject({ code: 'turn_too_large', retryable: false })
})

test('a redirect is not followed: it would carry the key to another host', async () => {
  const target = loopback.reply(streamReply('chat', goodEnding('chat')))
  const headers = { location: `${target}/chat/completions` }
  const { turn } = await ask({
    provider: 'openai-compatible',
    baseURL: loopback.reply({ status: 307, headers, body: [] }),
  })

  expect(turn.verdict).toBe('error')
  expect(loopback.requests(target)).toEqual([])
})

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}
