/**
 * Judges the runs of both builds, in build B, which knows all of them: orders on standard input, an answer on standard
 * output, as JSON.
 */
import { text } from 'node:stream/consumers'
import { isFactType } from '@signalbox/core'
import { z } from 'zod'
import { violations } from '../check.ts'
import { readRuns, type StoredRun } from '../tables.ts'
import { readWorld } from '../world.ts'
import { dayViolations } from '../days/check.ts'

const Orders = z.object({
  databaseUrl: z.string(),
  threads: z.string(),
  world: z.string(),
  received: z.array(z.string()),
  created: z.array(z.tuple([z.string(), z.string()])),
  acknowledged: z.array(z.object({ runId: z.string(), type: z.string().refine(isFactType) })),
  complaints: z.array(z.string()),
})

const { databaseUrl, threads, world, received, created, ...promised } = Orders.parse(
  JSON.parse(await text(process.stdin)),
)
const runs = await readRuns(databaseUrl, threads)
const executions = readWorld(world)
const client = { created: new Map(created), ...promised }

/** Nothing of another build is ever a fault of a run, or ignored. */
const bad = ['run.faulted', 'event.ignored', 'state.repaired']

const faults = ({ head, log }: StoredRun): readonly string[] =>
  log
    .filter(({ type }) => bad.includes(type))
    .map(({ type, payload }) => `${head.runId}: ${type} ${JSON.stringify(payload)}`)

/** More than its calls and the kills around them explain. */
const startsMax = 60

/** A run that some process claims and gives back again and again (D11). */
function spins({ head, log }: StoredRun): readonly string[] {
  const starts = log.filter(({ type }) => type === 'effect.started').length
  return starts > startsMax ? [`D11 ${head.runId} was started ${starts} times`] : []
}

const versionOf = ({ log: [first] }: StoredRun): string =>
  JSON.stringify(first?.payload['machineVersion'])

const counts: Record<string, number> = {}
const count = (what: string): void => void (counts[what] = (counts[what] ?? 0) + 1)
for (const run of runs) {
  count(`of machine ${versionOf(run)}`)
  for (const { type, version } of run.log)
    if (type === 'tool.completed' && version > 1) count('newer results')
    else if (type === 'turn.noted') count('notes')
    else if (type === 'approval.answered') count('approvals')
}

process.stdout.write(
  JSON.stringify({
    violations: [
      ...violations(runs, { executions, received }, client),
      ...dayViolations(runs, executions),
      ...runs.flatMap(faults),
      ...runs.flatMap(spins),
    ],
    counts: { runs: runs.length, ...counts },
  }),
)
