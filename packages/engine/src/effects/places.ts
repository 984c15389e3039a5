/**
 * The places of a process for model calls, and who waits for one: tenants take turns. Nobody waits while a place is free, so
 * whoever decides right now never has one before those who wait.
 */
import { createWaitingRoom } from './waiting-room.ts'

export interface Places {
  /** May the call begin now? Yes for one that was called in, else if there is room. */
  grant(effectId: string): boolean
  /** Is called in when it is its turn. */
  wait(call: { readonly effectId: string; readonly tenantId: string }): void
  /** Holds a place until the work settles. It must not reject. */
  hold(work: Promise<void>): void
  idle(): Promise<void>
}

/** Calls that are remembered while there is no room. Beyond these the reconciler announces them again. */
const waitingMax = 10_000

export function createPlaces(from: {
  /** Places. A burst may exceed them by the calls that begin at once. */
  readonly most: number
  /** Aborted when nothing more may begin. */
  readonly draining: AbortSignal
  /** Calls one in. Resolves when it has begun, or came to nothing. */
  readonly callIn: (effectId: string) => Promise<void>
}): Places {
  const running = new Set<Promise<void>>()
  const waiting = createWaitingRoom(waitingMax)
  /** Called in, until it runs or came to nothing: each holds a place. */
  const called = new Set<string>()

  const isFull = (): boolean => running.size + called.size >= from.most || from.draining.aborted

  const fill = (): void => {
    while (!isFull()) {
      const next = waiting.next()
      if (next === undefined) return
      called.add(next)
      void from.callIn(next).finally(() => {
        called.delete(next)
        fill()
      })
    }
  }

  return {
    grant: (effectId) => (called.has(effectId) ? !from.draining.aborted : !isFull()),
    wait(call) {
      if (from.draining.aborted) return
      waiting.add(call)
      fill()
    },
    hold(work) {
      running.add(work)
      void work.finally(() => {
        running.delete(work)
        fill()
      })
    },
    async idle() {
      while (running.size > 0) await Promise.all(running)
    },
  }
}
