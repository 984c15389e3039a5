/**
 * Budgets where providers count nothing, or nothing that can be true. Would catch: a limit that never bites, usage that is
 * credit, a count without bound.
 */
import { factSchemas, limits, type ModelTurn } from '@signalbox/core'
import { afterEach, expect, test } from 'vitest'
import { estimate, requestLength, withUsage } from '../src/perform/reservation.ts'
import { begin, outcomeOf } from './support/governed.ts'
import { ask, type Family, family, named, runsOf } from './support/family.ts'
import { agent, functionTools, toolSpec, turnModel, world } from './support/world.ts'

const strange: readonly (readonly [string, object])[] = [
  ['nothing', {}],
  ['zeros', { inputTokens: 0, outputTokens: 0 }],
  ['less than nothing', { inputTokens: -1_000_000, outputTokens: -1_000_000 }],
  ['output alone', { outputTokens: 3 }],
  ['input alone', { inputTokens: 90 }],
  ['fractions', { inputTokens: 90.4, outputTokens: 2.5 }],
  ['a negative half', { inputTokens: 90, outputTokens: -90 }],
  ['more than there is', { inputTokens: 1e30, outputTokens: 1 }],
  ['texts', { inputTokens: '90', outputTokens: 'many' }],
  ['null', { inputTokens: null, outputTokens: null }],
]

/** A model that looks for ever, and counts so. */
const counting = (usage: object) => {
  const turns = turnModel(
    Array.from({ length: 60 }, (_, n) => [{ tool: 'look', args: { page: n } }]),
  )
  const asked: number[] = []
  const model = {
    call: async (...call: Parameters<typeof turns.call>) => {
      const [{ model: config, prompt, tools }] = call
      asked.push(estimate(config, { prompt, tools }).tokens)
      return Object.assign(await turns.call(...call), { usage })
    },
  }
  return { model, asked }
}

const maxTokens = 2_000
const tools = functionTools({ look: async () => 'seen' })

test.each(strange)('usage of %s: the run ends by its budget', async (_name, usage) => {
  const { model, asked } = counting(usage)
  const { engine, register } = world({ model, tools })
  await engine.start()
  const runId = await begin(engine, agent([toolSpec('look')], { limits: { maxTokens } }))
  expect(await outcomeOf(register, runId)).toBe('budget_exhausted')
  await engine.stop(1_000)
  const turns = (await register.events(runId, {}))
    .filter(({ type }) => type === 'model.completed')
    .map(({ payload }) => factSchemas['model.completed'].parse(payload).turn)
  const charged = turns.map(({ usage: { inputTokens = 0, outputTokens = 0 } }) => {
    for (const tokens of [inputTokens, outputTokens]) {
      expect(tokens).toBeGreaterThanOrEqual(0)
      expect(tokens).toBeLessThanOrEqual(limits.usageTokensMax)
    }
    return inputTokens + outputTokens
  })
  // Not one call more once the limit is reached.
  const before = charged.slice(0, -1).reduce((sum, tokens) => sum + tokens, 0)
  expect(before).toBeLessThan(maxTokens)
  expect(before + (charged.at(-1) ?? 0)).toBeGreaterThanOrEqual(maxTokens)
  expect(charged).toHaveLength(asked.length)
})

test('what was estimated says so, what was counted does not', async () => {
  for (const [usage, estimated] of [
    [{ inputTokens: 90, outputTokens: 2.5 }, undefined],
    [{ outputTokens: 3 }, true],
  ] as const) {
    const { model } = counting(usage)
    const { engine, register } = world({ model, tools })
    await engine.start()
    const definition = agent([toolSpec('look')], { limits: { maxTurns: 1 } })
    const runId = await begin(engine, definition)
    await outcomeOf(register, runId)
    await engine.stop(1_000)
    const completed = (await register.events(runId, {})).find(
      ({ type }) => type === 'model.completed',
    )
    const { turn } = factSchemas['model.completed'].parse(completed?.payload)
    expect(turn.usage.estimated).toBe(estimated)
    expect(turn.usage.outputTokens).toBe(3)
  }
})

