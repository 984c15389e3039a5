/**
 * One simulated schedule: three orchestrators and workers as processes of the real engine, over a register that never
 * lies and hints that do. Clients create runs (and repeat themselves after lost answers), cancel some, and an operator
 * answers what waits for a human.
 */
import { decisionSchemas } from '@signalbox/core'
import { createEngine, type EffectRow, type Register, type StoredEvent } from '@signalbox/engine'
import { createMemoryRegister, type MemoryRegister } from '@signalbox/engine/memory'
import { createHash } from 'node:crypto'
import { simulatedAgent, simulatedModel, simulatedTools, type World } from './actors.ts'
import { violations } from './check.ts'
import { SimulatedBus, SimulatedQueue } from './hints.ts'
import { type Incarnation, startProcess } from './process.ts'
import { Schedule } from './schedule.ts'

export interface Simulated {
  readonly seed: number
  readonly violations: readonly string[]
  readonly trace: string
  readonly steps: number
  readonly crashes: number
  readonly executions: number
  readonly unknown: number
  /** For looking at a failed seed. */
  readonly register: MemoryRegister
}

const faultsEndMs = 4_000
const settleMs = 40_000
const runsPerSeed = 3

const silent = { debug() {}, info() {}, warn() {}, error() {} }

/** Every method of the register as one port call of this life. */
function registerOf(life: Incarnation, real: Register): Register {
  return new Proxy(real, {
    get(target, name, receiver) {
      const method: unknown = Reflect.get(target, name, receiver)
      if (typeof method !== 'function') return method
      return (...args: unknown[]) =>
        life.io(String(name), () => Promise.resolve(Reflect.apply(method, target, args)))
    },
  })
}

function randomOf(schedule: Schedule) {
  let counter = 0
  return {
    unit: schedule.unit,
    hex: (bytes: number) =>
      createHash('sha256')
        .update(`${counter++}`)
        .digest('hex')
        .repeat(2)
        .slice(0, bytes * 2),
    uuid: () => {
      const at = Math.floor(1_700_000_000_000 + schedule.now)
        .toString(16)
        .padStart(12, '0')
      const tail = (counter++).toString(16).padStart(12, '0')
      return `${at.slice(0, 8)}-${at.slice(8)}-7000-8000-${tail}`
    },
  }
}

export async function simulate(seed: number): Promise<Simulated> {
  const schedule = new Schedule(seed)
  const world: World = { schedule, executions: [], complaints: [] }
  const register = createMemoryRegister({ now: () => Math.floor(1_700_000_000_000 + schedule.now) })
  const queue = new SimulatedQueue(schedule)
  const bus = new SimulatedBus(schedule)
  const random = randomOf(schedule)

  const engineOf = (life: Incarnation, roles: readonly ('orchestrator' | 'worker')[]) =>
    createEngine({
      register: registerOf(life, register),
      dispatcher: queue.dispatcher(life),
      hintSource: roles.includes('worker') ? queue.source(life) : null,
      wakeBus: bus.of(life),
      model: roles.includes('orchestrator') ? simulatedModel(world, life) : null,
      tools: roles.includes('worker') ? simulatedTools(world, life) : null,
      clock: life.clock,
      random,
      log: silent,
      roles,
      settings: {
        owner: life.owner,
        leaseMs: 300,
        renewMs: 60,
        pollMs: 150,
        redispatchMs: 400,
        modelConcurrency: 2,
        queues: [{ queue: 'tools', concurrency: 2 }],
        verifyEvery: 3,
        cachedRuns: 20,
      },
    })

  const boot = (roles: readonly ('orchestrator' | 'worker')[]) => (life: Incarnation) =>
    void engineOf(life, roles).start()
  const processes: readonly [string, (life: Incarnation) => void][] = [
    ['o1', boot(['orchestrator'])],
    ['o2', boot(['orchestrator'])],
    ['w1', boot(['worker'])],
    ['w2', boot(['worker'])],
    ['b1', boot(['orchestrator', 'worker'])],
    ['client', (life) => void client(seed, life, engineOf(life, []))],
    ['operator', (life) => void operator(life, register, engineOf(life, []))],
  ]
  for (const [name, start] of processes) startProcess(schedule, name, start)

  for (let n = 0; n < 3; n++)
    schedule.after(schedule.between(0, faultsEndMs), () => schedule.chance(0.5) && queue.flush())
  schedule.after(faultsEndMs, () => (schedule.faults = false))

  await schedule.play(faultsEndMs + settleMs, () => isSettled(schedule, register))
  return {
    seed,
    violations: violations(world, register),
    trace: schedule.trace.digest('hex'),
    steps: schedule.steps,
    crashes: schedule.crashes,
    executions: world.executions.length,
    register,
    unknown: [...register.tables.events.values()]
      .flat()
      .filter((event) => event.type === 'tool.unknown').length,
  }
}

