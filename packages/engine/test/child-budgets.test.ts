/**
 * The budget of a tree of runs, over the whole engine: G1 and G2 of `ports/budget.ts` as a user sees them. Money is in
 * millionths, as everywhere.
 */
import { type AgentDefinition, factSchemas, project } from '@signalbox/core'
import type { Model, StoredEvent } from '@signalbox/engine'
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { estimate } from '../src/perform/reservation.ts'
import { helper, look, maxOutputTokens, observed, writer } from './support/budget.ts'
import { ask, type Family, family as open, type FamilyParts } from './support/family.ts'
import { named, runsOf } from './support/family.ts'
import { functionTools, toolSpec, turnModel, until } from './support/world.ts'

let tree: Family
afterEach(() => tree.stop())
const family = (parts: FamilyParts): Family => (tree = open(parts))

/** The last words of a run. */
const lastWords = async (runId: string): Promise<string> => {
  const said = project('', await tree.register.events(runId, {})).findLast(
    ({ role }) => role === 'assistant',
  )
  const parts = said?.role === 'assistant' ? said.parts : []
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** Every run that the budget stopped ended so, and says so. */
async function expectRefusalsTold(): Promise<void> {
  for (const { runId, outcome } of tree.register.tables.runs.values()) {
    if ((await tree.events(runId, 'budget.refused')).length === 0) continue
    expect(outcome).toBe('budget_exhausted')
    expect(await lastWords(runId)).toContain('[BUDGET EXHAUSTED]')
  }
}

const children = Array.from({ length: 20 }, (_, n) => ask(`task ${String(n).padStart(2, '0')}`))

/** Uses a share of what a request may use at most, after a while; `shares` repeat. */
function greedy(turns: Model, shares: readonly number[]): Model {
  let n = 0
  return {
    call: async (request, sink, signal) => {
      const share = shares[n++ % shares.length] ?? 0
      const { prompt, tools } = request
      const { tokens } = estimate(request.model, { prompt, tools })
      await new Promise((resolve) => setTimeout(resolve, Math.round(share * 4)))
      const turn = await turns.call(request, sink, signal)
      const inputTokens = Math.floor(share * (tokens - maxOutputTokens))
      return { ...turn, usage: { inputTokens, outputTokens: Math.floor(share * maxOutputTokens) } }
    },
  }
}

/** What was used, by the log. */
function usedBy(events: readonly StoredEvent[]) {
  const total = { turns: 0, tokens: 0, cost: 0 }
  for (const event of events) {
    if (event.type !== 'model.completed') continue
    const { turn } = factSchemas['model.completed'].parse(event.payload)
    const { inputTokens = 0, outputTokens = 0 } = turn.usage
    total.turns += 1
    total.tokens += inputTokens + outputTokens
    total.cost += Math.ceil(3 * inputTokens + 15 * outputTokens)
  }
  return total
}

test('twenty children at once never exceed a budget by more than one reservation', async () => {
  await fc.assert(
    fc.asyncProperty(
      // Every size alike: with small ones the tree ends after its first few calls.
      fc.noBias(
        fc.record({
          maxTurns: fc.integer({ min: 2, max: 90 }),
          maxToolCalls: fc.integer({ min: 20, max: 90 }),
          maxTokens: fc.integer({ min: 300, max: 20_000 }),
          cost: fc.option(fc.integer({ min: 1_000, max: 100_000 })),
        }),
      ),
      fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 7, maxLength: 7 }),
      async ({ cost, ...counts }, twentieths) => {
        const shares = twentieths.map((each) => each / 20)
        let calls = 0
        const tools = functionTools({ look: async () => String((calls += 1)) })
        const { start, begin, ends, register } = family({
          plays: {
            writer: greedy(turnModel([children, 'All have answered.']), shares),
            helper: greedy(turnModel([[look], [look], 'helped']), shares),
          },
          agents: [helper()],
          tools,
        })
        const { seen, asked } = observed(register)
        const process = { register: seen, settings: { verifyEvery: 0 } }
        const engine = await start(process)
        await start(process)
        const limits = { ...counts, maxCost: cost === null ? null : cost / 1_000_000 }
        const root = await begin(engine, writer(limits))
        await ends()
        await expectRefusalsTold()
        const most = (what: 'tokens' | 'cost'): number =>
          Math.max(0, ...asked.map(({ reservation }) => reservation[what]))
        const used = usedBy([...register.tables.events.values()].flat())
        expect(used.turns).toBeLessThanOrEqual(counts.maxTurns)
        expect(calls + (await register.children(root)).length).toBeLessThanOrEqual(
          counts.maxToolCalls,
        )
        // The first answer of the root is not shared yet: it alone may exceed the limit of its run.
        const first = usedBy(
          await tree.events(root, 'model.completed').then((all) => all.slice(0, 1)),
        )
        const { maxTokens } = counts
        expect(used.tokens).toBeLessThan(Math.max(maxTokens, first.tokens) + most('tokens'))
        const maxCost = cost ?? Infinity
        expect(used.cost).toBeLessThan(Math.max(maxCost, first.cost) + most('cost'))
        // Forgotten with the end of the root.
        await until(async () => register.tables.budgets.size === 0)
        await tree.stop()
      },
    ),
    { numRuns: 6 },
  )
})

