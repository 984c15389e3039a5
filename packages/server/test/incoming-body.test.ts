/**
 * Bodies that bring files, on their way in. Would catch: a client that is refused and never hears why, a body without end that is read for ever,
 * a reader that closes the connection by stopping.
 */
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { incomingBody } from '../src/files/incoming.ts'

const piece = new Uint8Array(1_000)

/** A body of pieces of 1,000 bytes, and what was done with it. */
function sentOf(pieces: number, headers: Readonly<Record<string, string>> = {}) {
  const seen = { read: 0, isClosed: false }
  async function* body(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (; seen.read < pieces;) {
        seen.read += 1
        yield piece
      }
    } finally {
      seen.isClosed = true
    }
  }
  return { seen, sent: { headers: new Headers(headers), body: body() } }
}

/** A piece, and then nothing for long. */
async function* silent(): AsyncGenerator<Uint8Array, void, undefined> {
  yield piece
  await setTimeout(60_000, undefined, { ref: false })
}

const bounds = { bytesMax: 10_000, msMax: 1_000 }

it('whoever stops reading leaves the body open, and the rest where it is', async () => {
  const { seen, sent } = sentOf(5)
  const { pieces, passOver } = incomingBody(sent, bounds)
  for await (const _ of pieces) break
  expect(seen).toEqual({ read: 1, isClosed: false })
  const rest: number[] = []
  for await (const { length } of pieces) rest.push(length)
  expect(rest).toEqual([1_000, 1_000, 1_000, 1_000])
  expect(await passOver()).toBe(true)
})

it('what is left is read to its end', async () => {
  const { seen, sent } = sentOf(5)
  expect(await incomingBody(sent, bounds).passOver()).toBe(true)
  expect(seen.read).toBe(5)
})

it('of a body without end only so much is read', async () => {
  const { seen, sent } = sentOf(Infinity)
  expect(await incomingBody(sent, bounds).passOver()).toBe(false)
  expect(seen.read).toBe(11)
})

it('nothing is read of what is too long by its own word', async () => {
  const { seen, sent } = sentOf(100, { 'content-length': '100000' })
  expect(await incomingBody(sent, bounds).passOver()).toBe(false)
  expect(seen.read).toBe(0)
})

it('a client that sends nothing more is waited for so long', async () => {
  const sent = { headers: new Headers(), body: silent() }
  const began = performance.now()
  expect(await incomingBody(sent, { bytesMax: 10_000, msMax: 50 }).passOver()).toBe(false)
  expect(performance.now() - began).toBeLessThan(30_000)
})

it('a connection that breaks is the end of it', async () => {
  const body = {
    [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('aborted')) }),
  }
  expect(await incomingBody({ headers: new Headers(), body }, bounds).passOver()).toBe(false)
})

it('a request without a body has none', async () => {
  const { pieces, passOver } = incomingBody({ headers: new Headers(), body: null }, bounds)
  for await (const _ of pieces) expect.unreachable()
  expect(await passOver()).toBe(true)
})
