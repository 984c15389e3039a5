/**
 * A turn late in a long run, or late in a long thread, costs the orchestrator what an early one does, in counts that no machine changes:
 * blocks that are executed, reads and rows of the register. Would catch: a conversation that is read, folded or paired from its beginning,
 * a look through all calls or all runs of before. Times stand in the bench (`growth`).
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { z } from 'zod'

const TurnCosts = z.record(z.string(), z.number())
const FlatTurns = z.object({ turns: z.number(), early: TurnCosts, late: TurnCosts })

/** By so much a late turn may cost more. */
const most = 1.05

/** V8 does not count what it has compiled to one piece with its caller. */
const uncompiled = ['--no-opt', '--no-maglev']

/** A process of its own: to count is to slow down all else. */
async function play(of: 'run' | 'thread') {
  const script = join(import.meta.dirname, 'support/flat-turns.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [...uncompiled, script, of])
  return FlatTurns.parse(JSON.parse(stdout))
}

test.each(['run', 'thread'] as const)(
  'turn 1,000 of a %s costs what turn 10 does',
  async (of) => {
    const { turns, early, late } = await play(of)
    expect(turns).toBeGreaterThan(1_000)
    expect(early['steps']).toBeGreaterThan(100)
    const grown = Object.entries(late).map(
      ([name, count]) => [name, count, early[name] ?? 0] as const,
    )
    expect(grown.filter(([, after, before]) => after > before * most)).toEqual([])
  },
  180_000,
)
