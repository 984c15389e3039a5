/**
 * Runs that this process cannot advance: they are newer than its build, or it cannot prepare their policies. That is a
 * condition of one run in one process, never an error of the run.
 *
 * S1 Nothing is recorded about such a run: processes that know it advance it, or this one does when it can.
 * S2 A poll leaves it alone for a while, longer each time; a wake looks at once, since what came may need nothing unknown.
 * S3 The log says it once per run.
 */
import { LRUCache } from 'lru-cache'
import type { Clock, Log, RunRef } from '../ports.ts'

export interface Strangers {
  /** Leaves a run alone; `why` completes "left to other processes: …". */
  leave(run: RunRef, why: string): void
  /** The run could be advanced after all. */
  forget(runId: string): void
  /** Runs that a poll is not to look at now. At most `strangersMax`. */
  resting(): readonly string[]
}

export interface StrangersDeps {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly log: Log
  /** Told how many runs are left to others, as often as that is looked at. */
  readonly onNotMine: (runs: number) => void
}

interface Stranger {
  /** By the monotonic clock. */
  readonly until: number
  readonly times: number
}

const strangersMax = 5_000
const firstRestMs = 250
const longestRestMs = 15_000
/** Not looked at for so long after its rest, a run was advanced by others. */
const goneMs = 60_000

/** Nothing is kept beyond this process: another start looks at every run anew. */
export function createStrangers({ clock, log, onNotMine }: StrangersDeps): Strangers {
  const strangers = new LRUCache<string, Stranger>({ max: strangersMax })
  return {
    leave({ runId, tenantId }, why) {
      const times = (strangers.get(runId)?.times ?? 0) + 1
      if (times === 1) log.warn('a run is left to other processes', { runId, tenantId, why })
      const restMs = Math.min(longestRestMs, firstRestMs * 2 ** Math.min(times - 1, 10))
      strangers.set(runId, { until: clock.monotonic() + restMs, times })
      onNotMine(strangers.size)
    },
    forget(runId) {
      if (strangers.delete(runId)) onNotMine(strangers.size)
    },
    resting() {
      if (strangers.size === 0) return []
      const now = clock.monotonic()
      for (const [runId, { until }] of strangers) if (until + goneMs < now) strangers.delete(runId)
      onNotMine(strangers.size)
      return [...strangers].flatMap(([runId, { until }]) => (until > now ? [runId] : []))
    },
  }
}
