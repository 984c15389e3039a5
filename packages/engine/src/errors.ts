/**
 * Errors the engine throws. Each answers what the caller should do; expected outcomes are returned, never thrown.
 */
import type { Log } from './ports.ts'

/** Nothing was changed, and the same call may be made again after a while. */
export class RetryableError extends Error {
  override readonly name = 'RetryableError'
}

/** The register refused something the engine believes is right: a bug, or a limit. Repeating it does not help. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError'
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** Why a signal was aborted: what the performer must do about its effect. */
export type AbortCause =
  /** The run is being cancelled: the outcome is still reported. */
  | 'cancelled'
  /** The lease is somebody else's: the outcome may come too late. */
  | 'lease_lost'
  /** This process is going away: the effect is handed over. */
  | 'shutdown'

/** The reason with which the engine aborts a signal. */
export class AbortError extends Error {
  override readonly name = 'AbortError'
  readonly abortCause: AbortCause
  constructor(abortCause: AbortCause) {
    super(`aborted: ${abortCause}`)
    this.abortCause = abortCause
  }
}

/** The message of whatever was thrown. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

/** For a `catch`: says what failed, and goes on. */
export const warning =
  (log: Pick<Log, 'warn'>, message: string, about: Readonly<Record<string, unknown>> = {}) =>
  (error: unknown): void =>
    log.warn(message, { ...about, error: messageOf(error) })