const prices = { inputPerMTok: 2, outputPerMTok: 8 }
const turnOf = (usage: ModelTurn['usage']): ModelTurn => ({
  verdict: 'complete',
  message: { id: 'm', role: 'assistant', parts: [{ type: 'text', text: 'Seen.' }] },
  suppressed: [],
  evidence: [],
  finish: { unified: 'stop' },
  usage,
  provider: 'scripted',
  model: 'm',
})

test.each<readonly [string, ModelTurn['usage'], ModelTurn['usage']]>([
  [
    'in the input',
    { inputTokens: 90, outputTokens: 3, cachedInputTokens: 40, cacheWriteTokens: 50 },
    { inputTokens: 90, outputTokens: 3, cachedInputTokens: 40, cacheWriteTokens: 50 },
  ],
  [
    'beside the input',
    { inputTokens: 10, outputTokens: 3, cachedInputTokens: 40, cacheWriteTokens: 50 },
    { inputTokens: 100, outputTokens: 3, cachedInputTokens: 40, cacheWriteTokens: 50 },
  ],
  [
    'less than nothing',
    { inputTokens: 90, outputTokens: 3, cacheWriteTokens: -50 },
    { inputTokens: 90, outputTokens: 3 },
  ],
])('§19 cache 2: tokens that were written to a cache, counted %s', (_name, usage, charged) => {
  expect(withUsage(turnOf(usage), { prompt: [], tools: [] }).usage).toEqual(charged)
})

test('§19 cache 2: what is estimated has no part that was written to a cache', () => {
  const prompt = [{ role: 'system' as const, text: 'x'.repeat(30_000) }]
  const { usage } = withUsage(turnOf({ inputTokens: 1, cacheWriteTokens: 1 }), {
    prompt,
    tools: [],
  })
  expect(usage).not.toHaveProperty('cacheWriteTokens')
  expect(usage.estimated).toBe(true)
})

test('a reservation has room for a request that is written to a cache whole', () => {
  const { model } = agent([])
  const request = { prompt: [{ role: 'system' as const, text: 'x'.repeat(3_000) }], tools: [] }
  const plain = estimate({ ...model, price: prices }, request)
  const dear = estimate({ ...model, price: { ...prices, cacheWritePerMTok: 4 } }, request)
  const input = plain.tokens - 4_096
  expect(dear.tokens).toBe(plain.tokens)
  expect(dear.cost - plain.cost).toBe(2 * input)
  // Where writes are cheaper, it may still be that nothing is written.
  const cheap = estimate({ ...model, price: { ...prices, cacheWritePerMTok: 0 } }, request)
  expect(cheap.cost).toBe(plain.cost)
})

let tree: Family | null = null
afterEach(async () => {
  await tree?.stop()
  tree = null
})

test('a tree of runs whose model counts nothing ends by the budget of the tree', async () => {
  const { model } = counting({})
  tree = family({
    plays: { writer: turnModel([[ask('look')], [ask('look more')], 'done']), helper: model },
    agents: [named('helper', [toolSpec('look')], { limits: { maxTokens: 100_000 } })],
    tools,
  })
  const { start, begin: beginTree, outcome } = tree
  const writer = named('writer', [runsOf('helper')], { limits: { maxTokens: 20_000 } })
  const runId = await beginTree(await start(), writer)
  expect(await outcome(runId)).toBe('budget_exhausted')
})

test('the length of a request is that of its JSON', () => {
  const specs = [toolSpec('look'), toolSpec('größe')]
  const prompts = [
    [],
    [{ role: 'system', text: 'Wörter "in" Anführung' }],
    [
      { role: 'user', parts: [{ type: 'text', text: 'Hallo\n🎈' }] },
      { role: 'assistant', id: 'm', parts: [{ type: 'text', text: 'Ja.' }] },
    ],
  ] as const
  for (const prompt of prompts)
    for (const some of [specs, []])
      for (const _again of [1, 2])
        expect(requestLength({ prompt, tools: some })).toBe(
          Buffer.byteLength(JSON.stringify({ prompt, tools: some })),
        )
})
