/**
 * The versions of the machine. A run is pinned to one by `run.created`, and is decided, cached and replayed by it for ever.
 *
 * V1 An entry never changes what it decides: a change of the machine is a new entry, which shares everything it does not
 *    replace. `test/replay` holds logs of each version.
 * V2 An entry stays while runs of its version are alive.
 * V3 A version that is not in the map is newer than this build: its runs are left to processes that know it.
 */
import { emptyContext, type RunContext } from './context.ts'
import { runMachine } from './run-machine.ts'

/** What decides a run, and what its state is before the first fact. */
export interface Machine {
  readonly version: number
  /** The statechart with its guards, assigns and emissions. */
  readonly chart: typeof runMachine
  /** The context before the first fact. A version that counts more than another begins with more counters. */
  readonly context: RunContext
}

/** Machines by their versions. */
export type Machines = ReadonlyMap<number, Machine>

/** Every version this build can decide. */
export const machines: Machines = new Map([
  [1, { version: 1, chart: runMachine, context: emptyContext }],
])

/** The version that new runs are pinned to: the newest there is. */
export function newestOf(known: Machines): Machine {
  const newest = known.get(Math.max(...known.keys()))
  if (!newest) throw new Error('a process needs a machine')
  return newest
}
