/** What governance costs that lets everything pass: runs per second beside the same runs without it, and commits. */
import { type AgentDefinition, StreamGuardSpec } from '@signalbox/core'
import { createGuardrail } from '../../packages/policies/src/guardrails/create-guardrail.ts'
import { createStreamGuard } from '../../packages/policies/src/guardrails/create-stream-guard.ts'
import { Counters, median, round } from './cost.ts'
import {
  governedAgent,
  ordinaryText,
  pieceChars,
  scriptedModels,
  streamGuards,
  type VariantName,
  variantNames,
} from './governed.ts'
import type { Machine } from './machine.ts'
import { ownCpuMs } from './messages.ts'
import { manyRuns } from './measure.ts'
import { openSetUp, type SetUp } from './set-up.ts'

/** Each made once, as a server does: what is known of a definition is known by its object. */
const agents: Readonly<Record<VariantName, AgentDefinition>> = {
  none: governedAgent('none'),
  'stream guardrails': governedAgent('stream guardrails'),
  'pure providers': governedAgent('pure providers'),
  all: governedAgent('all'),
}

const warmUpRuns = 10
/** The kinds take turns, so that a machine that slows down slows all of them. */
const rounds = 40
const load = { runs: 8, inFlight: 8 }
/** One after the other, so that no two appends share a commit; an odd number, so that the median is one of them. */
const aloneRuns = 9

export interface Governed {
  /** Median of the rounds. */
  readonly runsPerSecond: number
  /** Of the runs per second without governance, in the same round; median of the rounds. */
  readonly ofNone: number
  /** CPU of the two processes in which governance is: the orchestrator judges what the model says and asks for, the worker results. */
  readonly cpuMsPerRun: number
  readonly cpuOfNone: number
  /** Of a run alone, median: `commits` are the transactions that wrote something into its log. */
  readonly perRun: { readonly commits: number; readonly events: number; readonly effects: number }
}

export interface Governance {
  readonly variants: Readonly<Record<VariantName, Governed>>
  /** Of the three stream guardrails over ordinary text, in pieces as a provider sends them. */
  readonly chainMicrosPerChar: number
  readonly aims: { readonly shareOfThroughput: 0.05; readonly extraCommits: 0 }
}

interface Round {
  readonly runsPerSecond: number
  readonly cpuMsPerRun: number
}

/** Measures every kind of governance in one set-up. */
export async function measureGovernance({ postgres }: Machine): Promise<Governance> {
  const counters = await Counters.connect(postgres.adminUrl)
  const addresses = {
    dispatcher: 'direct',
    engineUrl: postgres.engineUrl,
    redisUrl: null,
  } as const
  const setUp = await openSetUp(addresses, scriptedModels())
  try {
    const measured = new Map(variantNames.map((name) => [name, new Array<Round>()]))
    for (const name of variantNames)
      await manyRuns(setUp, agents[name], { ...load, runs: warmUpRuns })
    for (let n = 0; n < rounds; n++)
      for (const name of rotated(n)) measured.get(name)?.push(await oneRound(setUp, agents[name]))
    const none = measured.get('none') ?? []
    const figures = async (name: VariantName): Promise<Governed> => {
      const own = measured.get(name) ?? []
      return {
        runsPerSecond: round(median(own.map((each) => each.runsPerSecond)), 1),
        ofNone: ratio(own, none, (each) => each.runsPerSecond),
        cpuMsPerRun: round(median(own.map((each) => each.cpuMsPerRun))),
        cpuOfNone: ratio(own, none, (each) => each.cpuMsPerRun),
        perRun: await alone(setUp, counters, agents[name]),
      }
    }
    return {
      variants: {
        none: await figures('none'),
        'stream guardrails': await figures('stream guardrails'),
        'pure providers': await figures('pure providers'),
        all: await figures('all'),
      },
      chainMicrosPerChar: measureChain(),
      aims: { shareOfThroughput: 0.05, extraCommits: 0 },
    }
  } finally {
    await setUp.close()
    await counters.close()
  }
}

/** Every kind is first as often as the others. */
const rotated = (n: number): readonly VariantName[] =>
  variantNames.map((_, at) => variantNames[(at + n) % variantNames.length] ?? 'none')

/** Round by round, for a machine is not as fast in each. */
const ratio = (
  own: readonly Round[],
  none: readonly Round[],
  pick: (each: Round) => number,
): number => {
  const base = none.map(pick)
  return round(median(own.map((each, n) => pick(each) / (base[n] ?? Number.NaN))), 3)
}

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
async function alone(
  setUp: SetUp,
  counters: Counters,
  agent: AgentDefinition,
): Promise<Governed['perRun']> {
  const runs: Governed['perRun'][] = []
  for (let n = 0; n < aloneRuns; n++) {
    // The id is one of ours: nothing of it needs quoting.
    const runId = await setUp.run(agent)
    runs.push(
      ...(await counters.query<Governed['perRun']>(`
        select count(distinct xmin::text)::int as commits, count(*)::int as events,
          (select count(*)::int from signalbox.effect where run_id = '${runId}') as effects
        from signalbox.event where run_id = '${runId}'`)),
    )
  }
  const typical = (pick: (run: Governed['perRun']) => number): number => median(runs.map(pick))
  return {
    commits: typical((run) => run.commits),
    events: typical((run) => run.events),
    effects: typical((run) => run.effects),
  }
}

/** Median of five passes over 200 kB, in microseconds per character. */
function measureChain(): number {
  const text = ordinaryText.repeat(Math.ceil(200_000 / ordinaryText.length))
  const guardrails = streamGuards.flatMap(
    (spec) => createGuardrail(StreamGuardSpec.parse(spec)) ?? [],
  )
  const context = { availableTools: [], availableSkills: [], attempt: 0 }
  const passes = Array.from({ length: 5 }, () => {
    const guard = createStreamGuard({ guardrails, context })
    const began = performance.now()
    for (let at = 0; at < text.length; at += pieceChars)
      guard.push('text', text.slice(at, at + pieceChars))
    if (guard.end('text').type !== 'released') throw new Error('ordinary text was objected to')
    return ((performance.now() - began) * 1_000) / text.length
  })
  return round(median(passes), 3)
}

/** The part of the report a human reads. */
export function governanceLines({ variants, chainMicrosPerChar }: Governance): string[] {
  const columns = variantNames.map((name) => ({ name, ...variants[name] }))
  const row = (label: string, cell: (each: (typeof columns)[number]) => string | number): string =>
    label.padEnd(34) + columns.map((each) => String(cell(each)).padStart(18)).join('')
  return [
    'governance that lets everything pass: three stream guardrails (pii, secrets, 100 banned terms), two pure providers',
    row('', (each) => each.name),
    row('runs/s', (each) => each.runsPerSecond),
    row('of the runs/s without', (each) => each.ofNone),
    row('CPU ms per run: both processes', (each) => each.cpuMsPerRun),
    row('of the CPU without', (each) => each.cpuOfNone),
    row('commits per run alone', (each) => each.perRun.commits),
    row('rows per run: event', (each) => each.perRun.events),
    row('rows per run: effect', (each) => each.perRun.effects),
    `guard chain: ${chainMicrosPerChar} µs per character`,
    '',
  ]
}
