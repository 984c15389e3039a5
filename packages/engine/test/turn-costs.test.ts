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
import type { CostsOf } from './support/turn-costs.ts'

const TurnCosts = z.record(z.string(), z.number())
const Costs = z.object({
  outcome: z.string(),
  messages: z.object({ early: z.number(), late: z.number() }),
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
async function play(of: CostsOf) {
  const script = join(import.meta.dirname, 'support/turn-costs.ts')
  const args = [...uncompiled, script, JSON.stringify(of)]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return Costs.parse(JSON.parse(stdout))
}

/** The counts that a late turn has more of than it may. */
const grown = ({ early, late }: z.infer<typeof Costs>) =>
  Object.entries(late)
    .map(([name, count]) => [name, count, early[name] ?? 0] as const)
    .filter(([, after, before]) => after > before * most)

const small = { chars: 1_500, turns: 1_000, early: 100, late: 800, stretch: 200 }

test.each([
  { ...small, window: 4_000 },
  { ...small, window: 16_000, prune: { at: 0.6, minTokens: 2_000 } },
])(
  'turn 1,000 costs what turn 100 does, in a window of $window',
  async (of) => {
    const costs = await play(of)
    expect(costs.outcome).toBe('completed')
    expect(costs.summaries).toBeGreaterThan(5)
    expect(costs.prunes > 0).toBe(of.window === 16_000)
    expect(grown(costs)).toEqual([])
  },
  180_000,
)

test('a turn with 1,200 messages before it costs what one with 200 does', async () => {
  const large = { window: 128_000, chars: 8_000, turns: 610, early: 80, late: 565, stretch: 40 }
  const costs = await play(large)
  expect(costs.outcome).toBe('completed')
  expect(costs.messages.early).toBeLessThan(250)
  expect(costs.messages.late).toBeGreaterThan(1_100)
  expect(costs.prunes).toBeGreaterThan(20)
  expect(grown(costs)).toEqual([])
}, 180_000)
