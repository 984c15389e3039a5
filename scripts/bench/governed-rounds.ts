/**
 * Runs under each kind of governance, in a process of their own and in turns. How fast a process runs one kind and another depends
 * on what it compiled, when, and where that lies in memory: by two parts in a hundred and more, for as long as it lives. So several
 * processes are measured one after the other.
 */
import { fork } from 'node:child_process'
import type { AgentDefinition } from '@signalbox/core'
import { z } from 'zod'
import { Counters, median } from './cost.ts'
import { governedAgent, scriptedModels, type VariantName, variantNames } from './governed.ts'
import { manyRuns } from './measure.ts'
import { ownCpuMs } from './messages.ts'
import { openSetUp, type SetUp } from './set-up.ts'

export const Addresses = z.object({ engineUrl: z.string(), adminUrl: z.string() })
export type Addresses = z.infer<typeof Addresses>

const Round = z.object({
  runsPerSecond: z.number(),
  /** Of the two processes in which governance is: the orchestrator judges what the model says and asks for, the worker results. */
  cpuMsPerRun: z.number(),
})
export type Round = z.infer<typeof Round>

/** Of a run alone, median: `commits` are the transactions that wrote something into its log. */
const Alone = z.object({ commits: z.number(), events: z.number(), effects: z.number() })
export type Alone = z.infer<typeof Alone>

const Measured = z.object({ rounds: z.array(Round), alone: Alone })
/** The rounds of one process: the nth of each kind belong together. */
export const GovernedRounds = z.record(z.enum(variantNames), Measured)
export type GovernedRounds = z.infer<typeof GovernedRounds>

/** Each made once, as a server does: what is known of a definition is known by its object. */
const agents: Readonly<Record<VariantName, AgentDefinition>> = {
  none: governedAgent('none'),
  'stream guardrails': governedAgent('stream guardrails'),
  'pure providers': governedAgent('pure providers'),
  all: governedAgent('all'),
}

const warmUpRuns = 16
const rounds = 8
const load = { runs: 8, inFlight: 8 }
/** One after the other, so that no two appends share a commit; an odd number, so that the median is one of them. */
const aloneRuns = 9

/** Measures in a process of its own. */
export function roundsOfProcess(addresses: Addresses): Promise<GovernedRounds> {
  const child = fork(new URL('governed-main.ts', import.meta.url), [JSON.stringify(addresses)], {
    // Only problems are printed there, and standard output belongs to the report.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  return new Promise((resolve, reject) => {
    child.on('message', (message) => resolve(GovernedRounds.parse(message)))
    child.on('exit', (code) => reject(new Error(`a bench process ended with code ${code}`)))
  })
}

/** Measures in this process. */
export async function measureRounds({ engineUrl, adminUrl }: Addresses): Promise<GovernedRounds> {
  const counters = await Counters.connect(adminUrl)
  const addresses = { dispatcher: 'direct', engineUrl, redisUrl: null } as const
  const setUp = await openSetUp(addresses, { model: scriptedModels() })
  try {
    for (const name of variantNames)
      await manyRuns(setUp, agents[name], { ...load, runs: warmUpRuns })
    const measured = new Map(variantNames.map((name) => [name, new Array<Round>()]))
    for (let n = 0; n < rounds; n++)
      for (const name of rotated(n)) measured.get(name)?.push(await oneRound(setUp, agents[name]))
    const of = async (name: VariantName): Promise<z.infer<typeof Measured>> => ({
      rounds: measured.get(name) ?? [],
      alone: await alone(setUp, counters, agents[name]),
    })
    return {
      none: await of('none'),
      'stream guardrails': await of('stream guardrails'),
      'pure providers': await of('pure providers'),
      all: await of('all'),
    }
  } finally {
    await setUp.close()
    await counters.close()
  }
}

/** Every kind is first as often as the others. */
const rotated = (n: number): readonly VariantName[] =>
  variantNames.map((_, at) => variantNames[(at + n) % variantNames.length] ?? 'none')

async function oneRound(setUp: SetUp, agent: AgentDefinition): Promise<Round> {
  const cpu = await cpuMs(setUp)
  const began = performance.now()
  await manyRuns(setUp, agent, load)
  const seconds = (performance.now() - began) / 1_000
  const spent = (await cpuMs(setUp)) - cpu
  return { runsPerSecond: load.runs / seconds, cpuMsPerRun: spent / load.runs }
}

const cpuMs = async ({ worker }: SetUp): Promise<number> =>
  ownCpuMs() + (await worker.ask({ kind: 'cpu' })).cpuMs

/** The transactions that wrote events of a run, and what they wrote. */
async function alone(setUp: SetUp, counters: Counters, agent: AgentDefinition): Promise<Alone> {
  const runs: Alone[] = []
  for (let n = 0; n < aloneRuns; n++) {
    // The id is one of ours: nothing of it needs quoting.
    const runId = await setUp.run(agent)
    runs.push(
      ...(await counters.query<Alone>(`
        select count(distinct xmin::text)::int as commits, count(*)::int as events,
          (select count(*)::int from signalbox.effect where run_id = '${runId}') as effects
        from signalbox.event where run_id = '${runId}'`)),
    )
  }
  const typical = (pick: (run: Alone) => number): number => median(runs.map(pick))
  return {
    commits: typical((run) => run.commits),
    events: typical((run) => run.events),
    effects: typical((run) => run.effects),
  }
}
