import process from 'node:process'
import { exitCodes } from './exit-codes.ts'

/** The wish of the user that a command ends. */
export interface UserInterrupt {
  readonly signal: AbortSignal
  /** Gives the signals of the process back. */
  release(): void
}

/** The first SIGINT or SIGTERM asks, the second ends the process at once. */
export function listenForInterrupt(): UserInterrupt {
  const asked = new AbortController()
  const hear = () => {
    if (asked.signal.aborted) process.exit(exitCodes.interrupted)
    asked.abort()
  }
  process.on('SIGINT', hear).on('SIGTERM', hear)
  return {
    signal: asked.signal,
    release: () => void process.off('SIGINT', hear).off('SIGTERM', hear),
  }
}

/** Settles with the first SIGINT or SIGTERM. */
export const interrupted = ({ signal }: UserInterrupt): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
