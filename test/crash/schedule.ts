/** One schedule: the workload on a stack, one fault in the middle of it, and the checks after it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { seeded } from '../simulation/seeded.ts'
import { explainUnknowns, type Unknown, violations } from './check.ts'
import { Client, patient } from './client.ts'
import { leftCommands } from './commands.ts'
import { operate } from './operator.ts'
import type { Stack } from './stack.ts'
import type { Part } from './sending.ts'
import { countOpen, readRuns, type StoredRun } from './tables.ts'
import { send, type Wave } from './workload.ts'
import { forThisMachine } from '../support/for-this-machine.ts'
import { readWorld, type TimedExecution } from './world.ts'

/** What goes wrong in a schedule. */
export interface Fault {
  readonly name: string
  readonly waves: readonly Wave[]
  /** What explains a lost call whose worker was not killed. */
  readonly blame?: string
  /** Before anything is sent. */
  prepare?(stack: Stack): Promise<void>
  /** Arms or plays the fault; it is over when this resolves. `middle` waits until the first tool has run. */
  play(stack: Stack, middle: () => Promise<void>): Promise<void>
  /** After the workload: what did not happen although it should have. */
  missed(stack: Stack): Promise<readonly string[]>
  /** What is sent beside the first wave. */
  readonly parts?: readonly Part[]
  /** How long clients repeat a request. */
  readonly patienceMs?: number
  /** After the fault, everything ends within this. */
  readonly settleMs?: number
  /** What must hold beside the invariants. */
  check?(runs: readonly StoredRun[], executions: readonly TimedExecution[]): readonly string[]
}

export interface Played {
  readonly name: string
  readonly backend: Stack['backend']
  readonly violations: readonly string[]
  readonly missed: readonly string[]
  readonly unknowns: readonly Unknown[]
  readonly kills: number
  readonly runs: number
  readonly events: number
  readonly executions: number
  readonly ms: number
}

/** After the last fault, every run ends within this (I12). */
const settleMsMax = 30_000
const lookMs = 60

let counter = 0

/** Plays a schedule. Violations are answered; only a driver that cannot go on throws. */
export async function playSchedule(stack: Stack, fault: Fault, seed: number): Promise<Played> {
  const began = performance.now()
  counter += 1
  const name = `s${counter}`
  const before = readWorld(stack.world).length
  const heardBefore = stack.receiver.received.length
  const killsBefore = stack.kills.length
  const client = new Client(
    () => stack.child('api').url,
    fault.patienceMs === undefined ? undefined : patient(fault.patienceMs),
  )
  const over = new AbortController()
  const human = operate(client, seeded(seed), over.signal)
  const middle = async (): Promise<void> => {
    const enough = before + 1
    for (let n = 0; n < 100 && readWorld(stack.world).length < enough; n++) await sleep(20)
  }
  const broken: string[] = []
  await fault.prepare?.(stack)
  const faulting = fault.play(stack, middle)
  // It is awaited below. Until then nobody listens, and a rejection without a listener would end the suite.
  faulting.catch(() => {})
  try {
    for (const wave of fault.waves) {
      const { databaseUrl, receiver } = stack
      const setting = { name, client, databaseUrl, receiverUrl: `${receiver.url}/hook` }
      const parts = wave === fault.waves[0] ? (fault.parts ?? []) : []
      await Promise.all([send(setting, wave), ...parts.map((part) => part(setting))])
      if (wave !== fault.waves.at(-1)) await settled(stack, name)
    }
    await faulting
    if (!(await settled(stack, name, fault.settleMs)))
      broken.push('I12 not everything ended in time')
  } catch (error) {
    broken.push(`the workload could not be finished: ${String(error)}`)
  }
  await faulting.catch(() => {})
  over.abort()
  await human
  const missed = await fault.missed(stack)
  await stack.up()
  broken.push(...(await leftCommands(name)))
  const executions = readWorld(stack.world).slice(before)
  const runs = await readRuns(stack.databaseUrl, `${name}-`).catch((error: unknown) => {
    throw new Error([...broken, 'the runs cannot be read'].join('; '), { cause: error })
  })
  const received = stack.receiver.received.slice(heardBefore).map(({ id }) => id)
  const kills = stack.kills.slice(killsBefore)
  return {
    name: fault.name,
    backend: stack.backend,
    violations: [
      ...broken,
      ...violations(runs, { executions, received }, client),
      ...(fault.check?.(runs, executions) ?? []),
    ],
    missed,
    unknowns: explainUnknowns(runs, stack.kills, fault.blame ?? null),
    kills: kills.length,
    runs: runs.length,
    events: runs.reduce((sum, { log }) => sum + log.length, 0),
    executions: executions.length,
    ms: performance.now() - began,
  }
}

/** A schedule whose driver could not go on. It counts as failed, and the others are played. */
export const unplayed = (stack: Stack, fault: Fault, error: unknown): Played => ({
  name: fault.name,
  backend: stack.backend,
  violations: [`it could not be played: ${inspect(error)}`],
  missed: [],
  unknowns: [],
  kills: 0,
  runs: 0,
  events: 0,
  executions: 0,
  ms: 0,
})

/** Waits until every run of the schedule has ended; the operator answers what waits for a human meanwhile. */
async function settled(stack: Stack, name: string, withinMs = settleMsMax): Promise<boolean> {
  const deadline = Date.now() + forThisMachine(withinMs)
  while (Date.now() < deadline) {
    // Postgres itself may be the one that is away.
    const open = await countOpen(stack.databaseUrl, `${name}-`).catch(() => -1)
    if (open === 0) return true
    await sleep(lookMs)
  }
  return false
}
