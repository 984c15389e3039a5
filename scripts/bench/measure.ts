/** Measures one set-up: runs alone, runs under load, and what they cost. */
import type { AgentDefinition } from '@signalbox/core'
import { Counters, cpuMsOf, median, perRun, round, type Written } from './cost.ts'
import type { Machine } from './machine.ts'
import { ownCpuMs } from './messages.ts'
import type { BenchOptions, DispatcherName } from './options.ts'
import { openSetUp, type SetUp } from './set-up.ts'
import { type Steps, stepsOf } from './steps.ts'
import { agentOf } from './world.ts'

/** One run of the bench: ten model turns, and a tool call after each but the last. */
const turns = 10
export const stepsPerRun = turns + (turns - 1)
const warmUpRuns = 40
const aloneRuns = 30

export interface Figures {
  /** With `--in-flight` runs at a time. */
  readonly runsPerSecond: number
  readonly alone: {
    readonly wallMsMedian: number
    /** A model turn or a tool call, on average. */
    readonly perStepMs: number
    /** Median by kind; their sum over a run is less than the run's median where times vary. */
    readonly stepMs: Steps
  }
  /** Null where there is no /proc to read it from, or no such server. */
  readonly cpuMsPerRun: {
    readonly orchestrator: number
    readonly worker: number
    readonly node: number
    readonly postgres: number | null
    readonly redis: number | null
  }
  /** `transactions` is an average over all runs of the set-up, its opening included. */
  readonly perRun: Written
}

/** What `around` does while the load runs; it is given what to profile. */
export type Around = (setUp: SetUp, load: () => Promise<void>) => Promise<void>

/** Measures a set-up, or says why it cannot be. */
export async function measureSetUp(
  machine: Machine,
  request: { readonly dispatcher: DispatcherName; readonly options: BenchOptions },
  around: Around = (_, load) => load(),
): Promise<Figures | string> {
  const { dispatcher, options } = request
  const redis = dispatcher === 'bullmq-redis' ? machine.redis : null
  if (typeof redis === 'string') return redis
  const counters = await Counters.connect(machine.postgres.adminUrl)
  const opened = await counters.read()
  const setUp = await openSetUp({
    dispatcher,
    engineUrl: machine.postgres.engineUrl,
    redisUrl: redis?.url ?? null,
  })
  const agent = agentOf(turns)
  let closed = false
  try {
    await manyRuns(setUp, agent, { runs: warmUpRuns, inFlight: 10 })
    const alone = await measureAlone(setUp, agent)
    const before = await snapshot(machine, setUp, counters)
    await around(setUp, () => manyRuns(setUp, agent, options))
    const after = await snapshot(machine, setUp, counters)
    await setUp.close()
    closed = true
    const all = perRun(opened, await counters.read(), warmUpRuns + aloneRuns + options.runs)
    const written = perRun(before.written, after.written, options.runs)
    const cpu = (pick: (each: typeof before) => number | null): number | null =>
      differencePerRun(pick(before), pick(after), options.runs)
    const [orchestrator, worker] = [cpu((each) => each.own) ?? 0, cpu((each) => each.worker) ?? 0]
    return {
      runsPerSecond: round((options.runs * 1_000) / (after.at - before.at), 1),
      alone,
      cpuMsPerRun: {
        orchestrator,
        worker,
        node: round(orchestrator + worker),
        postgres: cpu((each) => each.postgres),
        redis: redis === null ? null : cpu((each) => each.redis),
      },
      // Backends report what they committed when they end, at the latest.
      perRun: { ...written, transactions: all.transactions },
    }
  } finally {
    if (!closed) await setUp.close().catch(() => {})
    await counters.close()
  }
}

/** Runs of an agent, `inFlight` at a time. */
export async function manyRuns(
  setUp: Pick<SetUp, 'run'>,
  agent: AgentDefinition,
  load: { readonly runs: number; readonly inFlight: number },
): Promise<void> {
  let left = load.runs
  const lane = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      await setUp.run(agent)
    }
  }
  await Promise.all(Array.from({ length: Math.min(load.inFlight, load.runs) }, lane))
}

async function measureAlone(setUp: SetUp, agent: AgentDefinition): Promise<Figures['alone']> {
  const walls: number[] = []
  await setUp.takeMarks()
  for (let n = 0; n < aloneRuns; n++) {
    const began = performance.now()
    await setUp.run(agent)
    walls.push(performance.now() - began)
  }
  const wallMs = median(walls)
  return {
    wallMsMedian: round(wallMs),
    perStepMs: round(wallMs / stepsPerRun),
    stepMs: stepsOf(await setUp.takeMarks()),
  }
}

async function snapshot(machine: Machine, setUp: SetUp, counters: Counters) {
  const written = await counters.read()
  const { cpuMs: worker } = await setUp.worker.ask({ kind: 'cpu' })
  const postgres = await cpuMsOf(machine.postgres.pid)
  const redis = typeof machine.redis === 'string' ? null : await cpuMsOf(machine.redis.pid)
  return { at: performance.now(), own: ownCpuMs(), worker, postgres, redis, written }
}

function differencePerRun(before: number | null, after: number | null, runs: number) {
  return before === null || after === null ? null : round((after - before) / runs)
}
