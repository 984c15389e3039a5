/**
 * `npm run test:cuts [-- --full] [--only <part of a name>]`: recorded streams of providers, and streams made of them, cut at every
 * byte, closed cleanly and reset, through every provider that speaks their wire. Before the last word of the wire nothing may
 * execute, from it on exactly what was recorded, never a part of it. Exit 1 on any other play.
 *
 * Without `--full` it plays every stream whole, the last bytes before each end of a recording, and as many other cuts as the tree of
 * the commit draws. `--number` draws others, `--count` says how many.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { skipReason } from '../../packages/models/test/support/recordings.ts'
import { treeNumber } from '../../scripts/ci/tree-number.ts'
import { violationsOf } from './oracle.ts'
import { chosenPlays } from './sample.ts'
import { play } from './play.ts'
import { openSender } from './sockets.ts'

const { values } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    only: { type: 'string' },
    number: { type: 'string' },
    count: { type: 'string', default: '4000' },
    lane: { type: 'string' },
    lanes: { type: 'string', default: String(Math.min(8, availableParallelism())) },
  },
})
const lanes = Number(values.lanes)
const tree = treeNumber(import.meta.dirname)
const number = Number(values.number ?? tree.number)

const Totals = z.object({
  plays: z.number(),
  streams: z.number(),
  executed: z.number(),
  overSockets: z.number(),
  failures: z.array(z.string()),
})
type Totals = z.infer<typeof Totals>

async function playLane(lane: number): Promise<Totals> {
  const totals: Totals = { plays: 0, streams: 0, executed: 0, overSockets: 0, failures: [] }
  const { plays, streams } = chosenPlays({
    full: values.full,
    only: values.only ?? '',
    number,
    count: Number(values.count),
  })
  totals.streams = streams
  const sender = await openSender()
  let index = 0
  for (const each of plays) {
    if (index++ % lanes !== lane) continue
    const { stream, cut, close, framing } = each
    const heard = framing ? await sender.play(each, framing) : await play(each)
    totals.plays += 1
    if (heard.turn.message.parts.some(({ type }) => type === 'tool_call')) totals.executed += 1
    if (framing) totals.overSockets += 1
    const where = `${stream.name}, ${cut} of ${stream.bytes.length} bytes, ${framing ?? close}`
    for (const violation of violationsOf(each, heard).slice(0, 1))
      totals.failures.push(`${where}: ${violation}`)
  }
  sender.close()
  return totals
}

/** A lane writes its totals to its output. */
async function playElsewhere(lane: number): Promise<Totals> {
  const args = [import.meta.filename, ...process.argv.slice(2), '--lane', String(lane)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const written: string[] = []
  child.stdout.setEncoding('utf8').on('data', (part: string) => written.push(part))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`lane ${lane} exited with ${code}`)
  return Totals.parse(JSON.parse(written.join('')))
}

async function main(): Promise<void> {
  const began = performance.now()
  const results = await Promise.all(Array.from({ length: lanes }, (_, lane) => playElsewhere(lane)))
  const sum = (pick: (totals: Totals) => number): number =>
    results.reduce((all, each) => all + pick(each), 0)
  const failures = results.flatMap((each) => each.failures)
  const seconds = Number(((performance.now() - began) / 1_000).toFixed(1))
  const plays = sum((each) => each.plays)
  console.log(
    JSON.stringify({
      streams: results[0]?.streams,
      plays,
      executed: sum((it) => it.executed),
      overSockets: sum((it) => it.overSockets),
      seconds,
    }),
  )
  for (const failure of failures.slice(0, 40)) console.log(failure)
  if (!values.full) console.log(`sample ${number}, of ${tree.of}; --full plays every cut`)
  console.log(`${plays - failures.length} passed, ${failures.length} failed`)
  process.exitCode = failures.length > 0 ? 1 : 0
}

if (skipReason) {
  console.log(`skipped: ${skipReason}`)
  console.log('0 passed, 0 failed')
} else if (values.lane === undefined) await main()
else process.stdout.write(JSON.stringify(await playLane(Number(values.lane))))
