/**
 * One row that always fails, in each part of the reconciler: the others are looked after. Would catch: a plain loop over rows,
 * a loop that waits for one run, rows that are read first and hide what is behind them, a look that is repeated without a
 * pause because it changed nothing.
 */
import { TerminalError } from '../src/errors.ts'
import type { Clock, Register } from '@signalbox/engine'
import { createMemoryRegister, type MemoryRegister } from '@signalbox/testing/memory'
import { systemClock } from '@signalbox/engine'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { family, named, runsOf, silent } from './support/family.ts'
import { deaf, hurry } from './support/faulty.ts'
import { begin, outcomeOf } from './support/governed.ts'
import { agent, functionTools, toolSpec, turnModel, until, world } from './support/world.ts'

const bads = {
  throws: () => Promise.reject(new Error('the row is bad')),
  'is refused for good': () => Promise.reject(new TerminalError('bad', 'the row is bad')),
  'is never answered': () => new Promise<never>(() => {}),
}
type Bad = keyof typeof bads
const each: readonly Bad[] = ['throws', 'is refused for good', 'is never answered']

/** Waits are a fifth as long as they are told to be. */
const quick: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms / 5, signal) }

/** The register, but for everything that is asked about one run. Its rows are found like all others. */
function badFor(truth: Register, runId: () => string | undefined, bad: Bad): Register {
  return new Proxy(truth, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== 'function') return method
      return (...args: unknown[]) => {
        const id = runId()
        const isAbout = id !== undefined && JSON.stringify(args[0] ?? null).includes(id)
        return isAbout ? bads[bad]() : Reflect.apply(method, target, args)
      }
    },
  })
}

const many = 8

/** A register, what creates runs in it, and what starts an orchestrator that cannot get on with the first of them. */
function bench() {
  const register = createMemoryRegister(systemClock)
  const common = { tools: functionTools({ look: async () => 'seen' }), register, wakeBus: deaf() }
  const model = turnModel([[{ tool: 'look', args: {} }], 'done'])
  const api = world({ ...common, model, roles: [] }).engine
  const runIds: string[] = []
  const start = async (bad: Bad, more: Partial<Parameters<typeof world>[0]> = {}) => {
    const settings = { pollMs: 50, redispatchMs: 500 }
    const skin = badFor(register, () => runIds[0], bad)
    const { engine } = world({ ...common, model, settings, clock: quick, ...more, register: skin })
    onTestFinished(() => void engine.stop(0))
    await engine.start()
    return engine
  }
  const create = async (definition = agent([]), more: Parameters<typeof begin>[2] = {}) => {
    for (let n = 0; n < many; n++) runIds.push(await begin(api, definition, more))
  }
  /** How all but the first ended, once they have. */
  const others = () => Promise.all(runIds.slice(1).map((runId) => outcomeOf(register, runId)))
  return { register, api, runIds, start, create, others }
}

const all = (outcome: string) => Array.from({ length: many - 1 }, () => outcome)

describe.each(each)('one run whose every append %s', { timeout: 20_000 }, (bad) => {
  test('leaves the others decided', async () => {
    const { create, start, others } = bench()
    await create()
    await start(bad)
    expect(await others()).toEqual(all('completed'))
    await create()
    expect(await others()).toContainEqual('completed')
  })

  test('leaves the others admitted', async () => {
    const { create, start, others } = bench()
    await create(agent([]), { delayMs: 1 })
    await setTimeout(5)
    await start(bad)
    expect(await others()).toEqual(all('completed'))
  })

  test('leaves the timers of the others fired', async () => {
    const { register, create, start, runIds, api } = bench()
    await create(agent([], { limits: { timeoutMs: 200 } }))
    const { engine } = world({
      model: silent(),
      tools: functionTools({}),
      register,
      wakeBus: deaf(),
    })
    await engine.start()
    await until(async () => [...register.tables.timers.values()].length === many)
    await engine.stop(0)
    expect(api).toBeDefined()
    await start(bad, { model: silent() })
    const ends = runIds.slice(1).map((runId) => outcomeOf(register, runId))
    expect(await Promise.all(ends)).toEqual(all('timed_out'))
  })

  test('leaves the calls of the others dispatched', async () => {
    const { register, create, start, runIds, others } = bench()
    await create(agent([toolSpec('look')]))
    const lossy = world({
      model: turnModel([[{ tool: 'look', args: {} }], 'done']),
      tools: functionTools({}),
      register,
      wakeBus: deaf(),
      roles: ['orchestrator'],
      settings: { pollMs: 50 },
    })
    await lossy.engine.start()
    await until(async () => calls(register).length === many)
    await lossy.engine.stop(0)
    // The first was taken by a worker that vanished, and must not run again.
    const [first] = calls(register).filter(({ runId }) => runId === runIds[0])
    Object.assign(first ?? {}, {
      status: 'started',
      mode: 'once',
      attempt: 1,
      leaseUntil: 0,
      due: 0,
    })
    hurry(register)
    await start(bad)
    expect(await others()).toEqual(all('completed'))
  })

  test('leaves the others asked to make way', async () => {
    const { register, api, runIds, create, start, others } = bench()
    await create()
    // As it stands when the process of the newer run died right after its append.
    for (const runId of runIds) {
      const { threadId } = register.tables.runs.get(runId) ?? { threadId: '' }
      const newer = await begin(api, agent([]), { threadId })
      Object.assign(register.tables.runs.get(newer) ?? {}, { multitask: 'interrupt' })
    }
    await start(bad, { model: silent() })
    expect(await others()).toEqual(all('cancelled'))
  })

  test.each(['orphans', 'ended children'])(
    'leaves the %s of the others looked after',
    async (what) => {
      const tree = family({
        plays: { writer: turnModel([[ask], 'done']), helper: silent() },
        agents,
      })
      onTestFinished(() => tree.stop())
      const first = await tree.start({ settings: { pollMs: 50 } })
      const roots: string[] = []
      for (let n = 0; n < many; n++) roots.push(await tree.begin(first, writer))
      const children = await Promise.all(roots.map((root) => tree.child(root)))
      await tree.stop()
      const { runs } = tree.register.tables
      const ofWhich = what === 'orphans' ? roots : children
      for (const id of ofWhich)
        Object.assign(runs.get(id) ?? {}, { status: 'ended', outcome: 'cancelled' })
      const skin = badFor(tree.register, () => children[0], bad)
      await tree.start({ register: skin, wakeBus: deaf(), settings: { pollMs: 50 } })
      for (const child of what === 'orphans' ? children.slice(1) : [])
        await until(async () => runs.get(child)?.cancelRequested)
      for (const root of what === 'orphans' ? [] : roots.slice(1))
        await tree.event(root, 'child.ended')
      expect((await tree.register.head(children[0] ?? ''))?.cancelRequested).toBe(false)
    },
  )
})