test('as many of twenty are asked at once as fit, the last one overlapping; the others end in words', async () => {
  const { promise: go, resolve: goOn } = Promise.withResolvers<void>()
  let inFlight = 0
  const { start, begin, ends, register } = family({
    plays: {
      writer: turnModel([children, 'All have answered.']),
      helper: {
        call: async (request, sink, signal) => {
          inFlight += 1
          await go
          return turnModel(['helped']).call(request, sink, signal)
        },
      },
    },
    agents: [helper()],
  })
  const { seen, asked } = observed(register)
  const engine = await start({ register: seen })
  const root = await begin(engine, writer({ maxTokens: 1_015 }))
  await until(async () => asked.length === children.length)
  const [size = 0] = asked.map(({ reservation }) => reservation.tokens)
  expect(asked.every(({ reservation }) => reservation.tokens === size)).toBe(true)
  // The root has used 15 tokens, so 1,000 are left.
  const fitting = Math.ceil(1_000 / size)
  expect(fitting).toBeGreaterThan(2)
  await until(async () => inFlight === fitting)
  const refused = asked.flatMap(({ answer }) => (answer.code === 'refused' ? [answer] : []))
  expect(refused).toHaveLength(children.length - fitting)
  expect(refused[0]).toEqual({
    code: 'refused',
    budget: 'tokens',
    used: fitting * size,
    limit: 1_000,
  })
  goOn()
  const [first, ...others] = await ends()
  // Those that were asked have used less than they had reserved: the root may say its last words.
  expect(first).toBe('completed')
  expect(others.filter((outcome) => outcome === 'completed')).toHaveLength(fitting)
  expect(others.filter((outcome) => outcome === 'budget_exhausted')).toHaveLength(20 - fitting)
  expect(inFlight).toBe(fitting)
  await expectRefusalsTold()
  expect(await tree.events(root, 'child.ended')).toHaveLength(children.length)
})

/** Asks for the last call there is, once it is gone. */
const second = (): AgentDefinition => named('second', [toolSpec('look'), runsOf('clerk')])

test.each([
  { what: 'a tool', last: look },
  { what: 'a run of its own', last: ask('c', 'clerk') },
])(
  'of two children with one call left between them, the second does not get $what',
  async ({ last }) => {
    const { promise: taken, resolve: take } = Promise.withResolvers<void>()
    let calls = 0
    const { start, begin, ends } = family({
      plays: {
        writer: turnModel([[ask('a'), ask('b')], 'done']),
        helper: turnModel([[look], 'helped']),
        second: {
          call: async (...asked) => {
            await taken
            return turnModel([[last], 'never said']).call(...asked)
          },
        },
        clerk: turnModel(['never asked']),
      },
      tools: functionTools({
        look: async () => {
          take()
          return String((calls += 1))
        },
      }),
    })
    let started = 0
    const agents = (name: string) =>
      name === 'helper' ? (started++ === 0 ? helper() : second()) : named(name)
    await begin(await start({ agents }), writer({ maxToolCalls: 3 }))
    const [first, ...others] = await ends()
    expect(first).toBe('completed')
    expect(others).toHaveLength(2)
    expect(new Set(others)).toEqual(new Set(['budget_exhausted', 'completed']))
    expect(calls).toBe(1)
    await expectRefusalsTold()
  },
)

test('the root itself is refused what its children have used', async () => {
  const { start, begin, outcome, event } = family({
    plays: {
      writer: turnModel([[ask('a')], [look], 'never said']),
      helper: turnModel([[look], 'helped']),
    },
    agents: [helper()],
    tools: functionTools({ look: async () => 'seen' }),
  })
  const root = await begin(await start(), writer({ maxTurns: 3 }))
  expect(await outcome(root)).toBe('budget_exhausted')
  expect((await event(root, 'budget.exhausted')).payload).toMatchObject({
    budget: 'turns',
    used: 3,
    limit: 3,
  })
  expect(await lastWords(root)).toContain('[BUDGET EXHAUSTED]')
})
