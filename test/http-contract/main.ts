/**
 * `npm run test:fuzz -- --requests 10000 [--seed 1]`: requests of every kind against a real server, made from its own OpenAPI
 * document. Exit 1 on an answer that is not as it must be, with the request as a curl command and the seed.
 */
import { parseArgs } from 'node:util'
import { fuzz } from './fuzz.ts'
import { openScene } from './scene.ts'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    lanes: { type: 'string', default: '4' },
  },
})
const wanted = Number(values.requests)
const seed = Number(values.seed)

console.log(`seed ${seed}`)
const began = performance.now()
const scene = await openScene()
const { sent, statuses, reached, slowest, failures } = await fuzz(scene, {
  requests: wanted,
  seed,
  lanes: Number(values.lanes),
})
const isWell = await scene.works()
const seconds = Number(((performance.now() - began) / 1000).toFixed(1))
const answered = Object.fromEntries([...statuses].toSorted(([a], [b]) => a.localeCompare(b)))
console.log(JSON.stringify({ sent, answered, slowest, seconds }))
const unreached = scene.law.document.operations
  .map(({ method, path }) => `${method} ${path}`)
  .filter((name) => !reached.has(name))
if (unreached.length > 0) console.log(`never answered 2xx: ${unreached.join(', ')}`)
for (const failure of failures) console.log(failure)
for (const line of scene.errors().slice(0, 5)) console.log(line)
if (!isWell) console.log('afterwards the server did not do its work')
await scene.close()
const failed = failures.length + (isWell ? 0 : 1)
// A lane that found something did not send the rest of its requests.
console.log(`${failed === 0 ? wanted : Math.max(0, sent - failed)} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
