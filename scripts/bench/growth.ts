/**
 * What a turn costs the orchestrator late in a long run, and late in a long thread, against an early one: it must not grow with what was
 * said before. The model answers in this process, so no request is written.
 */
import { type AgentDefinition } from '@signalbox/core'
import type { Model } from '@signalbox/engine'
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { median, round } from './cost.ts'
import type { Machine } from './machine.ts'
import { ownCpuMs } from './messages.ts'
import { openSetUp, type SetUp } from './set-up.ts'
import { agentOf, answerOf } from './world.ts'

/** Turns around the tenth, and around the thousandth, of which each window holds as many. */
const window = 400
const early = 10
const late = 1_000
/** Early and late ones are measured by turns: the speed of a machine that others use as well changes within seconds. */
const segment = 40
/**
 * One decision in this many is checked. A check folds what its run has done since the last one: every turn of a long run is folded once,
 * however rare checks are, but of short runs only those before their last check. At this rate that is nearly all of both, so that the ratio
 * tells what a turn costs, and not how many of them were checked.
 */
const verifyEvery = 20
/** Each is measured so many times: the median stands for all. */
const rounds = 3
const delayResolutionMs = 1

export interface Window {
  readonly cpuMsPerTurn: number
  /** The longest time for which the event loop did nothing else. */
  readonly stallMs: number
  /**
   * The most that its thread computed, or collected garbage, between two of its ticks. What a stall takes beyond that, the thread waited
   * for a core that Postgres or another process had.
   */
  readonly busyMs: number
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
  // Checks as rare as they are in production fold most at a time: that is for the stalls. What is compiled and cached late counts for nobody.
  const shipped = await withSetUp(machine, { model: meter.model }, (setUp) => longRun(setUp, meter))
  const settings = { verifyEvery }
  return withSetUp(machine, { model: meter.model, settings }, async (setUp) => {
    const run = await grown(() => longRun(setUp, meter))
    const stallMs = Math.max(run.late.stallMs, shipped.late.stallMs)
    const busyMs = Math.max(run.late.busyMs, shipped.late.busyMs)
    return {
      run: { ...run, late: { ...run.late, stallMs, busyMs } },
      thread: await grown(() => longThread(setUp, meter)),
    }
  })
}

async function withSetUp<Result>(
  machine: Machine,
  options: Parameters<typeof openSetUp>[1],
  measure: (setUp: SetUp) => Promise<Result>,
): Promise<Result> {
  const { engineUrl } = machine.postgres
  const setUp = await openSetUp({ dispatcher: 'direct', engineUrl, redisUrl: null }, options)
  try {
    return await measure(setUp)
  } finally {
    await setUp.close()
  }
}

interface Pair {
  readonly early: Window
  readonly late: Window
}

/** A long run, which waits for its model now and then while short ones are played: each of them passes its tenth turn. */
async function longRun(setUp: SetUp, meter: Meter): Promise<Pair> {
  const [first, last] = [meter.stretches(), meter.stretches()]
  const short = early * 2
  meter.onCall(short, (call) => {
    if (call === 1) first.begin()
    if (call === short) first.end(short - 1)
  })
  const [from, to] = [late - window / 2, late + window / 2]
  meter.onCall(to, async (call) => {
    if (call < from || (call - from) % segment !== 0) return
    if (call > from) {
      // Work that the turns before have left is counted as theirs.
      await setTimeout(restMs)
      last.end(segment)
    }
    if (call === to) return
    for (let n = 0; n < segment / short; n += 1) await setUp.run(agentOf(short))
    await setTimeout(restMs)
    last.begin()
  })
  await setUp.run(agentOf(to))
  return { early: first.window(), late: last.window() }
}

/** For what a process does once a run, or a turn, is over. */
const restMs = 30
const turnsOfShortRun = 2

async function longThread(setUp: SetUp, meter: Meter): Promise<Pair> {
  const [first, last] = [meter.stretches(), meter.stretches()]
  const agent: AgentDefinition = agentOf(turnsOfShortRun)
  const runs = window / turnsOfShortRun
  const threadId = await inOneThread(setUp, agent, late - runs / 2)
  const turns = early * turnsOfShortRun
  for (let left = runs; left > 0; left -= early) {
    await first.around(turns, () => inOneThread(setUp, agent, early))
    await last.around(turns, () => inOneThread(setUp, agent, early, threadId))
  }
  return { early: first.window(), late: last.window() }
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
    stallMs: Math.max(...pairs.map((pair) => pick(pair).stallMs)),
    busyMs: Math.max(...pairs.map((pair) => pick(pair).busyMs)),
  })
  const ratios = pairs.map((pair) => pair.late.cpuMsPerTurn / pair.early.cpuMsPerTurn)
  return {
    early: of((pair) => pair.early),
    late: of((pair) => pair.late),
    ratio: round(median(ratios)),
  }
}

/** Parts of a window that are measured one by one. */
interface Stretches {
  begin(): void
  end(turns: number): void
  around(turns: number, work: () => Promise<unknown>): Promise<void>
  /** All of them together. */
  window(): Window
}

/** Told of a call of the model, from 1, before it answers. */
type OnCall = (call: number) => void | Promise<void>

interface Meter {
  readonly model: Model
  /** Is told of the calls of runs of so many turns. Of each length one run is under way. */
  onCall(turns: number, hear: OnCall): void
  stretches(): Stretches
}

/** A model that answers at once, and the meter of what this process does between its calls. */
function createMeter(): Meter {
  const delays = monitorEventLoopDelay({ resolution: delayResolutionMs })
  delays.enable()
  const busy = watchThread()
  const hearing = new Map<number, OnCall>()
  const calls = new Map<number, number>()
  const model: Model = {
    call: async (request) => {
      const turns = Number(request.model.model)
      const call = (calls.get(turns) ?? 0) + 1
      const isLast = call === turns
      calls.set(turns, isLast ? 0 : call)
      await hearing.get(turns)?.(call)
      return answerOf(request, call - 1, isLast)
    },
  }
  return {
    model,
    onCall: (turns, hear) => void hearing.set(turns, hear),
    stretches: () => createStretches(delays, busy),
  }
}

interface Busy {
  reset(): void
  mostMs(): number
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** The CPU time of this thread between two ticks of its event loop. */
function watchThread(): Busy {
  let [last, most] = [threadCpuMs(), 0]
  const tick = (): void => {
    const now = threadCpuMs()
    most = Math.max(most, now - last)
    last = now
  }
  setInterval(tick, delayResolutionMs).unref()
  return {
    reset() {
      last = threadCpuMs()
      most = 0
    },
    mostMs: () => most,
  }
}

function createStretches(delays: IntervalHistogram, busy: Busy): Stretches {
  let [began, spent, counted, longest, busiest] = [0, 0, 0, 0, 0]
  const begin = (): void => {
    delays.reset()
    busy.reset()
    began = ownCpuMs()
  }
  const end = (turns: number): void => {
    spent += ownCpuMs() - began
    counted += turns
    // The histogram holds the time between two of its ticks, in nanoseconds.
    longest = Math.max(longest, delays.max / 1e6 - delayResolutionMs)
    busiest = Math.max(busiest, busy.mostMs())
  }
  return {
    begin,
    end,
    async around(turns, work) {
      begin()
      await work()
      end(turns)
    },
    window: () => ({
      cpuMsPerTurn: spent / counted,
      stallMs: round(longest, 1),
      busyMs: round(busiest, 1),
    }),
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
  `longest stall ${before.stallMs} → ${after.stallMs} ms, of which the thread itself took at most ` +
  `${before.busyMs} → ${after.busyMs} ms`
