/**
 * Runs of agents without a `context` cost Postgres what they did before there was one ("costs nothing when off"): the same statements, each as often
 * and over as many rows, the same rows, as many bytes of WAL. `without-context.json` was made by the build before, with `node
 * test/contract/run-costs.ts`. Would catch: a statement more per turn, a column that each run fills from now on, a field in each event.
 */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { z } from 'zod'

const Costs = z.record(
  z.string(),
  z.object({
    statements: z.record(z.string(), z.tuple([z.number(), z.number()])),
    rows: z.record(z.string(), z.number()),
    walRecords: z.number(),
    walBytes: z.number(),
  }),
)

const recorded = Costs.parse(
  JSON.parse(readFileSync(join(import.meta.dirname, 'without-context.json'), 'utf8')),
)

/** Where a page of an index is split is a matter of random ids. */
const walShare = 0.01

/** A process looks for work when it starts, and again where a clock says so: on a busy machine once or twice more, and may meet work that is about to be claimed. */
const looksMore = 2

/** Statements that look for something, as often as was recorded if they looked hardly more often and found hardly more. */
function steady(
  now: Readonly<Record<string, readonly [number, number]>>,
  before: Readonly<Record<string, readonly [number, number]>>,
) {
  const isLook = (text: string, [calls, rows]: readonly [number, number]): boolean => {
    const [callsBefore, rowsBefore] = before[text] ?? [0, 0]
    const isHardlyMore = calls <= callsBefore + looksMore && rows <= rowsBefore + looksMore
    return callsBefore > rowsBefore && rows >= rowsBefore && isHardlyMore
  }
  return Object.fromEntries(
    Object.entries(now).map(([text, counted]) => [
      text,
      isLook(text, counted) ? before[text] : counted,
    ]),
  )
}

test('statements, rows and bytes of WAL are those of the build before', async () => {
  const script = join(import.meta.dirname, 'run-costs.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [script])
  const counted = Costs.parse(JSON.parse(stdout))
  for (const [play, { statements, rows, walRecords, walBytes }] of Object.entries(recorded)) {
    const now = counted[play]
    expect(steady(now?.statements ?? {}, statements), play).toEqual(statements)
    expect(now?.rows, play).toEqual(rows)
    expect(now?.walRecords, play).toBeLessThanOrEqual(walRecords * (1 + walShare))
    expect(now?.walBytes, play).toBeLessThanOrEqual(walBytes * (1 + walShare))
  }
})
