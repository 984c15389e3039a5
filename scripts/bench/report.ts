/** The document of a bench, and the table a human reads. */
import { round } from './cost.ts'
import type { Floors, QueueFloor } from './floors.ts'
import { type Governance, governanceLines } from './governance.ts'
import { type Growth, growthLines } from './growth.ts'
import type { LogSize } from './log-size.ts'
import { type Figures, stepsPerRun } from './measure.ts'
import type { DispatcherName } from './options.ts'
import type { Called } from './postgres-profile.ts'
import type { Profiles } from './profiled.ts'

/** How far a set-up is from what its machine can do. 1 would be the floor itself. */
export interface Ratios {
  /** Of the runs per second that batched appends alone would allow, at the appends of a run. */
  readonly ofBatchedAppends: number
  /** Of the runs per second that jobs that do nothing would allow. Null without a queue. */
  readonly ofQueue: number | null
  /** A run alone, against its appends one after the other and its ping-pongs: how many times longer it takes. */
  readonly aloneToFloor: number
}

export interface Measured extends Figures {
  readonly ratios: Ratios | null
  readonly profiles?: Profiles
}

export interface BenchReport {
  readonly at: string
  readonly machine: {
    readonly cpus: number
    readonly cpu: string
    readonly node: string
    /** Against the reference machine of CI, which is 1. */
    readonly speed: number
    /** One-minute load average before and after: above the number of cpus, somebody else was busy here. */
    readonly load: readonly [number, number]
  }
  readonly run: { readonly modelTurns: 10; readonly toolCalls: 9 }
  readonly load: { readonly runs: number; readonly inFlight: number }
  readonly floors: Floors | null
  /** `skipped: why` for what could not be measured. */
  readonly dispatchers: Partial<Record<DispatcherName, Measured | string>>
  readonly logSize: LogSize | null
  readonly governance: Governance | null
  readonly growth: Growth | null
  readonly aims: { readonly runsPerSecond: 150; readonly perStepMsAlone: 1.5 }
}

export function ratiosOf(name: DispatcherName, figures: Figures, floors: Floors): Ratios {
  const { single, batched } = floors.appendsPerSecond
  const appends = figures.perRun.writes
  const queue = queueFloorOf(name, floors)
  const pingPongs = queue === null ? 0 : 9 * queue.pingPongMs
  return {
    ofBatchedAppends: round(figures.runsPerSecond / (batched / appends), 3),
    ofQueue: queue === null ? null : round(figures.runsPerSecond / (queue.jobsPerSecond / 9), 3),
    aloneToFloor: round(figures.alone.wallMsMedian / (appends * (1_000 / single) + pingPongs)),
  }
}

function queueFloorOf(name: DispatcherName, { queue }: Floors): QueueFloor | null {
  if (name === 'direct') return null
  const floor = name === 'bullmq-postgres' ? queue.postgres : queue.redis
  return typeof floor === 'string' ? null : floor
}

/** The report as lines of text. */
export function tableOf(report: BenchReport): string {
  const { machine, load } = report
  return [
    `${machine.cpus} × ${machine.cpu}, Node ${machine.node}, machine speed ${machine.speed}, load average ${machine.load.join(' → ')}`,
    `a run: 10 model turns, 9 tool calls, model and tool answer at once; ${load.runs} runs, ${load.inFlight} in flight`,
    '',
    ...(report.floors ? floorLines(report.floors) : []),
    ...dispatcherLines(report),
    ...(report.logSize ? sizeLines(report.logSize) : []),
    ...(report.governance ? governanceLines(report.governance) : []),
    ...(report.growth ? growthLines(report.growth) : []),
  ].join('\n')
}

const queueLine = (name: string, floor: QueueFloor | string): string =>
  typeof floor === 'string'
    ? `  ${name}  skipped: ${floor}`
    : `  ${name}  ${floor.jobsPerSecond} jobs/s, ping-pong ${floor.pingPongMs} ms`

function floorLines({ appendsPerSecond, queue }: Floors): string[] {
  const { single, eight, batched } = appendsPerSecond
  return [
    'floors',
    `  append           ${single}/s single, ${eight}/s eight at a time, ${batched}/s batched`,
    queueLine('BullMQ PostgreSQL', queue.postgres),
    queueLine('BullMQ Redis     ', queue.redis),
    '',
  ]
}

const labelChars = 34
const columnChars = 18

