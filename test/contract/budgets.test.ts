/**
 * The budget of a tree, of both registers (engine `ports/budget.ts`, G1 and G2): what a reservation is refused for, and that
 * twenty children at once never take more than there is (issue 3, acceptance).
 */
import { type Budget, limits } from '@signalbox/core'
import type { Register, Reservation } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRegister } from '../../packages/postgres/src/register/register.ts'
import {
  about,
  admission,
  birth,
  fact,
  finalDecision,
  newRun,
  type RunIds,
  startEffect,
  toolEffect,
} from '../../packages/postgres/test/support/drafts.ts'
import { useRegister } from '../../packages/postgres/test/support/register.ts'

const bench = useRegister()
const memory = createMemoryRegister({ now: () => 1_790_000_000_000 })
/** Two processes of ten connections: twenty reservations really meet. */
const processes: Register[] = []

beforeAll(() => {
  for (let n = 0; n < 2; n += 1)
    processes.push(createRegister({ engineUrl: bench.database.engineUrl, maxConnections: 10 }))
})
afterAll(() => Promise.all(processes.map((register) => register.close())))

interface Subject {
  readonly name: string
  readonly of: (n: number) => Register
}

const subjects: readonly Subject[] = [
  { name: 'memory', of: () => memory },
  { name: 'postgres', of: (n) => processes[n % 2] ?? bench.register },
]

interface Limits {
  readonly turns: number
  readonly calls: number
  readonly tokens: number
  readonly cost: number | null
}

const plenty: Limits = { turns: 100, calls: 100, tokens: 100_000, cost: 100_000 }
const nothing = { turns: 0, calls: 0, tokens: 0, cost: 0 } as const
const granted = { code: 'ok' }
const refused = (budget: Budget, used: number, limit: number) => ({
  code: 'refused',
  budget,
  used,
  limit,
})

describe.each(subjects)('a reservation of the $name register', ({ of }) => {
  async function tree(over: Partial<Limits> = {}) {
    const { runId: rootId, tenantId } = newRun()
    const child = newRun()
    const open = (more: Partial<Limits>) =>
      of(0).openBudget({ rootId, tenantId, ...plenty, ...over, ...more })
    await open({})
    const id = (n: number) => `${child.runId}.${n}`
    return {
      rootId,
      open,
      take: (n: number, what: Partial<Omit<Reservation, 'rootId' | 'runId' | 'effectId'>>) =>
        of(0).reserve({ rootId, runId: child.runId, effectId: id(n), ...nothing, ...what }),
      spend: (n: number, tokens: number, cost = 0) =>
        of(0).spend({ rootId, effectId: id(n) }, { tokens, cost }),
    }
  }

  it.each(['turns', 'calls'] as const)('takes as many %s as there are', async (what) => {
    const { take } = await tree({ [what]: 2 })
    expect(await take(1, { [what]: 1 })).toEqual(granted)
    expect(await take(2, { [what]: 1 })).toEqual(granted)
    expect(await take(3, { [what]: 1 })).toEqual(refused(what, 2, 2))
    // A repetition is counted already.
    expect(await take(2, { [what]: 1 })).toEqual(granted)
    expect(await take(3, { tokens: 1 })).toEqual(granted)
  })

  it.each([
    ['tokens', 'tokens'],
    ['cost', 'money'],
  ] as const)('takes %s while less than all is spent and reserved', async (what, budget) => {
    const { take, spend } = await tree({ [what]: 100 })
    expect(await take(1, { [what]: 99 })).toEqual(granted)
    expect(await take(2, { [what]: 500 })).toEqual(granted)
    expect(await take(3, { [what]: 1 })).toEqual(refused(budget, 599, 100))
    expect(await take(3, { turns: 1 })).toEqual(granted)
    await spend(2, what === 'tokens' ? 1 : 0, what === 'cost' ? 1 : 0)
    expect(await take(4, { [what]: 1 })).toEqual(refused(budget, 100, 100))
    // Its own reservation does not stand against it.
    expect(await take(1, { [what]: 98 })).toEqual(granted)
    expect(await take(4, { [what]: 1 })).toEqual(granted)
  })

  it('is spent once, whatever is said twice, and by nobody who has none', async () => {
    const { take, spend } = await tree({ tokens: 100 })
    await take(1, { tokens: 50 })
    for (let n = 0; n < 3; n += 1) await spend(1, 60)
    await spend(2, 1000)
    expect(await take(2, { tokens: 50 })).toEqual(granted)
    expect(await take(3, { tokens: 1 })).toEqual(refused('tokens', 110, 100))
  })

  it('that is refused takes nothing, and says the first reason', async () => {
    const { take } = await tree({ turns: 1, calls: 1, tokens: 0, cost: 0 })
    const all = { turns: 1, calls: 1, tokens: 1, cost: 1 } as const
    for (let n = 0; n < 2; n += 1) expect(await take(1, all)).toEqual(refused('tokens', 0, 0))
    expect(await take(1, { ...all, tokens: 0 })).toEqual(refused('money', 0, 0))
    expect(await take(1, { turns: 1 })).toEqual(granted)
    expect(await take(2, all)).toEqual(refused('turns', 1, 1))
    expect(await take(2, { ...all, turns: 0 })).toEqual(refused('tokens', 0, 0))
  })

  it('has no limit where the money has none, and the first budget stays', async () => {
    const { take, open } = await tree({ cost: null, turns: 1 })
    expect(await take(1, { cost: 1_000_000_000 })).toEqual(granted)
    expect(await take(2, { cost: 1 })).toEqual(granted)
    await open({ turns: 5, cost: 0 })
    expect(await take(3, { turns: 1, cost: 1 })).toEqual(granted)
    expect(await take(4, { turns: 1 })).toEqual(refused('turns', 1, 1))
  })

  it('without a budget is for the run at the top alone', async () => {
    const { runId } = newRun()
    const share = { rootId: runId, effectId: `${runId}.1`, turns: 1, calls: 0 } as const
    const asked = { ...share, tokens: 1, cost: 0 }
    expect(await of(0).reserve({ ...asked, runId })).toEqual(granted)
    expect(await of(0).reserve({ ...asked, runId: newRun().runId })).toEqual(
      refused('tokens', 0, 0),
    )
  })
})

