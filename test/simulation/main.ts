/**
 * `npm run test:simulation -- --seeds 10000 [--from 1]`: plays seeds in as many processes as there are cores, and a few of
 * them twice. Exit 1 on a violation or on a trace that differs, with the seed to play again.
 *
 * `--sample` plays 1000 seeds that are always the same, and 2000 more that the tree of the commit decides. `--list 7,9` plays
 * those.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { treeNumber } from '../../scripts/ci/tree-number.ts'
import { expected } from './counts.ts'
import type { Simulated } from './simulate.ts'
import { simulate } from './simulate.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '500' },
    from: { type: 'string', default: '1' },
    sample: { type: 'boolean', default: false },
    lane: { type: 'string' },
    lanes: { type: 'string', default: String(Math.min(4, availableParallelism())) },
    stop: { type: 'boolean', default: false },
    list: { type: 'string' },
  },
})
const lanes = Number(values.lanes)
const repeatEvery = 100
/** From here on every feature must have shown. */
const enough = 10_000
/** Of a sample. Seeds of the second part are beyond those that a full run plays. */
const sampleSizes = { same: 1_000, drawn: 2_000 }

const range = (from: number, length: number): readonly number[] =>
  Array.from({ length }, (_, n) => from + n)

const tree = treeNumber(import.meta.dirname)
const drawnFrom = enough + 1 + tree.number * sampleSizes.drawn

function chosenSeeds(): readonly number[] {
  if (values.list !== undefined) return values.list.split(',').map(Number)
  if (values.sample) return [...range(1, sampleSizes.same), ...range(drawnFrom, sampleSizes.drawn)]
  return range(Number(values.from), Number(values.seeds))
}

const seeds = chosenSeeds()

const Totals = z.object({
  seeds: z.number(),
  steps: z.number(),
  crashes: z.number(),
  executions: z.number(),
  unknown: z.number(),
  repeated: z.number(),
  counts: z.record(z.string(), z.number()),
  failures: z.array(z.object({ seed: z.number(), violations: z.array(z.string()).readonly() })),
})
type Totals = z.infer<typeof Totals>

const none = (): Totals => ({
  seeds: 0,
  steps: 0,
  crashes: 0,
  executions: 0,
  unknown: 0,
  repeated: 0,
  counts: {},
  failures: [],
})

async function playLane(lane: number): Promise<Totals> {
  const totals = none()
  for (const seed of seeds.filter((_, n) => n % lanes === lane)) {
    const result = await simulate(seed)
    count(totals, result)
    if (seed % repeatEvery === 0) await repeat(totals, result)
    if (values.stop && totals.failures.length > 0) break
  }
  return totals
}

function count(totals: Totals, result: Simulated): void {
  totals.seeds += 1
  totals.steps += result.steps
  totals.crashes += result.crashes
  totals.executions += result.executions
  totals.unknown += result.unknown
  totals.counts = summed(totals.counts, result.counts)
  if (result.violations.length > 0)
    totals.failures.push({ seed: result.seed, violations: result.violations })
}

function summed(
  one: Readonly<Record<string, number>>,
  other: Readonly<Record<string, number>>,
): Record<string, number> {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])].toSorted()
  return Object.fromEntries(names.map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]))
}

/** The same seed must give the same trace (I21). */
async function repeat(totals: Totals, first: Simulated): Promise<void> {
  const second = await simulate(first.seed)
  totals.repeated += 1
  if (second.trace !== first.trace)
    totals.failures.push({ seed: first.seed, violations: ['I21 another trace for the same seed'] })
}

/** A lane writes its totals to its output: whatever their size, they have all come when it is closed. */
async function playElsewhere(lane: number): Promise<Totals> {
  const args = [import.meta.filename, ...process.argv.slice(2), '--lane', String(lane)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const written: string[] = []
  child.stdout.setEncoding('utf8').on('data', (part: string) => written.push(part))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`lane ${lane} exited with ${code}`)
  return Totals.parse(JSON.parse(written.join('')))
}

if (values.lane !== undefined) {
  process.stdout.write(JSON.stringify(await playLane(Number(values.lane))))
} else {
  const began = performance.now()
  const results = await Promise.all(Array.from({ length: lanes }, (_, lane) => playElsewhere(lane)))
  const totals = results.reduce((sum, each) => ({
    seeds: sum.seeds + each.seeds,
    steps: sum.steps + each.steps,
    crashes: sum.crashes + each.crashes,
    executions: sum.executions + each.executions,
    unknown: sum.unknown + each.unknown,
    repeated: sum.repeated + each.repeated,
    counts: summed(sum.counts, each.counts),
    failures: [...sum.failures, ...each.failures],
  }))
  const seconds = (performance.now() - began) / 1_000
  const { failures, counts, ...figures } = totals
  console.log(JSON.stringify({ ...figures, seconds: Number(seconds.toFixed(1)) }))
  console.log(JSON.stringify(counts))
  for (const failure of failures.slice(0, 5))
    console.log(`seed ${failure.seed}: ${failure.violations.slice(0, 4).join('; ')}`)
  console.log(`${totals.seeds - failures.length} passed, ${failures.length} failed`)
  if (values.sample)
    console.log(
      `sample: seeds 1 to ${sampleSizes.same}, and ${sampleSizes.drawn} from ${drawnFrom} on (${tree.of}); --seeds ${enough} instead runs all`,
    )
  const missing = totals.seeds < enough ? [] : expected.filter((name) => !counts[name])
  for (const name of missing) console.log(`${name} never happened`)
  process.exitCode = failures.length + missing.length > 0 ? 1 : 0
}
