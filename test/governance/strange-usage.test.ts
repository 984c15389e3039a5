/**
 * Budgets under providers that count strangely, from the bytes of each wire to the end of the run: by tokens and by money, in
 * memory and in Postgres, alone and as a tree of runs. Would catch: a limit that depends on how a provider counts.
 */
import {
  type AgentDefinition,
  isCacheOf,
  machines,
  type ModelConfig,
  newestOf,
  replay,
} from '@signalbox/core'
import type { Model, Register } from '@signalbox/engine'
import { createModels } from '@signalbox/models'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { observed } from '../../packages/engine/test/support/budget.ts'
import {
  ask,
  type Family,
  family,
  named,
  runsOf,
} from '../../packages/engine/test/support/family.ts'
import { begin, outcomeOf } from '../../packages/engine/test/support/governed.ts'
import {
  agent,
  silentLog,
  toolSpec,
  turnModel,
  world,
} from '../../packages/engine/test/support/world.ts'
import type { Provider } from '../../packages/models/test/support/call.ts'
import { strange } from '../../packages/models/test/support/counted.ts'
import { type Loopback, startLoopback } from '../../packages/models/test/support/loopback.ts'
import { useRegister } from '../../packages/postgres/test/support/register.ts'
import { sampled } from '../../scripts/ci/sampled.ts'
import { treeNumber } from '../../scripts/ci/tree-number.ts'
import {
  type Charged,
  charges,
  countedModel,
  lookTools as tools,
  price,
  unlooped,
} from './counted.ts'

const bench = useRegister()
let loopback: Loopback
beforeAll(async () => {
  loopback = await startLoopback()
})
afterAll(() => loopback.close())

const models = createModels({ env: { K: 'key' } })
const warned: unknown[] = []
const log = { ...silentLog, error: (...line: unknown[]) => void warned.push(line) }
/** A model of the provider that asks for the same again and again, and counts so. */
const modelOf = (provider: Provider, name: string) => countedModel(loopback, provider, name)

/** Verified once at the end, not with each decision, which takes the square of their number. */
const unverified = { verifyEvery: 0 }

/** The log is reproduced, and what is cached is its fold. */
async function expectReproduced(register: Register, runId: string): Promise<void> {
  const head = await register.head(runId)
  const stored = await register.definition(head?.definitionHash ?? '')
  if (!head?.state || !stored) throw new Error('nothing is stored of the run')
  const machine = newestOf(machines)
  const { differences, state } = replay(
    { run: runId, agent: stored, machine },
    await register.events(runId, {}),
  )
  expect(differences).toEqual([])
  expect(isCacheOf(machine, state, head.state)).toBe(true)
}

async function play(definition: AgentDefinition, register?: Register): Promise<readonly Charged[]> {
  const parts = { model: models, tools, log, settings: unverified }
  const one = world({ ...parts, ...(register ? { register } : {}) })
  await one.engine.start()
  const runId = await begin(one.engine, definition)
  expect(await outcomeOf(one.register, runId)).toBe('budget_exhausted')
  await one.engine.stop(1_000)
  await expectReproduced(one.register, runId)
  const events = await one.register.events(runId, {})
  expect(events.filter(({ type }) => type === 'budget.exhausted')).toHaveLength(1)
  return charges(events)
}

/** The limit was reached by the last answer, and by none before it. */
function expectBitten(charged: readonly number[], limit: number): void {
  const before = charged.slice(0, -1).reduce((sum, each) => sum + each, 0)
  expect(before).toBeLessThan(limit)
  expect(before + (charged.at(-1) ?? 0)).toBeGreaterThanOrEqual(limit)
}

const wires = ['openai-compatible', 'openai-responses', 'anthropic', 'google'] as const
/** On AWS's own wire a count that the package cannot read is an error of the answer; these it can read. */
const onConverse = ['absent', 'null', 'all zero', 'fractional', 'negative', 'huge', 'shrinking']

/** A part of them, another one with every commit; all with `SIGNALBOX_FULL=1`. */
function ofThisCommit<T>(
  cases: readonly T[],
  groupOf: (one: T) => string,
  oneIn: number,
): readonly T[] {
  if (process.env['SIGNALBOX_FULL'] === '1') return cases
  const shares = cases.map((one) => ({ one, group: groupOf(one), oneIn }))
  return sampled(shares, treeNumber(import.meta.dirname).number).map(({ one }) => one)
}

