/**
 * §19 cache 2: tokens that were written to a cache, as each provider counts them, from the bytes on. Would catch: a write that is counted
 * beside the input and in it, one that is lost with the connection, a count of another shape that costs the answer.
 */
import type { Usage } from '@signalbox/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { wireOf } from '../src/observer/wires.ts'
import { ask, callsOf, type Provider, tool } from './support/call.ts'
import { type Counting, countedReply } from './support/counted.ts'
import { type Loopback, startLoopback } from './support/loopback.ts'

let loopback: Loopback
beforeAll(async () => {
  loopback = await startLoopback()
})
afterAll(() => loopback.close())

const look = { name: 'look', args: { page: 1 } }

async function counted(provider: Provider, counting: Counting, isCut = false) {
  const reply = countedReply(wireOf(provider), counting, { tool: look, isCut })
  return (await ask({ provider, baseURL: loopback.reply(reply), tools: [tool('look')] })).turn
}

/**
 * A request of 100 tokens, of which 60 were read from a cache and 30 were written to it, as the provider counts it. Anthropic and
 * Bedrock count these beside the others ("input_tokens: the tokens after the last cache breakpoint"), OpenAI among them.
 */
const cases: readonly (readonly [Provider, object, boolean])[] = [
  [
    'openai',
    {
      prompt_tokens: 100,
      completion_tokens: 7,
      prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
    },
    true,
  ],
  [
    'openai-compatible',
    {
      prompt_tokens: 100,
      completion_tokens: 7,
      prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
    },
    true,
  ],
  [
    'openai-responses',
    {
      input_tokens: 100,
      output_tokens: 7,
      input_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
    },
    true,
  ],
  [
    'anthropic',
    {
      input_tokens: 10,
      output_tokens: 7,
      cache_read_input_tokens: 60,
      cache_creation_input_tokens: 30,
    },
    true,
  ],
  [
    'amazon-bedrock',
    {
      inputTokens: 10,
      outputTokens: 7,
      totalTokens: 107,
      cacheReadInputTokens: 60,
      cacheWriteInputTokens: 30,
    },
    true,
  ],
  [
    'google',
    { promptTokenCount: 100, candidatesTokenCount: 7, cachedContentTokenCount: 60 },
    false,
  ],
]

describe.each(cases)('%s', (provider, usage, isWritten) => {
  const expected: Usage = {
    inputTokens: 100,
    outputTokens: 7,
    cachedInputTokens: 60,
    ...(isWritten ? { cacheWriteTokens: 30 } : {}),
  }

  test('reads and writes of a cache are parts of the input', async () => {
    const turn = await counted(provider, () => [usage])
    expect(turn.verdict).toBe('complete')
    expect(turn.usage).toMatchObject(expected)
    expect(turn.usage.cacheWriteTokens).toBe(expected.cacheWriteTokens)
  })

  test('what was counted before the connection broke is kept', async () => {
    const turn = await counted(provider, () => [usage, usage], true)
    expect(turn.verdict).not.toBe('complete')
    // Converse counts in its last event alone.
    expect(turn.usage).toMatchObject(provider === 'amazon-bedrock' ? {} : expected)
  })
})

describe('nothing written is nothing said', () => {
  test.each<readonly [Provider, object]>([
    ['anthropic', { input_tokens: 10, output_tokens: 7, cache_creation_input_tokens: 0 }],
    ['anthropic', { input_tokens: 10, output_tokens: 7 }],
    ['amazon-bedrock', { inputTokens: 10, outputTokens: 7, totalTokens: 17 }],
    [
      'openai',
      {
        prompt_tokens: 10,
        completion_tokens: 7,
        prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      },
    ],
  ])('%s: %j', async (provider, usage) => {
    const turn = await counted(provider, () => [usage])
    expect(turn.usage).toMatchObject({ inputTokens: 10, outputTokens: 7 })
    expect(turn.usage).not.toHaveProperty('cacheWriteTokens')
  })
})

describe('a count of another shape costs no answer', () => {
  test.each(['many', -30, [30], { tokens: 30 }, true])('%j', async (written) => {
    for (const [provider, usage] of [
      [
        'openai',
        {
          prompt_tokens: 90,
          completion_tokens: 7,
          prompt_tokens_details: { cached_tokens: 40, cache_write_tokens: written },
        },
      ],
      [
        'openai-responses',
        {
          input_tokens: 90,
          output_tokens: 7,
          input_tokens_details: { cached_tokens: 40, cache_write_tokens: written },
        },
      ],
    ] as const) {
      const turn = await counted(provider, () => [usage])
      expect([turn.verdict, turn.error]).toEqual(['complete', undefined])
      expect(callsOf(turn)).toHaveLength(1)
      expect(turn.usage).toMatchObject({ inputTokens: 90, cachedInputTokens: 40 })
      expect(turn.usage).not.toHaveProperty('cacheWriteTokens')
    }
  })
})
