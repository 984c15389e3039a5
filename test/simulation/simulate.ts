/**
 * One simulated schedule: three orchestrators and workers as processes of the real engine, over a register that keeps what
 * it is told and hints that do not. A client creates runs (and repeats itself after lost answers) and cancels some, two
 * people answer what waits for a human, and in some seeds every policy is switched off at one moment. Bad days (`days.ts`) are
 * wrong for longer than a call takes.
 */
import { outlivesRun } from '@signalbox/core'
import { createEngine, type Role } from '@signalbox/engine'
import { createStreamGuardrails } from '@signalbox/policies'
import type { MemoryRegister } from '@signalbox/testing/memory'
import { createHash } from 'node:crypto'
import { simulatedAgents } from './agents.ts'
import { eitherOf, forgetful, machinesOf } from './builds.ts'
import { violations } from './check.ts'
import { countsOf, eventsOf } from './counts.ts'
import { countedRegister } from './histories.ts'
import { SimulatedBus, SimulatedQueue } from './hints.ts'
import { filingOf } from './files.ts'
import { simulatedModel } from './model.ts'
import { type Crowd, crowdOf } from './crowd.ts'
import { crowdClient } from './crowd-client.ts'
import { isCurious, isRerun, isSatisfied, repeating } from './curious.ts'
import { isNaming, namer } from './naming.ts'
import { unreported } from './outages.ts'
import { isPausing, pauser } from './pauses.ts'
import { client, type Office, operator, runsPerSeed, type SimulatedEngine } from './people.ts'
import { simulatedPolicies } from './policies.ts'
import { type Incarnation, startProcess } from './process.ts'
import { promptViolations } from './prompts.ts'
import { registerOf, tamperedWith } from './register.ts'
import { simulatedReceiver } from './receiver.ts'
import { epoch, Schedule } from './schedule.ts'
import { isSpokenTo, speaker } from './steering.ts'
import { simulatedTools } from './tools.ts'
import { isVictim, wayOf, withVictim } from './victims.ts'
import type { World } from './world.ts'

export interface Simulated {
  readonly seed: number
  readonly violations: readonly string[]
  readonly trace: string
  readonly steps: number
  readonly crashes: number
  readonly executions: number
  readonly unknown: number
  /** Runs by their outcomes, and events of governance by their types. */
  readonly counts: Readonly<Record<string, number>>
  /** For looking at a failed seed. */
  readonly register: MemoryRegister
}

const settleMs = 40_000
/** How many seeds have a kill switch that is thrown. */
const killed = 0.3
/** How many have a register that somebody has been at. */
const tamperedSeeds = 0.02

const silent = { debug() {}, info() {}, warn() {}, error() {} }

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
      const at = Math.floor(epoch + schedule.now)
        .toString(16)
        .padStart(12, '0')
      const tail = (counter++).toString(16).padStart(12, '0')
      return `${at.slice(0, 8)}-${at.slice(8)}-7000-8000-${tail}`
    },
  }
}

export async function simulate(seed: number): Promise<Simulated> {
  const schedule = new Schedule(seed)
  const killedAt = schedule.chance(killed)
    ? epoch + Math.floor(schedule.between(0, 4_000))
    : Infinity
  const tampered = schedule.chance(tamperedSeeds)
  const crowd = crowdOf(seed)
  // Crowds and reruns wait for each of their runs.
  const isPlain = crowd === null && !isCurious(seed)
  const way = isPlain ? wayOf(seed, schedule.day.kind) : null
  const { isFiling, isByHand } = filingOf(seed)
  // A seed that repeats runs has none that was written by hand.
  const files = { isFiling, isByHand: isByHand && !isCurious(seed) }
  const world = worldOf(schedule, { killedAt, tampered, crowd, way, ...files })
  const counted = countedRegister(seed, { now: () => Math.floor(epoch + schedule.now) })
  const { register } = counted
  const tamperedOrNot = tampered ? tamperedWith(schedule, register) : register
  const seen = forgetful(schedule, withVictim(tamperedOrNot, register, world.way))
  const queue = new SimulatedQueue(schedule)
  const bus = new SimulatedBus(schedule)
  const random = randomOf(schedule)
  const agents = simulatedAgents()

  const engineOf = (life: Incarnation, roles: readonly Role[], machines = machinesOf(life)) =>
    createEngine({
      machines,
      register: registerOf(life, seen, register),
      dispatcher: queue.dispatcher(life),
      hintSource: roles.includes('worker') ? queue.source(life) : null,
      wakeBus: bus.of(life),
      model: roles.includes('orchestrator') ? simulatedModel(world, register, life) : null,
      tools: roles.includes('worker') ? simulatedTools(world, register, life) : null,
      policies: simulatedPolicies(world, register, life),
      guardrails: createStreamGuardrails(() => null),
      webhooks: simulatedReceiver(world, register, life),
      agents,
      checkArguments: (_spec, { n }) => (typeof n === 'number' ? null : 'n must be a number'),
      clock: life.clock,
      random,
      log: silent,
      roles,
      settings: {
        owner: life.owner,
        leaseMs: 300,
        renewMs: 100,
        pollMs: 150,
        redispatchMs: 400,
        modelConcurrency: 2,
        webhookConcurrency: 2,
        queues: [{ queue: 'tools', concurrency: 2 }],
        verifyEvery: 8,
        cachedRuns: 20,
      },
    })

  const officeOf = (life: Incarnation): Office => {
    const engine = eitherOf(life, (machines) => engineOf(life, [], machines))
    return { world, register, engine }
  }
  const boot = (roles: readonly Role[]) => (life: Incarnation) => {
    const engine = engineOf(life, roles)
    void engine.start()
    if (schedule.day.kind === 'handover') handOver(life, engine)
  }
  const processes: readonly [string, (life: Incarnation) => void][] = [
    ['o1', boot(['orchestrator'])],
    ['o2', boot(['orchestrator'])],
    ['w1', boot(['worker'])],
    ['w2', boot(['worker'])],
    ['b1', boot(['orchestrator', 'worker'])],
    ...clientsOf(seed, crowd, officeOf),
    ...(crowd === null ? curiousOf(seed, officeOf) : []),
    ['ann', (life) => void operator(0, life, officeOf(life))],
    ['bob', (life) => void operator(1, life, officeOf(life))],
  ]
  for (const [name, start] of processes) startProcess(schedule, name, start)
  if (isPausing(seed)) startProcess(schedule, 'pat', (life) => void pauser(life, officeOf(life)))
  if (isNaming(seed)) startProcess(schedule, 'nia', (life) => void namer(life, officeOf(life)))
  if (isSpokenTo(seed)) startProcess(schedule, 'eve', (life) => void speaker(life, officeOf(life)))

  const { faultsEndMs } = schedule.day
  for (let n = 0; n < 3; n++)
    schedule.after(schedule.between(0, faultsEndMs), () => schedule.chance(0.5) && queue.flush())
  schedule.after(faultsEndMs, () => (schedule.faults = false))

  const isRepeated = () => !isCurious(seed) || crowd !== null || isSatisfied(register)
  await schedule.play(faultsEndMs + settleMs, () => isRepeated() && isSettled(world, register))
  world.complaints.push(...(await promptViolations(world, register)))
  return {
    seed,
    violations: violations(world, counted),
    trace: schedule.trace.digest('hex'),
    steps: schedule.steps,
    crashes: schedule.crashes,
    executions: world.executions.length,
    register,
    unknown: eventsOf(register).filter(({ type }) => type === 'tool.unknown').length,
    counts: countsOf(register, world),
  }
}

