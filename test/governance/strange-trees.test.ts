/**
 * A tree of runs over Postgres whose provider counts nothing, nothing but zeros, texts, less than nothing, or more than there is: its
 * parent and twenty children that run at once end by its budget, within one reservation. Would catch: a budget that is taken from
 * only where somebody counts, and a lock of the register that lets two of the twenty by.
 */
import type { Model } from '@signalbox/engine'
import { createModels } from '@signalbox/models'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { observed } from '../../packages/engine/test/support/budget.ts'
import { ask, byAgent, named, runsOf } from '../../packages/engine/test/support/family.ts'
import { begin, outcomeOf } from '../../packages/engine/test/support/governed.ts'
import { toolSpec, turnModel, world } from '../../packages/engine/test/support/world.ts'
import { type Loopback, startLoopback } from '../../packages/models/test/support/loopback.ts'
import { useRegister } from '../../packages/postgres/test/support/register.ts'
import { charges, countedModel, lookTools, price, unlooped } from './counted.ts'

const bench = useRegister()
let loopback: Loopback
beforeAll(async () => {
  loopback = await startLoopback()
})
afterAll(() => loopback.close())
let stop: (() => Promise<void>) | null = null
afterEach(async () => {
  await stop?.()
  stop = null
})

const models = createModels({ env: { K: 'key' } })
const twenty = Array.from({ length: 20 }, (_, n) => ask(`task ${String(n).padStart(2, '0')}`))

/** Plays the tree to its end. Answers how its runs ended, their answers, and what was reserved. */
async function play(counts: string, limits: Readonly<Record<string, number>>) {
  const model = countedModel(loopback, 'openai-compatible', counts)
  const overHttp: Model = {
    call: (request, sink, signal) => models.call({ ...request, model }, sink, signal),
  }
  const { seen, asked } = observed(bench.register)
  const helper = named('helper', [toolSpec('look')], { ...unlooped, model })
  const { engine } = world({
    model: byAgent({ writer: turnModel([twenty, 'All have answered.']), helper: overHttp }),
    tools: lookTools,
    register: seen,
    agents: (name) => (name === 'helper' ? helper : null),
    settings: { verifyEvery: 0 },
  })
  stop = () => engine.stop(0)
  await engine.start()
  const writer = named('writer', [runsOf('helper')], {
    ...unlooped,
    model: { provider: 'scripted', model: 'test', price },
    limits,
  })
  const root = await begin(engine, writer)
  await outcomeOf(bench.register, root)
  const children = (await bench.register.children(root)).map(({ runId }) => runId)
  const runs = [root, ...children]
  const ends = await Promise.all(runs.map((runId) => outcomeOf(bench.register, runId)))
  const answers = await Promise.all(
    runs.map(async (runId) => charges(await bench.register.events(runId, {}))),
  )
  return { ends, answers, asked }
}

test.each([
  ['nothing', 'absent', 'tokens'],
  ['zeros', 'all zero', 'cost'],
  ['texts', 'numbers as text', 'tokens'],
  ['less than nothing', 'negative', 'cost'],
] as const)(
  'twenty children whose provider counts %s end within one reservation',
  async (_, counts, what) => {
    const limit = what === 'tokens' ? 5_000 : 20_000
    const limits = what === 'tokens' ? { maxTokens: limit } : { maxCost: limit / 1_000_000 }
    const { ends, answers, asked } = await play(counts, limits)
    expect(ends).toEqual(Array.from({ length: 21 }, () => 'budget_exhausted'))
    const used = answers.flat()
    const sum = used.reduce((total, each) => total + each[what], 0)
    const most = Math.max(...asked.map(({ reservation }) => reservation[what]))
    expect(sum).toBeLessThan(limit + most)
    expect(sum + most).toBeGreaterThanOrEqual(limit)
    expect(asked.some(({ answer }) => answer.code === 'refused')).toBe(true)
  },
)

test('twenty children whose provider counts 1e30 are asked once each at the most', async () => {
  const { ends, answers, asked } = await play('huge', { maxTokens: 5_000 })
  expect(ends).toEqual(Array.from({ length: 21 }, () => 'budget_exhausted'))
  // Twenty reservations fit below the limit; once one of them is spent, no other one is granted.
  expect(answers.slice(1).every((each) => each.length <= 1)).toBe(true)
  expect(answers.flat().every(({ tokens }) => Number.isSafeInteger(tokens))).toBe(true)
  expect(asked.some(({ answer }) => answer.code === 'refused')).toBe(true)
})
