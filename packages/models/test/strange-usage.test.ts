/**
 * Counts as strange providers send them, from the bytes on. Would catch: an answer that is refused for the shape of its count, a
 * count that shrinks while a stream goes on, one that is less than nothing or without bound.
 */
import { limits, type Usage } from '@signalbox/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { wireOf } from '../src/observer/wires.ts'
import { ask, callsOf, type Provider, tool } from './support/call.ts'
import { countedReply, strange } from './support/counted.ts'
import { type Loopback, startLoopback } from './support/loopback.ts'

let loopback: Loopback
beforeAll(async () => {
  loopback = await startLoopback()
})
afterAll(() => loopback.close())

const providers = [
  'openai',
  'openai-compatible',
  'openai-responses',
  'anthropic',
  'google',
] as const satisfies readonly Provider[]
const look = { name: 'look', args: { page: 1 } }

/** What is left of a count; nothing is as good as zero, both are estimated by whoever charges them. */
const expected: Readonly<Record<string, readonly [number, number]>> = {
  fractional: [91, 3],
  'a negative output': [90, 0],
  huge: [limits.usageTokensMax, 1],
  endless: [limits.usageTokensMax, 1],
  'only input': [90, 0],
  'only output': [0, 12],
  'output in another field': [90, 0],
  'more cached than there is': [4, 12],
  'cached as text': [90, 12],
  shrinking: [900, 300],
  growing: [90, 12],
  'increments of one': [90, 1],
  'one token for everything': [1, 1],
}

const cases = providers.flatMap((provider) =>
  Object.keys(strange).map((name) => [provider, name] as const),
)

test.each(cases)(
  '%s: a count that is %s is no reason to refuse the answer',
  async (provider, name) => {
    const counting = strange[name] ?? (() => [])
    const baseURL = loopback.reply(countedReply(wireOf(provider), counting, { tool: look }))
    const { turn } = await ask({ provider, baseURL, tools: [tool('look')] })
    expect([turn.verdict, turn.error]).toEqual(['complete', undefined])
    expect(callsOf(turn).map(({ args }) => args)).toEqual([look.args])
    const { inputTokens = 0, outputTokens = 0 } = turn.usage
    const [input, output] = expected[name] ?? [0, 0]
    // Anthropic counts cached tokens beside the others.
    const beside = provider === 'anthropic' && name === 'more cached than there is' ? 9000 : 0
    expect([inputTokens, outputTokens]).toEqual([input + beside, output])
    expectBounded(turn.usage)
  },
)

test.each(Object.keys(strange))(
  'Converse: a count that is %s executes nothing that it should not',
  async (name) => {
    const counting = strange[name] ?? (() => [])
    const baseURL = loopback.reply(countedReply('converse', counting, { tool: look }))
    const { turn } = await ask({ provider: 'amazon-bedrock', baseURL, tools: [tool('look')] })
    // AWS's frames stay as they are: what the package cannot read is an error of the answer.
    expect(['complete', 'error']).toContain(turn.verdict)
    expect(callsOf(turn)).toHaveLength(turn.verdict === 'complete' ? 1 : 0)
    expectBounded(turn.usage)
  },
)

test.each(providers)('%s: a count that never comes leaves what came before', async (provider) => {
  const reply = countedReply(wireOf(provider), strange['growing'] ?? (() => []), {
    tool: look,
    isCut: true,
  })
  const { turn } = await ask({ provider, baseURL: loopback.reply(reply), tools: [tool('look')] })
  expect(turn.verdict).not.toBe('complete')
  expect(callsOf(turn)).toEqual([])
  expect(turn.suppressed).toHaveLength(1)
  expectBounded(turn.usage)
})

/** What is said beside a count is not touched, whatever it looks like. */
test('words about usage pass as they are', async () => {
  const said = 'data: {"usage": "many"}\r\n"usage":'
  const reply = countedReply('chat', strange['a text'] ?? (() => []), {
    tool: { name: 'look', args: { page: said } },
  })
  const baseURL = loopback.reply(reply)
  const { turn } = await ask({ provider: 'openai-compatible', baseURL, tools: [tool('look')] })
  expect(callsOf(turn).map(({ args }) => args)).toEqual([{ page: said }])
})

function expectBounded(usage: Usage): void {
  for (const count of Object.values(usage).filter((each) => typeof each === 'number')) {
    expect(Number.isInteger(count)).toBe(true)
    expect(count).toBeGreaterThanOrEqual(0)
    expect(count).toBeLessThanOrEqual(limits.usageTokensMax)
  }
}