const reserved = fc.record({ tokens: fc.nat({ max: 100 }), cost: fc.nat({ max: 100 }) })

/** What one effect does: takes a share, uses a part of it, says so or vanishes. */
const step = fc.record({
  kind: fc.constantFrom('turn', 'call'),
  most: reserved,
  part: fc.nat({ max: 100 }),
  vanishes: fc.nat({ max: 9 }).map((n) => n === 0),
})

const plan = fc.record({
  limits: fc.record({
    turns: fc.nat({ max: 40 }),
    calls: fc.nat({ max: 40 }),
    tokens: fc.nat({ max: 2000 }),
    cost: fc.option(fc.nat({ max: 2000 })),
  }),
  children: fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), {
    minLength: 20,
    maxLength: 20,
  }),
})

type Plan = typeof plan extends fc.Arbitrary<infer P> ? P : never
type Step = Plan['children'][number][number]

/** A tree of twenty children, each with an effect per step. */
async function family(register: Register, { children }: Plan) {
  const top = newRun()
  const starts = children.map((_, n) => startEffect(top, n))
  await register.append(admission(top, { effects: starts }))
  const runs = children.map(() => newRun())
  const results = await register.appendMany(
    runs.map((run, n) => {
      const effects = children[n]?.map((_, k) => toolEffect(run, k)) ?? []
      const { create } = birth(run, top, { n })
      return { ...admission(run, { effects }), ...(create ? { create } : {}) }
    }),
  )
  expect(results.every(({ decisionCode }) => decisionCode === 'ok')).toBe(true)
  return { top, runs }
}

const used = ({ most, part }: Step) => ({
  tokens: Math.floor((most.tokens * part) / 100),
  cost: Math.floor((most.cost * part) / 100),
})

async function live(
  register: Register,
  { top, run, steps }: { readonly top: RunIds; readonly run: RunIds; readonly steps: Step[] },
) {
  const taken: Step[] = []
  for (const [n, each] of steps.entries()) {
    const { kind, most, vanishes } = each
    const [turns, calls] = kind === 'turn' ? ([1, 0] as const) : ([0, 1] as const)
    const id = { rootId: top.runId, effectId: `${run.runId}.${n}` }
    const answer = await register.reserve({ ...id, runId: run.runId, turns, calls, ...most })
    if (n === 1) await register.settleBudgets()
    if (answer.code !== 'ok') continue
    taken.push(each)
    if (!vanishes) await register.spend(id, used(each))
  }
  return taken
}

const sum = (all: readonly number[]) => all.reduce((a, b) => a + b, 0)

describe.each(subjects)('twenty children on the $name register', ({ name, of }) => {
  it('never exceed the budget by more than one reservation, in turns and calls never', async () => {
    await fc.assert(
      fc.asyncProperty(plan, async (given) => {
        const { top, runs } = await family(of(0), given)
        const { runId: rootId, tenantId } = top
        const lives = given.children.map(async (steps, n) => {
          // Each says again what the first of them has said.
          await of(n).openBudget({ rootId, tenantId, ...given.limits })
          return live(of(n), { top, run: runs[n] ?? top, steps })
        })
        const taken = (await Promise.all(lives)).flat()
        expect(taken.filter(({ kind }) => kind === 'turn').length).toBeLessThanOrEqual(
          given.limits.turns,
        )
        expect(taken.filter(({ kind }) => kind === 'call').length).toBeLessThanOrEqual(
          given.limits.calls,
        )
        const told = taken.filter(({ vanishes }) => !vanishes).map(used)
        for (const what of ['tokens', 'cost'] as const) {
          const limit = given.limits[what] ?? Infinity
          const largest = Math.max(0, ...taken.map(({ most }) => most[what]))
          const spent = sum(told.map((each) => each[what]))
          const held = sum(taken.filter((each) => each.vanishes).map(({ most }) => most[what]))
          expect(spent + held).toBeLessThan(limit + Math.max(1, largest))
        }
        await expectSettled(
          of(0),
          { top, runs, spent: sum(told.map((each) => each.tokens)) },
          given,
        )
      }),
      { numRuns: name === 'memory' ? 100 : Number(process.env['BUDGET_RUNS'] ?? 20) },
    )
  })
})

/** When the children have ended, nothing is held any more, and what was spent is all that counts. */
async function expectSettled(
  register: Register,
  { top, runs, spent }: { top: RunIds; runs: readonly RunIds[]; spent: number },
  given: Plan,
): Promise<void> {
  const end = { facts: [fact('x.done')], decision: finalDecision(2, 4) }
  await register.appendMany(runs.map((run) => ({ ...about(run), ...end })))
  await register.settleBudgets()
  const what = { turns: 0, calls: 0, tokens: 1, cost: 0 } as const
  const id = { rootId: top.runId, runId: top.runId, effectId: `${top.runId}.99` }
  const limit = given.limits.tokens
  expect(await register.reserve({ ...id, ...what })).toEqual(
    spent < limit ? granted : refused('tokens', spent, limit),
  )
  expect(await register.children(top.runId)).toHaveLength(Math.min(20, limits.childrenMax))
}
