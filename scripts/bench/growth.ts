/**
 * What a turn costs the orchestrator late in a long run, and late in a long thread, against an early one: it must not grow with what was
 * said before. The model answers in this process, so no request is written.
 */
import { type AgentDefinition } from '@signalbox/core'
import type { Model } from '@signalbox/engine'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { median, round } from './cost.ts'
import type { Machine } from './machine.ts'
import { ownCpuMs } from './messages.ts'
import { openSetUp, type SetUp } from './set-up.ts'
import { agentOf, answerOf } from './world.ts'

/**
 * Calls of the model around the tenth, and around the thousandth, of which each window holds as many: several of the sampled checks of
 * the log fall into each, so that it says little whether one more does.
 */
const window = 400
const early = 10
const late = 1_000
/** Each is measured so many times: the median stands for all. */
const rounds = 3
const delayResolutionMs = 1

export interface Window {
  readonly cpuMsPerTurn: number
  /** The longest time for which the event loop did nothing else. */
  readonly stallMs: number
}

export interface Grown {
  readonly early: Window
  readonly late: Window
  /** Of the CPU: 1 is flat. */
  readonly ratio: number
}

export interface Growth {
  /** Turn 1,000 of a run against turn 10. */
  readonly run: Grown
  /** Run 1,000 of a thread, of two turns each, against run 10. */
  readonly thread: Grown
}

/** Measures a long run and a long thread. */
export async function measureGrowth(machine: Machine): Promise<Growth> {
  const meter = createMeter()
  const addresses = {
    dispatcher: 'direct',
    engineUrl: machine.postgres.engineUrl,
    redisUrl: null,
  } as const
  const setUp = await openSetUp(addresses, meter.model)
  try {
    // What is compiled and cached late counts for nobody.
    await longRun(setUp, meter)
    return {
      run: await grown(() => longRun(setUp, meter)),
      thread: await grown(() => longThread(setUp, meter)),
    }
  } finally {
    await setUp.close()
  }
}

interface Pair {
  readonly early: Window
  readonly late: Window
}

async function longRun(setUp: SetUp, meter: Meter): Promise<Pair> {
  // Many short runs, each of which passes its tenth turn: together as many turns as the late window has.
  const turns = early * 2
  meter.from(turns)
  for (let n = 0; n < window / turns; n += 1) await setUp.run(agentOf(turns))
  const first = meter.take()
  meter.from(late + window / 2, late - window / 2)
  await setUp.run(agentOf(late + window / 2))
  return { early: first, late: meter.take() }
}

const turnsOfShortRun = 2

async function longThread(setUp: SetUp, meter: Meter): Promise<Pair> {
  const agent: AgentDefinition = agentOf(turnsOfShortRun)
  const runs = window / turnsOfShortRun
  meter.from(turnsOfShortRun)
  const first = await meter.around(window, async () => {
    for (let left = runs; left > 0; left -= early) await inOneThread(setUp, agent, early)
  })
  const threadId = await inOneThread(setUp, agent, late - runs / 2)
  const last = await meter.around(window, () => inOneThread(setUp, agent, runs, threadId))
  return { early: first, late: last }
}

async function inOneThread(
  setUp: SetUp,
  agent: AgentDefinition,
  runs: number,
  threadId: string = crypto.randomUUID(),
): Promise<string> {
  for (let n = 0; n < runs; n += 1) await setUp.run(agent, threadId)
  return threadId
}

async function grown(measure: () => Promise<Pair>): Promise<Grown> {
  const pairs: Pair[] = []
  for (let n = 0; n < rounds; n += 1) pairs.push(await measure())
  const of = (pick: (pair: Pair) => Window): Window => ({
    cpuMsPerTurn: round(median(pairs.map((pair) => pick(pair).cpuMsPerTurn)), 3),
    stallMs: round(Math.max(...pairs.map((pair) => pick(pair).stallMs)), 1),
  })
  const ratios = pairs.map((pair) => pair.late.cpuMsPerTurn / pair.early.cpuMsPerTurn)
  return {
    early: of((pair) => pair.early),
    late: of((pair) => pair.late),
    ratio: round(median(ratios)),
  }
}

interface Meter {
  readonly model: Model
  /** Counts from the call number `first` of each run that is to come, of runs of `turns` turns. */
  from(turns: number, first?: number): void
  /** The window that was measured since. */
  take(): Window
  /** The window of a work of so many turns, from its first creation of a run to the end of its last. */
  around(turns: number, work: () => Promise<unknown>): Promise<Window>
}

/** A model that answers at once, and counts what this process does between its calls. */
function createMeter(): Meter {
  const delays = monitorEventLoopDelay({ resolution: delayResolutionMs })
  delays.enable()
  let turns = 0
  let first = 0
  let said = 0
  let began = 0
  let spent = 0
  let counted = 0
  const model: Model = {
    call: async (request) => {
      said += 1
      if (said === first + 1) {
        began = ownCpuMs()
        if (counted === 0) delays.reset()
      }
      const isLast = said === turns
      const turn = answerOf(request, said - 1, isLast)
      if (isLast) {
        spent += ownCpuMs() - began
        counted += said - first
        said = 0
      }
      return turn
    },
  }
  const stallMs = (): number =>
    // The histogram holds the time between two of its ticks, in nanoseconds.
    round(Math.max(0, delays.max / 1e6 - delayResolutionMs), 1)
  return {
    model,
    from(ofTurns, firstCall = 0) {
      turns = ofTurns
      first = firstCall
      said = 0
      spent = 0
      counted = 0
    },
    take: () => ({ cpuMsPerTurn: spent / counted, stallMs: stallMs() }),
    async around(ofTurns, work) {
      delays.reset()
      const before = ownCpuMs()
      await work()
      return { cpuMsPerTurn: (ownCpuMs() - before) / ofTurns, stallMs: stallMs() }
    },
  }
}

/** The lines of the report. */
export const growthLines = ({ run, thread }: Growth): string[] => [
  'growth',
  lineOf(`turn ${early} and turn ${late} of a run`, run),
  lineOf(`run ${early} and run ${late} of a thread`, thread),
]

const lineOf = (what: string, { early: before, late: after, ratio }: Grown): string =>
  `  ${what}: ${before.cpuMsPerTurn} → ${after.cpuMsPerTurn} CPU ms per turn of the orchestrator (${ratio} ×), ` +
  `longest stall ${before.stallMs} → ${after.stallMs} ms`
