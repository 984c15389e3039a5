/**
 * A turn late in a run that its window does not hold costs what an early one does (context systems §19, numbers), in counts: blocks that are executed,
 * reads and rows of the register, JSON that is written. Would catch: a conversation that is read or folded from its beginning, sizes that are
 * measured anew, an appendix over the whole log for each summary.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { z } from 'zod'

const TurnCosts = z.record(z.string(), z.number())
const Costs = z.object({
  outcome: z.string(),
  early: TurnCosts,
  late: TurnCosts,
  prunes: z.number(),
  summaries: z.number(),
})

/** By so much a late turn may cost more. */
const most = 1.2

/** V8 does not count what it has compiled to one piece with its caller. */
const uncompiled = ['--no-opt', '--no-maglev']

/** A process of its own: to count is to slow down all else. */
async function play(window: number) {
  const script = join(import.meta.dirname, 'support/turn-costs.ts')
  const args = [...uncompiled, script, String(window)]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return Costs.parse(JSON.parse(stdout))
}

test.each([4_000, 16_000])(
  'turn 1,000 costs what turn 100 does, in a window of %i',
  async (window) => {
    const { outcome, early, late, prunes, summaries } = await play(window)
    expect(outcome).toBe('completed')
    expect(summaries).toBeGreaterThan(5)
    expect(prunes > 0).toBe(window === 16_000)
    const grown = Object.entries(late).map(
      ([name, count]) => [name, count, early[name] ?? 0] as const,
    )
    expect(grown.filter(([, after, before]) => after > before * most)).toEqual([])
  },
  180_000,
)
