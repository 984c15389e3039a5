/** Patience: the same port call again, with back-off, until it answers or the process stops (P3 of the ports). */
import type { Clock, Log, Random } from '../ports.ts'
import { messageOf, TerminalError } from '../errors.ts'

const baseMs = 50
const capMs = 2_000

export interface Patience {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Aborted when the process stops: then the last error is thrown. */
  readonly stopped: AbortSignal
}

/** Repeats `attempt` after every throw but a TerminalError. The operation must be one that may be repeated. */
export async function insist<T>(
  patience: Patience,
  what: string,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let n = 0; ; n++) {
    try {
      return await attempt()
    } catch (error) {
      if (error instanceof TerminalError || patience.stopped.aborted) throw error
      patience.log.warn(`${what} failed, trying again`, { attempt: n + 1, error: messageOf(error) })
      const backoff = Math.min(capMs, baseMs * 2 ** Math.min(n, 10))
      await patience.clock.sleep(backoff * (0.5 + patience.random.unit()), patience.stopped)
    }
  }
}
