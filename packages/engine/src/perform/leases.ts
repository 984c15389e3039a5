/**
 * Leases of the effects in flight in this process: renewed together, aborted by a cancel signal (a wake) or by what a
 * renewal answers (the backstop: a lost wake costs at most `renewMs`).
 */
import { AbortError, type AbortCause, messageOf } from '../errors.ts'
import type { Clock, Log, Register } from '../ports.ts'

export interface Lease {
  readonly effectId: string
  readonly runId: string
  readonly attempt: number
}

export interface Leases {
  /** Runs `work` under a lease, with a signal that its end, a cancel or a shutdown aborts. */
  hold<T>(lease: Lease, work: (signal: AbortSignal) => Promise<T>): Promise<T>
  /** Aborts everything in flight for these runs. */
  abortRuns(runIds: readonly string[], cause: AbortCause): void
  /** Aborts everything, and gives the leases back so that others take over at once. */
  release(): Promise<void>
  readonly size: number
}

export interface LeasesDeps {
  readonly register: Register
  readonly clock: Clock
  readonly log: Log
  readonly leaseMs: number
  readonly renewMs: number
  readonly stopped: AbortSignal
}

interface Held extends Lease {
  readonly controller: AbortController
}

export function createLeases(deps: LeasesDeps): Leases {
  const held = new Map<string, Held>()
  let renewing = false

  const abort = (one: Held, cause: AbortCause): void => {
    if (!one.controller.signal.aborted) one.controller.abort(new AbortError(cause))
  }

  const renewOnce = async (): Promise<void> => {
    const now = [...held.values()]
    const answers = await deps.register.renew(now, deps.leaseMs)
    for (const answer of answers) {
      const one = held.get(answer.effectId)
      if (!one || !now.includes(one)) continue
      if (answer.cancel) abort(one, 'cancelled')
      else if (!answer.kept) abort(one, 'lease_lost')
    }
  }

  const renewWhileHeld = async (): Promise<void> => {
    if (renewing) return
    renewing = true
    while (held.size > 0 && !deps.stopped.aborted) {
      await deps.clock.sleep(deps.renewMs, deps.stopped)
      // What is given back at the end is not taken again.
      if (held.size === 0 || deps.stopped.aborted) break
      await renewOnce().catch((error: unknown) =>
        deps.log.warn('leases could not be renewed', { error: messageOf(error) }),
      )
    }
    renewing = false
  }

  return {
    async hold(lease, work) {
      const controller = new AbortController()
      const one = { ...lease, controller }
      held.set(lease.effectId, one)
      void renewWhileHeld()
      try {
        return await work(controller.signal)
      } finally {
        if (held.get(lease.effectId) === one) held.delete(lease.effectId)
      }
    },
    abortRuns(runIds, cause) {
      for (const one of held.values()) if (runIds.includes(one.runId)) abort(one, cause)
    },
    async release() {
      const now = [...held.values()]
      for (const one of now) abort(one, 'shutdown')
      if (now.length > 0) await deps.register.renew(now, 0)
    },
    get size() {
      return held.size
    },
  }
}
