/** Waits until a run has ended, or waits for a human. */
import type { RunHead } from '@signalbox/engine'
import { isUnavailable } from '../http/register-errors.ts'
import type { ReadModel } from '../read-model.ts'
import { Bell } from './bell.ts'
import type { RunWakes } from './run-wakes.ts'

export interface WaitSources {
  readonly read: Pick<ReadModel, 'run'>
  readonly wakes: Pick<RunWakes, 'on'>
  /** After how long a register that was away is asked again. */
  readonly pollMs: number
}

/** Longer than any wait for a run. */
const untilCalledMs = 2 ** 31 - 1

/** Answers the run as it last was: settled, or still on its way when the signal was aborted. */
export async function waitForRun(
  sources: WaitSources,
  run: Pick<RunHead, 'tenantId' | 'runId'>,
  signal: AbortSignal,
): Promise<{ readonly head: RunHead | null; readonly settled: boolean }> {
  const bell = new Bell()
  const stop = sources.wakes.on(run, () => bell.ring())
  let head: RunHead | null = null
  try {
    while (!signal.aborted) {
      const found = await read(sources, run)
      if (found) head = found.head
      if (head && isSettled(head)) return { head, settled: true }
      await bell.wait(found ? untilCalledMs : sources.pollMs, signal)
    }
    return { head, settled: false }
  } finally {
    stop()
  }
}

/** Null: the register is away. */
async function read(
  sources: WaitSources,
  run: Pick<RunHead, 'tenantId' | 'runId'>,
): Promise<{ readonly head: RunHead | null } | null> {
  try {
    // One that is deleted meanwhile still ends.
    return { head: await sources.read.run(run.tenantId, run.runId, { hidden: true }) }
  } catch (error) {
    // An outage ends no wait: the next look may succeed.
    if (isUnavailable(error)) return null
    throw error
  }
}

/** With an undecided fact, such as the answer of a human, a waiting run is about to go on. */
const isSettled = (head: RunHead): boolean =>
  head.status === 'ended' || (head.status === 'waiting' && head.decided >= head.facts)