const ask = { tool: 'agent__helper', args: { prompt: 'go' } }
const writer = named('writer', [runsOf('helper')])
const agents = [named('helper')]

const calls = ({ tables }: MemoryRegister) =>
  [...tables.effects.values()].filter(({ kind }) => kind === 'tool.call')

/** Timers of runs that are not there: nothing can be done about them, and they are due before all others. */
function addBadTimers({ tables }: MemoryRegister, count: number): void {
  for (let n = 0; n < count; n++)
    tables.timers.set(`bad:${n}`, { tenantId: 'x', runId: `bad-${n}`, timerId: 't', fireAt: n + 1 })
}

test('more rows than are read at once hide nothing behind them', { timeout: 20_000 }, async () => {
  const register = createMemoryRegister(systemClock)
  addBadTimers(register, 1_200)
  const { engine } = world({ model: silent(), tools: functionTools({}), register })
  await engine.start()
  onTestFinished(() => void engine.stop(0))
  const runId = await begin(engine, agent([], { limits: { timeoutMs: 100 } }))
  expect(await outcomeOf(register, runId)).toBe('timed_out')
})

/** The register, and how often each method was called. */
function counted(truth: Register) {
  const counts = new Map<string, number>()
  const register = new Proxy(truth, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== 'function') return method
      return (...args: unknown[]) => {
        counts.set(String(name), (counts.get(String(name)) ?? 0) + 1)
        return Reflect.apply(method, target, args)
      }
    },
  })
  return { register, counts, total: () => [...counts.values()].reduce((sum, n) => sum + n, 0) }
}

test.each([
  ['nothing due', () => {}],
  ['a timer that can never be fired', (truth: MemoryRegister) => addBadTimers(truth, 1)],
  ['an effect of a kind that is newer', addNewerEffect],
])('with %s, the register is asked at the pace of the poll', async (_what, prepare) => {
  const truth = createMemoryRegister(systemClock)
  prepare(truth)
  const { register, total } = counted(truth)
  const { engine } = world({
    model: silent(),
    tools: functionTools({}),
    register,
    settings: { pollMs: 200 },
  })
  await engine.start()
  await setTimeout(500)
  const before = total()
  await setTimeout(1_000)
  await engine.stop(0)
  // Nine questions per look, and a look five times a second or a little more often.
  expect(total() - before).toBeLessThanOrEqual(65)
})

function addNewerEffect({ tables }: MemoryRegister): void {
  const about = {
    effectId: 'r.1',
    runId: 'r',
    tenantId: 'x',
    kind: 'newer.kind',
    queue: 'q',
    mode: 'read',
  }
  const state = { status: 'pending', attempt: 0, owner: null, leaseUntil: null, dispatches: 0 }
  const row: unknown = { ...about, ...state, spec: { kind: 'newer.kind' }, notBefore: 0, due: 0 }
  Reflect.apply(tables.effects.set.bind(tables.effects), null, ['r.1', row])
}

test('a question that is never answered is given up, and the age of the last look tells', async () => {
  const truth = createMemoryRegister(systemClock)
  let answers = true
  const register = new Proxy(truth, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== 'function') return method
      return (...args: unknown[]) =>
        answers || name !== 'dueTimers'
          ? Reflect.apply(method, target, args)
          : new Promise(() => {})
    },
  })
  const { engine } = world({
    model: turnModel(['done']),
    tools: functionTools({}),
    register,
    wakeBus: deaf(),
    clock: quick,
  })
  expect(engine.health()).toEqual({ reconcilerAgeMs: null, lookAgeMs: null })
  await engine.start()
  await setTimeout(500)
  expect(engine.health().reconcilerAgeMs).toBeLessThan(300)
  answers = false
  const api = world({ model: silent(), tools: functionTools({}), register, roles: [] })
  const runId = await begin(api.engine, agent([]))
  expect(await outcomeOf(register, runId)).toBe('completed')
  expect(engine.health().reconcilerAgeMs).toBeGreaterThan(800)
  // It goes round all the same: a new process would get no answer either.
  expect(engine.health().lookAgeMs).toBeLessThan(800)
  answers = true
  await until(async () => (engine.health().reconcilerAgeMs ?? Infinity) < 300)
  void engine.stop(0)
})

test('a process without a reconciler has no look', () => {
  const { engine } = world({ model: silent(), tools: functionTools({}), roles: ['worker'] })
  expect(engine.health()).toEqual({ reconcilerAgeMs: null, lookAgeMs: null })
})
