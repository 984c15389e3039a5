/**
 * The mark on the first message of a conversation whose old results may be cleared (context systems §4.3), in the bytes that leave the process. Would
 * catch: a prune after which instructions, tools and summary are written to the cache anew, a request with more marks than a provider takes.
 */
import type { JsonObject, Prompt } from '@signalbox/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { wireOf } from '../src/observer/wires.ts'
import { ask, type Provider, streamReply } from './support/call.ts'
import { type Loopback, startLoopback } from './support/loopback.ts'
import { goodEnding } from './support/wire-events.ts'

let loopback: Loopback
beforeAll(async () => {
  loopback = await startLoopback()
})
afterAll(() => loopback.close())

const words = (text: string) => ({ type: 'text' as const, text })
const user = (text: string) => ({ role: 'user' as const, parts: [words(text)] })

/** A turn of so many calls, and its results. */
const turn = (id: string, calls: number): Prompt => {
  const ids = Array.from({ length: calls }, (_, n) => `${id}_${n}`)
  const parts = ids.map((each) => ({
    type: 'tool_call' as const,
    id: each,
    name: 'list',
    args: {},
    argsHash: 'x',
  }))
  const results = ids.map((callId) => ({
    callId,
    toolName: 'list',
    output: { content: [words('one')], isError: false },
  }))
  return [
    { role: 'assistant', id, parts },
    { role: 'tool', results },
  ]
}

const head: Prompt = [{ role: 'system', text: 'Be short.' }, user('A summary.')]
/** Behind one turn comes a wide one, and words behind its results: all marks that there are. */
const crowded: Prompt = [...head, ...turn('a', 1), ...turn('b', 20), user('Now.')]

interface Sent {
  readonly prompt: Prompt
  readonly keepsHead?: boolean
  readonly providerOptions?: JsonObject
}

async function sent(provider: Provider, { prompt, keepsHead, providerOptions }: Sent) {
  const wire = wireOf(provider)
  const baseURL = loopback.reply(streamReply(wire, goodEnding(wire)))
  await ask({
    provider,
    baseURL,
    prompt,
    model: {
      model: 'anthropic.claude-sonnet-4-5-20250929-v1:0',
      ...(providerOptions ? { providerOptions } : {}),
    },
    ...(keepsHead === undefined ? {} : { keepsHead }),
  })
  return loopback.requests(baseURL)[0] ?? ''
}

const marksIn = (body: string): number => body.split(/"cache_control"|"cachePoint"/).length - 1

/** A mark right behind the first message. */
const markOn = {
  anthropic: '"text":"A summary.","cache_control":{"type":"ephemeral"}',
  'amazon-bedrock': '{"text":"A summary."},{"cachePoint":{"type":"default"}}',
} as const

describe.each(['anthropic', 'amazon-bedrock'] as const)('%s', (provider) => {
  test('the first message is marked as long as the conversation goes on behind it', async () => {
    for (const prompt of [head, [...head, ...turn('a', 1)], crowded])
      expect(await sent(provider, { prompt, keepsHead: true })).toContain(markOn[provider])
  })

  test('it is one mark more, and never are there more than four', async () => {
    for (const prompt of [[...head, ...turn('a', 1)], crowded]) {
      const without = marksIn(await sent(provider, { prompt }))
      const body = await sent(provider, { prompt, keepsHead: true })
      expect(marksIn(body)).toBe(without + 1)
      expect(marksIn(body)).toBeLessThanOrEqual(4)
    }
  })

  test('nobody who is not asked for it gets one', async () => {
    const body = await sent(provider, { prompt: [...head, ...turn('a', 1)] })
    expect(body).not.toContain(markOn[provider])
  })

  test('null takes it away with the others', async () => {
    const option = provider === 'anthropic' ? { cacheControl: null } : { cachePoint: null }
    const providerOptions = { [provider === 'anthropic' ? 'anthropic' : 'bedrock']: option }
    const body = await sent(provider, { prompt: crowded, keepsHead: true, providerOptions })
    expect(marksIn(body)).toBe(0)
  })
})
