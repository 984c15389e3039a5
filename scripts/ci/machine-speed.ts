/**
 * How fast this machine is at the moment, against the one that the limits of CI are written for: 1 where two lanes play
 * 10,000 seeds of the simulation of November 2026 in 200 s. Half as fast is 0.5. Load of others counts: it slows the tests, too.
 *
 * As a script it prints the number alone: `node scripts/ci/machine-speed.ts`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { frozenWork } from './frozen-work.ts'

/** What a lane is given, and how long it takes the reference machine. */
const measured = { runs: 600, referenceMs: 1_000 }
/** V8 has compiled the work by then. */
const warmUpRuns = 150
/** CI has two cores: one lane for each, as they slow each other. */
const lanesMax = 2
const laneName = '--lane'

/** Takes some three seconds on the reference machine, and all of its two cores. */
export async function measureSpeed(): Promise<number> {
  const lanes = Math.min(lanesMax, availableParallelism())
  const times = await Promise.all(Array.from({ length: lanes }, lane))
  const mean = times.reduce((sum, ms) => sum + ms, 0) / lanes
  return speedOf(mean)
}

/** To two digits: it is not more exact than that. */
export const speedOf = (laneMs: number): number =>
  Math.max(0.01, Math.round((100 * measured.referenceMs) / laneMs) / 100)

/** A limit for this machine. A faster one is not given less: the tests also wait for things that take their time. */
export const scaledLimit = (atReference: number, speed: number): number =>
  Math.ceil(atReference / Math.min(1, speed))

async function lane(): Promise<number> {
  const child = spawn(process.execPath, ['--no-warnings', import.meta.filename, laneName], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
  const [code]: unknown[] = await once(child, 'close')
  if (code !== 0) throw new Error(`the work that is measured ended with ${String(code)}`)
  return Number(printed)
}

if (import.meta.main) {
  if (process.argv.includes(laneName)) {
    await frozenWork(warmUpRuns)
    const began = performance.now()
    await frozenWork(measured.runs)
    console.log(performance.now() - began)
  } else console.log(await measureSpeed())
}
