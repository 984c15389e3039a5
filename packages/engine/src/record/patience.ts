/** Patience: the same port call again, with back-off, until it answers or the process stops (P3 of the ports). */
import { NewerError } from '@signalbox/core'
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

/** Tries of what may fail for good: the last one begins some 7 s after the first. */
const triesMax = 9

/** Repeats `attempt` after every throw but a TerminalError. The operation must be one that may be repeated. */
export const insist = <T>(
  patience: Patience,
  what: string,
  attempt: () => Promise<T>,
): Promise<T> => repeat(patience, { what, most: Infinity }, attempt)

/** The same, but throws what the last of nine tries threw: for what may fail for good, and must not hold up its run then. */
export const tryAgain = <T>(
  patience: Patience,
  what: string,
  attempt: () => Promise<T>,
): Promise<T> => repeat(patience, { what, most: triesMax }, attempt)

async function repeat<T>(
  patience: Patience,
  { what, most }: { readonly what: string; readonly most: number },
  attempt: () => Promise<T>,
): Promise<T> {
  for (let n = 1; ; n++) {
    try {
      return await attempt()
    } catch (error) {
      const isFinal = error instanceof TerminalError || error instanceof NewerError
      if (isFinal || patience.stopped.aborted || n >= most) throw error
      patience.log.warn(`${what} failed, trying again`, { attempt: n, error: messageOf(error) })
      const backoff = Math.min(capMs, baseMs * 2 ** Math.min(n - 1, 10))
      await patience.clock.sleep(backoff * (0.5 + patience.random.unit()), patience.stopped)
    }
  }
}
