/**
 * `npm run test:days [-- --full] [--only <name>]`: bad days. Real processes with the settings of production, and servers that
 * are away for long, fall silent, or are met by another build. Exit 1 on any violation.
 *
 * `--lanes` days at a time · `--seed` · `--keep` leaves data and logs. Without `--full` a sample that takes minutes.
 */
import { parseArgs } from 'node:util'
import { redisMissing } from '../../../packages/bullmq/test/support/redis-server.ts'
import { type Day, daysOf } from './days.ts'

const { values } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    only: { type: 'string' },
    lanes: { type: 'string', default: '2' },
    seed: { type: 'string', default: '1' },
    keep: { type: 'boolean', default: false },
  },
})
const seed = Number(values.seed)
const began = performance.now()
const { only } = values
const days = daysOf({ full: values.full, hasRedis: !redisMissing }).filter(
  ({ name }) => only === undefined || name.includes(only),
)
if (redisMissing) console.log(`redis${redisMissing}`)
console.log(`seed ${seed}`)

let failed = 0

async function play(day: Day): Promise<void> {
  const since = performance.now()
  const { violations, figures } = await day
    .play({ seed, keep: values.keep })
    .catch((error: unknown) => ({
      violations: [error instanceof Error ? String(error.stack) : String(error)],
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
process.exitCode = failed > 0 || days.length === 0 ? 1 : 0
