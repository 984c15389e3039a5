/**
 * A source that is opened again when it breaks off.
 *
 * R1 What can be waited out is waited out: the pause grows while nothing comes, and starts anew when something has.
 * R2 A server that lets nothing through for `patienceMs` is given up, with the last error. A refusal at once.
 */
import { SignalboxError, unreachable } from './error.ts'
import type { RetryRule } from './options.ts'
import { backoffMs, pause } from './pause.ts'

/** A connection that lasted so long was a good one, even if nothing came: the run may have waited. */
const steadyMs = 10_000

/** How a source is opened again. */
export interface Reconnect<Item> {
  readonly url: string
  readonly rule: RetryRule
  readonly signal?: AbortSignal | undefined
  /** Opens it behind what was read so far. Answers true at its end, false where it broke off. */
  readonly connect: () => AsyncGenerator<Item, boolean>
  /** Told when a connection is lost. */
  readonly onBreak?: ((error: SignalboxError) => void) | undefined
}

/** Reads the source to its end. @throws SignalboxError */
export async function* reconnecting<Item>(
  options: Reconnect<Item>,
): AsyncGenerator<Item, void, undefined> {
  const { rule, signal, connect, onBreak } = options
  let lostAt: number | null = null
  for (let tries = 1; ; tries++) {
    const openedAt = performance.now()
    let broken: SignalboxError
    const source = connect()
    try {
      for (let next = await source.next(); ; next = await source.next()) {
        if (next.done) {
          if (next.value) return
          broken = unreachable(options.url)
          break
        }
        lostAt = null
        tries = 1
        yield next.value
      }
    } catch (error) {
      if (!(error instanceof SignalboxError) || !error.retry.mayHelp) throw error
      broken = error
    } finally {
      await source.return(false)
    }
    signal?.throwIfAborted()
    const now = performance.now()
    if (now - openedAt > steadyMs) lostAt = null
    lostAt ??= now
    const pauseMs = Math.max(broken.retry.afterMs ?? 0, backoffMs(tries, rule))
    if (now + pauseMs - lostAt > rule.patienceMs) throw broken
    onBreak?.(broken)
    await pause(pauseMs, signal)
  }
}
