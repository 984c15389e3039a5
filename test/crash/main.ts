/**
 * `npm run test:crash [-- --full] [--only <name>] [--backend postgres|redis]`: real processes on real servers, killed at
 * the failpoints that a clean run meets, and after each kill the invariants. Exit 1 on any violation, and on a failpoint
 * that should be there and was not met. Without `--full` it kills at a part of them, which the seed decides.
 *
 * `--lanes` stacks per backend · `--seed`, else the tree of the commit gives one · `--verbose` a line per schedule · `--json` figures as the last line but one ·
 * `--keep` leaves data and logs · `--sabotage <name>` breaks a safety line (see `sabotage.ts`): then it must turn red.
 */
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { redisMissing } from '../../packages/bullmq/test/support/redis-server.ts'
import { treeNumber } from '../../scripts/ci/tree-number.ts'
import { coverageProblems, exclusions, isKilled } from './declared.ts'
import { Lane } from './lane.ts'
import { pointsOf, record, type Recording } from './recording.ts'
import { failuresOf, figuresOf, printFigures, printSchedule } from './report.ts'
import { isSabotage } from './sabotage.ts'
import type { Played } from './schedule.ts'
import { type Schedule, schedulesOf } from './schedules.ts'
import type { Backend } from './stack.ts'
import { failOnUnhandled } from './verdict.ts'

/** A stack keeps a core busy. */
const lanesDefault = Math.max(1, Math.floor(availableParallelism() / 2))

const { values } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    only: { type: 'string' },
    backend: { type: 'string' },
    lanes: { type: 'string', default: String(lanesDefault) },
    seed: { type: 'string' },
    verbose: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    sabotage: { type: 'string' },
  },
})
const tree = treeNumber(import.meta.dirname)
const seed = Number(values.seed ?? tree.number)
const sabotage = values.sabotage ?? null
if (sabotage !== null && !isSabotage(sabotage)) throw new Error(`no sabotage "${sabotage}"`)

const backends: readonly Backend[] = (['postgres', 'redis'] as const).filter(
  (backend) => (values.backend ?? backend) === backend && (backend !== 'redis' || !redisMissing),
)
if (redisMissing) console.log(`redis${redisMissing}`)
if (backends.length === 0) throw new Error('no backend to test')

const began = performance.now()
const options = { sabotage, keep: values.keep }
const lanes = backends.flatMap((backend) =>
  Array.from({ length: Number(values.lanes) }, () => new Lane(backend, options)),
)
const results: (readonly Played[])[] = []

const stopAll = (): Promise<unknown> => Promise.all(lanes.map((lane) => lane.stop()))
// What a stop leaves behind would be servers that nobody owns.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void stopAll().finally(() => process.exit(130)))
failOnUnhandled(stopAll)

const keepResult = (tries: readonly Played[]): void => {
  results.push(tries)
  printSchedule(tries, values.verbose)
}

/** The first lane of each backend records. */
async function recordAll(): Promise<ReadonlyMap<Backend, Recording>> {
  const recordings = new Map<Backend, Recording>()
  for (const backend of backends) {
    const lane = lanes.find((each) => each.backend === backend)
    if (!lane) continue
    const recording = await record(lane, seed)
    recordings.set(backend, recording)
    for (const played of recording.played) keepResult([played])
  }
  return recordings
}

async function playAll(): Promise<void> {
  await Promise.all(
    lanes.map(async (lane) => {
      const waiting = queues.get(lane.backend) ?? []
      for (let next = waiting.shift(); next; next = waiting.shift())
        keepResult(await lane.play(next.fault, next.seed))
    }),
  )
}

const queues = new Map<Backend, Schedule[]>()
let problems: readonly string[] = []
let points: ReadonlySet<string> = new Set()
try {
  console.log(`seed ${seed}${values.seed === undefined ? `, of ${tree.of}` : ''}`)
  const recordings = await recordAll()
  points = new Set([...recordings.values()].flatMap(pointsOf))
  const isClean = results.every((tries) => failuresOf(tries).length === 0)
  problems = isClean ? coverageProblems(points) : []
  const choice = { backends, full: values.full, only: values.only ?? null, seed }
  const { schedules, all } = isClean ? schedulesOf(recordings, choice) : { schedules: [], all: 0 }
  if (schedules.length < all)
    console.log(`sample ${schedules.length} of ${all}, seed ${seed}; --full runs all`)
  for (const backend of backends)
    queues.set(
      backend,
      schedules.filter((each) => each.backend === backend),
    )
  if (isClean && schedules.length === 0) console.log('no schedule has this name')
  await playAll()
} finally {
  await stopAll()
}

const failed = results.filter((tries) => failuresOf(tries).length > 0).length
for (const problem of problems) console.log(`COVERAGE ${problem}`)
const figures = figuresOf(results, {
  seed,
  seconds: Math.round((performance.now() - began) / 1_000),
  failpoints: [...points].filter(isKilled).length,
})
if (values.verbose) for (const why of exclusions()) console.log(`excluded ${why}`)
printFigures(figures)
if (values.json) console.log(JSON.stringify(figures))
console.log(`${results.length - failed} passed, ${failed + problems.length} failed`)
process.exitCode = failed + problems.length > 0 ? 1 : 0
