/**
 * A run is decided by the machine it is pinned to, whatever else a build knows: processes of an older and of a newer build
 * work side by side over one register, and no run notices (house 4.1, D8).
 */
import { type Machines, project, revive } from '@signalbox/core'
import { type Engine, systemClock } from '@signalbox/engine'
import {
  createMemoryRegister,
  createMemoryWakeBus,
  type MemoryRegister,
} from '@signalbox/testing/memory'
import { expect, test } from 'vitest'
import { builds, second } from '../../core/test/support/machine-two.ts'
import { approveFirst, begin, outcomeOf } from './support/governed.ts'
import { killable } from './support/killable.ts'
import { agent, functionTools, toolSpec, turnModel, until, world } from './support/world.ts'

const pays = [{ tool: 'pay', args: { a: 1 } }]
const definition = agent([toolSpec('pay', 'idempotent'), toolSpec('look')], {
  guardrails: { approvalTools: ['pay'] },
})

const typesOf = async (register: MemoryRegister, runId: string) =>
  (await register.events(runId, {})).map(({ type }) => type)

test.each(['as it was cached', 'folded from its log'])(
  'a run that waits for a human goes on where it was, %s, when a newer build takes over',
  async (how) => {
    const register = createMemoryRegister(systemClock)
    let paid = 0
    const tools = functionTools({ pay: async () => (paid += 1) })
    const parts = { model: turnModel([pays, 'done']), tools, register }
    const a = world({ ...parts, machines: builds.before }).engine
    await a.start()
    const runId = await begin(a, definition)
    await until(async () => (await register.head(runId))?.status === 'waiting')
    await a.stop(1_000)
    const row = register.tables.runs.get(runId)
    if (row && how === 'folded from its log') row.state = null

    const b = world({ ...parts, machines: builds.since }).engine
    await b.start()
    expect(await approveFirst(b, register, runId)).toBe('accepted')
    expect(await outcomeOf(register, runId)).toBe('completed')
    expect(paid).toBe(1)
    const types = await typesOf(register, runId)
    expect(types).not.toContain('event.ignored')
    expect(types).not.toContain('state.repaired')
    const later = await begin(b, definition)
    expect((await register.head(later))?.machineVersion).toBe(2)
    await b.stop(1_000)
  },
)

/** Pseudo-random numbers from a seed: the same ones each time. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const look = (n: number) => [{ tool: 'look', args: { n } }]
const plays = [look(1), pays, look(2), [...look(3), ...look(4)], 'done'] as const

interface World {
  readonly register: MemoryRegister
  readonly delivered: string[]
  /** Starts a process of a build; answers the way to kill it. */
  readonly boot: (machines: Machines) => Promise<{ readonly engine: Engine; kill: () => void }>
}

function rolling(): World {
  const register = createMemoryRegister(systemClock)
  const wakeBus = createMemoryWakeBus()
  const delivered: string[] = []
  const boot = async (machines: Machines) => {
    const life = killable(register)
    const tools = functionTools({
      pay: () => sleep(5).then(() => 'paid'),
      look: ({ n }) => sleep(3).then(() => n ?? null),
    })
    const { engine } = world({
      model: turnModel(plays),
      tools,
      wakeBus,
      machines,
      register: life.register,
      webhooks: {
        endpoints: () => [{ on: ['waiting'], origin: 'http://hook', endpoint: 'hook' }],
        deliver: async ({ id }) => {
          delivered.push(id)
          return { code: 'delivered', status: 200 }
        },
      },
      settings: { leaseMs: 150, renewMs: 30, pollMs: 15, redispatchMs: 60 },
    })
    await engine.start()
    return { engine, kill: life.kill }
  }
  return { register, delivered, boot }
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** What was said in a run, its own ids aside. */
async function saidIn(register: MemoryRegister, runId: string): Promise<string> {
  const prompt = project('', await register.events(runId, {}))
  return JSON.stringify(prompt).replaceAll(runId.slice(-12), '<run>')
}

async function undisturbed(machines: Machines): Promise<string> {
  const { register, boot } = rolling()
  const { engine } = await boot(machines)
  const runId = await begin(engine, definition)
  await approveFirst(engine, register, runId)
  await outcomeOf(register, runId)
  await engine.stop(1_000)
  return saidIn(register, runId)
}

const counterOf = (context: object): unknown => ('announced' in context ? context.announced : 0)

test.each([1, 2, 3, 4])(
  'processes of both builds, killed at random (seed %i): each run ends as undisturbed',
  async (seed) => {
    const expected = await undisturbed(builds.since)
    expect(await undisturbed(builds.before)).toBe(expected)
    const unit = seeded(seed * 7_919)
    const { register, delivered, boot } = rolling()
    const processes = await Promise.all(
      [builds.before, builds.since, builds.before, builds.since].map(async (machines) => ({
        machines,
        ...(await boot(machines)),
      })),
    )
    const runs: string[] = []
    for (let n = 0; n < 12; n++) {
      await sleep(20 * unit())
      const at = Math.floor(unit() * processes.length)
      const one = processes[at]
      if (!one) continue
      runs.push(await begin(one.engine, definition))
      const asked = runs[Math.floor(unit() * runs.length)]
      if (asked)
        void approveFirst(
          processes[(at + 1) % processes.length]?.engine ?? one.engine,
          register,
          asked,
        )
      if (unit() < 0.6) {
        one.kill()
        processes[at] = { machines: one.machines, ...(await boot(one.machines)) }
      }
    }
    const last = processes[1]
    if (!last) throw new Error('no process')
    for (const runId of runs) await approveFirst(last.engine, register, runId)
    for (const runId of runs) {
      expect(await outcomeOf(register, runId)).toBe('completed')
      expect(await saidIn(register, runId)).toBe(expected)
      const types = await typesOf(register, runId)
      for (const bad of ['run.faulted', 'event.ignored', 'state.repaired', 'tool.unknown'])
        expect(types).not.toContain(bad)
    }
    const versions = runs.map((runId) => register.tables.runs.get(runId)?.machineVersion)
    expect(new Set(versions)).toEqual(new Set([1, 2]))
    for (const runId of runs.filter((_, n) => versions[n] === second.version)) {
      const head = await register.head(runId)
      const { context } = revive(second, head?.state ?? {})
      expect(counterOf(context)).toBe(plays.length)
      const told = [...register.tables.effects.values()].filter(
        ({ kind, runId: of }) => of === runId && kind === 'webhook.deliver',
      )
      // Besides each turn, that it waited for a human.
      expect(told).toHaveLength(plays.length + 1)
      await until(async () => told.every(({ effectId }) => delivered.includes(effectId)))
    }
    for (const { engine } of processes) await engine.stop(1_000)
  },
  60_000,
)
