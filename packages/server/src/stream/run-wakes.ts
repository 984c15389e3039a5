/**
 * One subscription of the wake bus for all streams of a process.
 *
 * A wake is a hint: whoever listens here also polls.
 */
import type { WakeBus } from '@signalbox/engine'

export class RunWakes {
  readonly #listeners = new Map<string, Set<() => void>>()
  readonly #unsubscribe: () => void

  constructor(bus: Pick<WakeBus, 'subscribe'>) {
    this.#unsubscribe = bus.subscribe('run', (ids) => {
      for (const id of ids) for (const wake of this.#listeners.get(id) ?? []) wake()
    })
  }

  /** Calls `wake` when the run may have new events. Answers the way to stop. */
  on(runId: string, wake: () => void): () => void {
    const listeners = this.#listeners.get(runId) ?? new Set()
    this.#listeners.set(runId, listeners.add(wake))
    return () => {
      listeners.delete(wake)
      if (listeners.size === 0) this.#listeners.delete(runId)
    }
  }

  close(): void {
    this.#unsubscribe()
    this.#listeners.clear()
  }
}
