/**
 * `npm run bench -- [--json] [--profile] [--only part,…] [--runs n] [--in-flight n]`: what a run costs and how many run at a
 * time, for each way to dispatch, beside the floors of the same minute, how the log grows with a run's length, what governance
 * costs that lets everything pass, and what a turn late in a long run or thread costs. With `--http`, what the HTTP side costs instead: see `http/bench.ts`.
 * Starts its own servers in a folder of its own. Standard output holds the report alone.
 */
import { missingOptions } from '@signalbox/server'
import { cpus, loadavg } from 'node:os'
import { complaining } from './complaining-log.ts'
import { round } from './cost.ts'
import { measureFloors } from './floors.ts'
import { measureGovernance } from './governance.ts'
import { measureGrowth } from './growth.ts'
import { benchHttp } from './http/bench.ts'
import { measureLogSize } from './log-size.ts'
import { measureSpeed, scaledLimit } from '../ci/machine-speed.ts'
import { type Machine, startMachine } from './machine.ts'
import { measureSetUp } from './measure.ts'
import { type BenchOptions, type DispatcherName, dispatcherNames, readOptions } from './options.ts'
import { profiling } from './profiled.ts'
import { type BenchReport, type Measured, ratiosOf, tableOf } from './report.ts'
import type { Floors } from './floors.ts'

/** A bench that hangs must not hang whoever waits for it. On the reference machine of CI. */
const minutesMax = 12

const missing = missingOptions()
if (missing.length > 0) {
  // Its figures would be those of another heap.
  console.error(
    `start the bench as \`npm run bench\` does, by \`node ${missing.join(' ')}\`, as processes of Signalbox run`,
  )
  process.exit(2)
}

const args = process.argv.slice(2)
if (args.includes('--http')) {
  await benchHttp(args)
  process.exit(0)
}

const options = readOptions(args)
say('machine speed')
const speed = await measureSpeed()
const minutes = scaledLimit(minutesMax, speed)
const overdue = setTimeout(() => {
  console.error(`the bench took longer than ${minutes} minutes and is given up`)
  process.exit(1)
}, minutes * 60_000)
overdue.unref()

const machine = await startMachine({ log: complaining('postgres'), tracked: options.profile })
try {
  const report = await measure(machine, options)
  console.log(options.json ? JSON.stringify(report, null, 2) : tableOf(report))
} finally {
  await machine.stop()
}

async function measure(on: Machine, asked: BenchOptions): Promise<BenchReport> {
  const wants = (section: Parameters<typeof asked.sections.has>[0]) => asked.sections.has(section)
  const [before = 0] = loadavg()
  say('floors')
  const floors = wants('floors') ? await measureFloors(on) : null
  const dispatchers: Partial<Record<DispatcherName, Measured | string>> = {}
  for (const name of dispatcherNames) {
    if (!wants(name)) continue
    say(name)
    dispatchers[name] = await measureOne(on, name, floors)
  }
  say('log size')
  const logSize = wants('log-size') ? await measureLogSize(on) : null
  say('governance')
  const governance = wants('governance') ? await measureGovernance(on) : null
  say('growth')
  const growth = wants('growth') ? await measureGrowth(on) : null
  const [after = 0] = loadavg()
  return {
    at: new Date().toISOString(),
    machine: {
      cpus: cpus().length,
      cpu: cpus()[0]?.model ?? 'unknown',
      node: process.version,
      speed,
      load: [round(before), round(after)],
    },
    run: { modelTurns: 10, toolCalls: 9 },
    load: { runs: asked.runs, inFlight: asked.inFlight },
    floors,
    dispatchers,
    logSize,
    governance,
    growth,
    aims: { runsPerSecond: 150, perStepMsAlone: 1.5 },
  }
}

async function measureOne(
  on: Machine,
  dispatcher: DispatcherName,
  floors: Floors | null,
): Promise<Measured | string> {
  const profile = options.profile ? profiling(dispatcher, on) : null
  const figures = await measureSetUp(on, { dispatcher, options }, profile?.around)
  if (typeof figures === 'string') return `skipped: ${figures}`
  return {
    ...figures,
    ratios: floors ? ratiosOf(dispatcher, figures, floors) : null,
    ...(profile ? { profiles: await profile.read() } : {}),
  }
}

function say(what: string): void {
  if (process.stderr.isTTY) console.error(`… ${what}`)
}