const cases = [
  ...wires.flatMap((provider) => Object.keys(strange).map((name) => [provider, name] as const)),
  ...onConverse.map((name) => ['amazon-bedrock', name] as const),
]
/** Counted as somebody may well count so: charged as it stands. */
const plausible = [
  'fractional',
  'huge',
  'endless',
  'cached as text',
  'shrinking',
  'growing',
  'increments of one',
]

describe.each(['tokens', 'money'] as const)('a run with a limit of %s', (what) => {
  const limit = what === 'tokens' ? 2_000 : 9_000
  const limits = what === 'tokens' ? { maxTokens: limit } : { maxCost: limit / 1_000_000 }

  test.each(ofThisCommit(cases, ([provider]) => `${what} ${provider}`, 5))(
    'ends by it under %s that counts %s',
    async (provider, name) => {
      const definition = agent([toolSpec('look')], {
        ...unlooped,
        model: modelOf(provider, name),
        limits,
      })
      const charged = await play(definition)
      expectBitten(
        charged.map(({ tokens, cost }) => (what === 'tokens' ? tokens : cost)),
        limit,
      )
      const isCounted = plausible.includes(name) || name === 'more cached than there is'
      expect(isCounted || charged.at(-1)?.estimated).toBe(true)
      expect(warned).toEqual([])
    },
  )

  test.each(['absent', 'negative', 'numbers as text', 'one token for everything'])(
    'in Postgres, %s',
    async (name) => {
      const definition = agent([toolSpec('look')], {
        ...unlooped,
        model: modelOf('openai-compatible', name),
        limits,
      })
      const charged = await play(definition, bench.register)
      expectBitten(
        charged.map(({ tokens, cost }) => (what === 'tokens' ? tokens : cost)),
        limit,
      )
    },
  )
})

let tree: Family | null = null
afterEach(async () => {
  await tree?.stop()
  tree = null
})

/** Asked by the test's names of agents, answered by the provider over HTTP. */
const over = (model: ModelConfig): Model => ({
  call: (request, sink, signal) => models.call({ ...request, model }, sink, signal),
})

const twenty = Array.from({ length: 20 }, (_, n) => ask(`task ${String(n).padStart(2, '0')}`))

/** What the estimate never falls short of: a tree of these stays within one reservation. */
const estimated = Object.keys(strange).filter(
  (name) => !plausible.includes(name) && name !== 'more cached than there is',
)

describe.each(['tokens', 'money'] as const)(
  'twenty children under a tree with a limit of %s',
  (what) => {
    test.each(ofThisCommit(estimated, () => `tree of ${what}`, 5))(
      'whose provider counts %s',
      async (name) => {
        const model = modelOf('openai-compatible', name)
        tree = family({
          plays: { writer: turnModel([twenty, 'All have answered.']), helper: over(model) },
          agents: [named('helper', [toolSpec('look')], { ...unlooped, model })],
          tools,
        })
        const { seen, asked } = observed(tree.register)
        const engine = await tree.start({ register: seen, settings: unverified })
        const limit = what === 'tokens' ? 6_000 : 25_000
        const writer = named('writer', [runsOf('helper')], {
          ...unlooped,
          model: { provider: 'scripted', model: 'test', price },
          limits: what === 'tokens' ? { maxTokens: limit } : { maxCost: limit / 1_000_000 },
        })
        await tree.begin(engine, writer)
        const ends = await tree.ends()
        expect(ends).toHaveLength(21)
        for (const runId of tree.register.tables.runs.keys())
          await expectReproduced(tree.register, runId)
        expect(new Set(ends)).toEqual(new Set(['budget_exhausted']))
        const field = what === 'tokens' ? 'tokens' : 'cost'
        const used = charges([...tree.register.tables.events.values()].flat())
        const sum = used.reduce((total, each) => total + each[field], 0)
        const most = Math.max(...asked.map(({ reservation }) => reservation[field]))
        expect(sum).toBeLessThan(limit + most)
        expect(sum + most).toBeGreaterThanOrEqual(limit)
        expect(asked.some(({ answer }) => answer.code === 'refused')).toBe(true)
      },
    )
  },
)
