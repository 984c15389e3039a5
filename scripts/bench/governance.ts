/** The cost of governance that lets everything pass: runs per second and CPU beside the same runs without it, and commits. */
import { StreamGuardSpec } from '@signalbox/core'
import { createGuardrail } from '../../packages/policies/src/guardrails/create-guardrail.ts'
import { createStreamGuard } from '../../packages/policies/src/guardrails/create-stream-guard.ts'
import { median, round } from './cost.ts'
import {
  ordinaryText,
  pieceChars,
  streamGuards,
  type VariantName,
  variantNames,
} from './governed.ts'
import { type Alone, type GovernedRounds, type Round, roundsOfProcess } from './governed-rounds.ts'
import type { Machine } from './machine.ts'

/** One after the other, with eight rounds each. */
const processes = 7

export interface Governed {
  /** Median of all rounds. */
  readonly runsPerSecond: number
  /** Of the runs per second without governance, in the same round; median of all rounds. */
  readonly ofNone: number
  readonly cpuMsPerRun: number
  readonly cpuOfNone: number
  /** The same of each process by itself. */
  readonly cpuOfNoneByProcess: readonly number[]
  readonly perRun: Alone
}

export interface Governance {
  readonly variants: Readonly<Record<VariantName, Governed>>
  /** Of the three stream guardrails over ordinary text, in pieces as a provider sends them. */
  readonly chainMicrosPerChar: number
  readonly aims: { readonly shareOfCpu: 0.05; readonly extraCommits: 0 }
}

/** Measures every kind of governance in several processes. */
export async function measureGovernance({ postgres }: Machine): Promise<Governance> {
  const measured: GovernedRounds[] = []
  for (let n = 0; n < processes; n++) measured.push(await roundsOfProcess(postgres))
  return {
    variants: {
      none: figuresOf('none', measured),
      'stream guardrails': figuresOf('stream guardrails', measured),
      'pure providers': figuresOf('pure providers', measured),
      all: figuresOf('all', measured),
    },
    chainMicrosPerChar: measureChain(),
    aims: { shareOfCpu: 0.05, extraCommits: 0 },
  }
}

function figuresOf(name: VariantName, measured: readonly GovernedRounds[]): Governed {
  const rounds = measured.flatMap((process) => process[name].rounds)
  const cpu = measured.map((process) => ratios(process, name, (each) => each.cpuMsPerRun))
  const speed = measured.flatMap((process) => ratios(process, name, (each) => each.runsPerSecond))
  const typical = (pick: (run: Alone) => number): number =>
    median(measured.map((process) => pick(process[name].alone)))
  return {
    runsPerSecond: round(median(rounds.map((each) => each.runsPerSecond)), 1),
    ofNone: round(median(speed), 3),
    cpuMsPerRun: round(median(rounds.map((each) => each.cpuMsPerRun))),
    cpuOfNone: round(median(cpu.flat()), 3),
    cpuOfNoneByProcess: cpu.map((each) => round(median(each), 3)),
    perRun: {
      commits: typical((run) => run.commits),
      events: typical((run) => run.events),
      effects: typical((run) => run.effects),
    },
  }
}

/** Round by round, for a machine is not as fast in each. */
function ratios(
  process: GovernedRounds,
  name: VariantName,
  pick: (each: Round) => number,
): readonly number[] {
  const base = process.none.rounds.map(pick)
  return process[name].rounds.map((each, n) => pick(each) / (base[n] ?? Number.NaN))
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
  const byProcess = columns.slice(1).map(({ name, cpuOfNoneByProcess }) => {
    const list = cpuOfNoneByProcess.map((each) => each.toFixed(3)).join('  ')
    return `  ${name.padEnd(20)}${list}`
  })
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
    'of the CPU without, in each process:',
    ...byProcess,
    `guard chain: ${chainMicrosPerChar} µs per character`,
    '',
  ]
}
