/**
 * Tool calls that wait for a worker. Each is announced once, by the process that decided it; what a queue has lost shows in its
 * number of jobs, so that a backlog costs the same however long it waits.
 *
 * B1 A call is announced again only where its queue holds fewer jobs than calls wait there: at most as many calls as jobs are
 *    missing, and each at most once in a while (`takeWaiting`). A queue that cannot say how much it holds is not sent anything.
 * B2 A job of any call stands for one that waits (T2 of turns.ts). So the number decides, and not whose jobs are there.
 * B3 The number in a hint names the job of a call. It stays while the call waits, so that a queue which still has the job drops
 *    the repetition. A claim changes it; so does a repetition that led to no claim, less often each time: the job may be in the
 *    hands of a process that neither dies nor goes on.
 */
import { messageOf } from '../errors.ts'
import type { Clock, Dispatcher, EffectRow, Hint, Log, Register } from '../ports.ts'
import type { EngineSettings } from '../settings.ts'

export interface BacklogDeps {
  readonly register: Pick<Register, 'waitingCalls' | 'takeWaiting'>
  readonly dispatcher: Pick<Dispatcher, 'depth'>
  readonly dispatch: (hints: readonly Hint[]) => Promise<void>
  readonly clock: Pick<Clock, 'monotonic'>
  readonly log: Log
  readonly settings: Pick<EngineSettings, 'pollMs' | 'redispatchMs'>
}

/** Announces again what queues have lost. Answers the most that one queue was sent, at most `batchMax`. */
export type LookAtBacklog = () => Promise<number>

/** Calls that a look announces again per queue. */
export const batchMax = 500
/** Looks take at most this share of the time, however many calls there are to count. */
const shareMax = 0.05
const pauseMsMax = 5_000

export function createBacklog(deps: BacklogDeps): LookAtBacklog {
  const { register, clock, log, settings } = deps
  let nextAt = 0
  /** Queues that did not say how much they hold when they were last asked. */
  const silent = new Set<string>()
  return async () => {
    const began = clock.monotonic()
    if (began < nextAt) return 0
    let most = 0
    for (const { queue, calls } of await register.waitingCalls()) {
      try {
        most = Math.max(most, await announce(deps, queue, calls))
        silent.delete(queue)
      } catch (error) {
        // Once for each time that the queue is away, however often it is looked at.
        if (!silent.has(queue))
          log.warn('a queue was not looked at', { queue, error: messageOf(error) })
        silent.add(queue)
      }
    }
    const took = clock.monotonic() - began
    const pause = Math.min(Math.max(settings.pollMs, took / shareMax), pauseMsMax)
    nextAt = most === batchMax ? 0 : began + pause
    return most
  }
}

async function announce(deps: BacklogDeps, queue: string, calls: number): Promise<number> {
  const missing = Math.min(calls - (await deps.dispatcher.depth(queue)), batchMax)
  if (missing <= 0) return 0
  const rows = await deps.register.takeWaiting(queue, deps.settings.redispatchMs, missing)
  if (rows.length > 0) await deps.dispatch(rows.map(hintOf))
  return rows.length
}

/** The hint about a call that was taken from the register, which counts how often (`dispatches`). */
export function hintOf({ effectId, queue, attempt, dispatches }: EffectRow): Hint {
  return { effectId, queue, dispatch: attempt + Math.floor(Math.log2(Math.max(1, dispatches - 1))) }
}
