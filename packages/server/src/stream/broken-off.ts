/**
 * Streams that end before their time. The client sees a connection that breaks, and nothing of why: what ends a stream is
 * printed by the HTTP server, which may write its message into the body, too.
 */
import type { Log } from '@signalbox/engine'

/**
 * Ends a connection on purpose, the process stops or the client is too slow: closed in order, the stream would be taken for
 * whole. One line, and nothing in it that is not meant for everybody.
 */
export class BrokenOff extends Error {
  override readonly name = 'BrokenOff'
  override readonly stack = ''
}

/** What a stream is ended with in the place of `error`, which goes to the log unless it was on purpose. */
export function brokenBy(log: Pick<Log, 'error'>, error: unknown): BrokenOff {
  if (error instanceof BrokenOff) return error
  log.error('a stream broke', {
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  })
  return new BrokenOff('the stream broke off; the log says why')
}