function dispatcherLines({ dispatchers }: BenchReport): string[] {
  const columns = Object.entries(dispatchers)
  if (columns.length === 0) return []
  const row = (label: string, cell: (measured: Measured) => number | null | undefined): string =>
    label.padEnd(labelChars) +
    columns
      .map(([, each]) => (typeof each === 'string' ? 'skipped' : String(cell(each) ?? '–')))
      .map((text) => text.padStart(columnChars))
      .join('')
  const skipped = columns.flatMap(([name, each]) =>
    typeof each === 'string' ? [`  ${name}: ${each}`] : [],
  )
  return [
    ''.padEnd(labelChars) + columns.map(([name]) => name.padStart(columnChars)).join(''),
    row('runs/s', (each) => each.runsPerSecond),
    row('alone: ms per run, median', (each) => each.alone.wallMsMedian),
    row(`alone: ms per step (1/${stepsPerRun})`, (each) => each.alone.perStepMs),
    row('  create', (each) => each.alone.stepMs.create),
    row('  model turn', (each) => each.alone.stepMs.model),
    row('  tool: dispatch', (each) => each.alone.stepMs.dispatch),
    row('  tool: claim', (each) => each.alone.stepMs.claim),
    row('  tool: run and report', (each) => each.alone.stepMs.tool),
    row('  tool: wake and decide', (each) => each.alone.stepMs.decide),
    row('CPU ms per run: orchestrator', (each) => each.cpuMsPerRun.orchestrator),
    row('CPU ms per run: worker', (each) => each.cpuMsPerRun.worker),
    row('CPU ms per run: Postgres', (each) => each.cpuMsPerRun.postgres),
    row('CPU ms per run: Redis', (each) => each.cpuMsPerRun.redis),
    row('commits per run, writing', (each) => each.perRun.writes),
    row('commits per run, all', (each) => each.perRun.transactions),
    row('WAL bytes per run', (each) => each.perRun.walBytes),
    row('rows per run: event', (each) => each.perRun.rows.event),
    row('rows per run: effect', (each) => each.perRun.rows.effect),
    row('ratio to batched appends', (each) => each.ratios?.ofBatchedAppends),
    row('ratio to no-op jobs', (each) => each.ratios?.ofQueue),
    row('alone: times the floor', (each) => each.ratios?.aloneToFloor),
    ...skipped,
    '',
    ...columns.flatMap(([name, each]) =>
      typeof each === 'string' || !each.profiles ? [] : profileLines(name, each.profiles),
    ),
  ]
}

const called = (each: Called): string =>
  `  ${each.ms.toFixed(0).padStart(7)} ms  ${String(each.calls).padStart(8)} calls  ${each.name}`

function profileLines(name: string, profiles: Profiles): string[] {
  const of = (process: 'orchestrator' | 'worker'): string[] => [
    `${name}: ${process}, ${profiles[process].busyMs} ms busy, self time`,
    ...profiles[process].packages.map(
      (each) => `  ${each.percent.toFixed(1).padStart(5)} %  ${each.name}`,
    ),
    '  functions',
    ...profiles[process].functions.map(
      (each) => `  ${each.percent.toFixed(1).padStart(5)} %  ${each.name}`,
    ),
    '',
  ]
  return [
    ...of('orchestrator'),
    ...of('worker'),
    `${name}: statements of Postgres`,
    ...profiles.postgres.statements.map(called),
    `${name}: functions of Postgres, self time`,
    ...profiles.postgres.functions.map(called),
    `profiles: ${profiles.files.join(' ')}`,
    '',
  ]
}

function sizeLines({ runs, fit }: LogSize): string[] {
  const line = (what: string, { bytesPerTurn, bytesBase, rSquared }: typeof fit.eventBytes) =>
    `  ${what}: ${bytesBase} + ${bytesPerTurn} bytes × turns, R² = ${rSquared}`
  return [
    'log size of one run',
    ...runs.map(
      (run) =>
        `  ${String(run.turns).padStart(4)} turns  ${run.events} events  payload ${run.payloadBytes} B  ` +
        `event rows ${run.eventBytes} B (${Math.round(run.eventBytes / run.turns)} per turn)  ` +
        `tables and indexes ${run.storedBytes} B (${Math.round(run.storedBytes / run.turns)} per turn)`,
    ),
    line('event rows', fit.eventBytes),
    line('tables and indexes', fit.storedBytes),
  ]
}