function isSettled(schedule: Schedule, { tables }: MemoryRegister): boolean {
  return (
    !schedule.faults &&
    tables.runs.size === runsPerSeed &&
    [...tables.runs.values()].every((run) => run.status === 'ended')
  )
}

type SimulatedEngine = ReturnType<typeof createEngine>

const caller = { tenantId: 'default', actor: 'user:simulated' }

/** Creates the runs under idempotency keys, repeating after each lost answer, also from its next life. */
async function client(
  seed: number,
  life: Incarnation,
  { commands }: SimulatedEngine,
): Promise<void> {
  const { schedule } = life.process
  for (let n = 0; n < runsPerSeed; n++) {
    const threadId = n === 2 ? 't0' : `t${n}`
    const definition = simulatedAgent((seed + n) % 2 === 0 ? 'tell' : 'ask', seed * 10 + n)
    const created = await commands
      .createRun({
        ...caller,
        threadId,
        definition,
        input: [{ id: `u${n}`, role: 'user', parts: [{ type: 'text', text: `go ${n}` }] }],
        metadata: {},
        alias: { key: `key-${n}`, bodyHash: `body-${n}` },
      })
      .catch(() => null)
    await life.clock.sleep(schedule.between(0, 200))
    if (!created || !('runId' in created) || (seed + n) % 4 !== 0) continue
    await life.clock.sleep(schedule.between(0, 400))
    await commands
      .cancel({ ...caller, runId: created.runId, action: 'interrupt' })
      .catch(() => null)
  }
}

/** Answers what waits for a human, after a while, with any of the possible answers. */
async function operator(
  life: Incarnation,
  register: MemoryRegister,
  engine: SimulatedEngine,
): Promise<void> {
  const { schedule } = life.process
  for (;;) {
    await life.clock.sleep(schedule.between(100, 300))
    const alive = [...register.tables.runs.values()].filter((run) => run.status !== 'ended')
    for (const { runId } of alive) {
      await resolveAll(schedule, await register.openEffects(runId), engine)
      await approveAll(schedule, await register.events(runId, {}), engine)
    }
  }
}

async function resolveAll(
  schedule: Schedule,
  effects: readonly EffectRow[],
  { commands }: SimulatedEngine,
): Promise<void> {
  for (const { effectId, runId, status } of effects) {
    if (status !== 'unknown') continue
    const pick = schedule.unit()
    const resolution = pick < 0.3 ? 'retry' : pick < 0.6 ? 'happened' : 'not_happened'
    await commands.resolveUnknown({ ...caller, runId, effectId, resolution }).catch(() => null)
  }
}

async function approveAll(
  schedule: Schedule,
  log: readonly StoredEvent[],
  { commands }: SimulatedEngine,
): Promise<void> {
  for (const { type, runId, payload } of log) {
    if (type !== 'approval.requested') continue
    const { callId } = decisionSchemas['approval.requested'].parse(payload)
    const decision = schedule.chance(0.7) ? 'approve' : 'reject'
    await commands.answerApproval({ ...caller, runId, callId, decision }).catch(() => null)
  }
}
