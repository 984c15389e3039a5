import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '@signalbox/engine'

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    await sleep(ms, undefined, signal === undefined ? {} : { signal })
  },
}

/** Sleeps, or ends early when the signal aborts. Never rejects, whatever the clock does about an abort. */
export async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(ms, signal)
  } catch {
    // Aborted: the caller asked for the end of the pause, however it comes.
  }
}
