/** Tells the tapes of a process that a thread has a new run. A hint: whoever listens here also polls. */
export class ThreadBells {
  readonly #listeners = new Map<string, Set<() => void>>()

  /** Calls `ring` when the thread may have a new run. Answers the way to stop. */
  on(thread: string, ring: () => void): () => void {
    const listeners = this.#listeners.get(thread) ?? new Set()
    this.#listeners.set(thread, listeners.add(ring))
    return () => {
      listeners.delete(ring)
      if (listeners.size === 0) this.#listeners.delete(thread)
    }
  }

  ring(thread: string): void {
    for (const listener of this.#listeners.get(thread) ?? []) listener()
  }
}
