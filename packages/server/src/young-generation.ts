/**
 * How V8 keeps the young part of the heap in a process of Signalbox: smaller than it would, and collected by one thread.
 *
 * A scavenge stops the process, for longer the more there is to move, and it ends when the last of its helper threads does: they wait for
 * cores that databases and workers use. As V8 would have it, some take 20 to 60 ms on two busy cores. A still smaller young generation
 * costs throughput, since more survives (decision 0063).
 */
import process from 'node:process'

/** The options of `node` for it. The size is in MiB, of one semi-space. */
export const youngGeneration: readonly string[] = [
  '--max-semi-space-size=8',
  '--no-parallel-scavenge',
]

const chosen = /(?:^|\s)--(?:max|min)[-_]semi[-_]space[-_]size\b/

/** The options that this process should have been started with; none if whoever started it chose a size. */
export function missingOptions(): readonly string[] {
  const given = [...process.execArgv, process.env['NODE_OPTIONS'] ?? '']
  return given.some((option) => chosen.test(option)) ? [] : youngGeneration
}