/** Stops a process as it should be, after a while; it starts again. */
function handOver(life: Incarnation, engine: SimulatedEngine): void {
  const { schedule } = life.process
  life.later(schedule.between(200, 2_000), () => {
    if (!schedule.faults) return
    const graceMs = schedule.chance(0.5) ? 0 : schedule.between(0, 400)
    void engine.stop(graceMs).then(() => life.alive && life.process.end('has stopped'))
  })
}

/** How long nobody answers what waits for a human where nobody attends to it. */
const unattendedMs = 11_000

function worldOf(
  schedule: Schedule,
  {
    crowd,
    ...about
  }: Pick<World, 'killedAt' | 'tampered' | 'way' | 'isFiling' | 'isByHand'> & {
    readonly crowd: Crowd | null
  },
): World {
  return {
    ...about,
    schedule,
    executions: [],
    returned: [],
    looks: [],
    unsettled: new Set(),
    told: [],
    names: [],
    wishes: crowd?.wishes.flat() ?? [],
    answers: new Map(),
    attendedFrom: crowd?.unattended === true ? unattendedMs : 0,
    asked: [],
    prompts: new Map(),
    spoken: [],
    heard: new Set(),
    lastAsked: new Map(),
    received: [],
    complaints: [],
  }
}

/** One client, or those of a crowd. */
const clientsOf = (
  seed: number,
  crowd: Crowd | null,
  officeOf: (life: Incarnation) => Office,
): readonly [string, (life: Incarnation) => void][] =>
  crowd === null
    ? [['client', (life) => void client(seed, life, officeOf(life))]]
    : crowd.wishes.map((wishes, n) => [
        `client${n}`,
        (life) => void crowdClient({ seed, wishes }, life, officeOf(life)),
      ])

/** Whoever repeats its runs, if anybody does. */
const curiousOf = (
  seed: number,
  officeOf: (life: Incarnation) => Office,
): readonly [string, (life: Incarnation) => void][] =>
  isCurious(seed) ? [['eve', (life) => void repeating(seed, life, officeOf(life))]] : []

function isSettled(world: World, register: MemoryRegister): boolean {
  const { schedule, wishes, answers, way } = world
  const { tables } = register
  if (schedule.faults) return false
  const runs = [...tables.runs.values()].filter(({ machine }) => machine !== 'ledger')
  const asked =
    wishes.length > 0
      ? wishes.every(({ key }) => answers.has(key))
      : runs.filter((run) => run.parent === null && !isRerun(run)).length === runsPerSeed
  const isOver = (runId: string): boolean =>
    tables.runs.get(runId)?.status === 'ended' || isVictim(register, way, runId)
  return (
    asked &&
    runs.every(({ runId }) => isOver(runId)) &&
    isTold(world, register) &&
    isReported(world, register)
  )
}

/** Is each result in the log of its run? */
const isReported = (world: World, register: MemoryRegister): boolean =>
  [...register.tables.runs.values()].every(
    (head) =>
      isVictim(register, world.way, head.runId) ||
      unreported(world, { head, log: register.tables.events.get(head.runId) ?? [] }).length === 0,
  )

/** Has everybody been told once who is to be told, is nobody being told just now, and is each title made? */
const isTold = ({ schedule: { now }, way }: World, register: MemoryRegister): boolean =>
  [...register.tables.effects.values()]
    .filter(({ kind, runId }) => outlivesRun(kind) && !isVictim(register, way, runId))
    .every(
      ({ status, attempt, notBefore }) =>
        status === 'done' || (status === 'pending' && attempt > 0 && notBefore > epoch + now),
    )
