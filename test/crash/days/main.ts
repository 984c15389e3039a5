/**
 * `npm run test:days [-- --full] [--only <name>]`: bad days. Real processes with the settings of production, and servers that
 * are away for long, fall silent, are full, or are met by another build. Exit 1 on any violation. Without `--full` it plays a
 * core of them and a sample of the others, which the seed decides, in some minutes.
 *
 * `--lanes` days at a time · `--seed`, else the tree of the commit gives one · `--keep` leaves data and logs. Limits of time
 * follow `SIGNALBOX_MACHINE_SPEED`.
 */
import { inspect, parseArgs } from 'node:util'
import { redisMissing } from '../../../packages/bullmq/test/support/redis-server.ts'
import { treeNumber } from '../../../scripts/ci/tree-number.ts'
import { Stack } from '../stack.ts'
import { failOnUnhandled } from '../verdict.ts'
import { type Day, daysOf } from './days.ts'
import { smallDiskMissing } from './small-disk.ts'

/** They wait more than they work. */
const lanesDefault = 3

const { values } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    only: { type: 'string' },
    lanes: { type: 'string', default: String(lanesDefault) },
    seed: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
})
const tree = treeNumber(import.meta.dirname)
const seed = Number(values.seed ?? tree.number)
const began = performance.now()
const diskMissing = smallDiskMissing()
const { days, all } = daysOf({
  full: values.full,
  only: values.only ?? null,
  seed,
  hasRedis: !redisMissing,
  hasDisk: diskMissing === null,
})
if (redisMissing) console.log('skipped: all days of Redis: redis-server is not on PATH')
if (diskMissing !== null) console.log(`skipped: the days of a disk: ${diskMissing}`)
console.log(`seed ${seed}${values.seed === undefined ? `, of ${tree.of}` : ''}`)
if (days.length < all) console.log(`${days.length} of ${all} days; --full plays all`)

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void Stack.stopAll().finally(() => process.exit(130)))
failOnUnhandled(() => Stack.stopAll())

let failed = 0

async function play(day: Day): Promise<void> {
  const since = performance.now()
  const { violations, figures } = await day
    .play({ seed, keep: values.keep })
    .catch((error: unknown) => ({
      violations: [inspect(error)],
      figures: 'it could not be played',
    }))
  const took = Math.round((performance.now() - since) / 1_000)
  console.log(`${violations.length > 0 ? 'FAILED' : 'ok'} ${day.name} (${took} s): ${figures}`)
  for (const violation of violations.slice(0, 8)) console.log(`  ${violation}`)
  if (violations.length > 8) console.log(`  and ${violations.length - 8} more`)
  if (violations.length > 0) failed += 1
}

const waiting = [...days]
await Promise.all(
  Array.from({ length: Number(values.lanes) }, async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await play(next)
  }),
)
if (days.length === 0) console.log('no day has this name')
const took = Math.round((performance.now() - began) / 1_000)
console.log(`${took} s`)
console.log(`${days.length - failed} passed, ${failed} failed`)
// Clients of a day that could not be played to its end go on asking for it.
await Stack.stopAll()
process.exit(failed > 0 || days.length === 0 ? 1 : 0)
