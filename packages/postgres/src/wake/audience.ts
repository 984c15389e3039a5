import type { Log } from '@signalbox/engine'

/**
 * Subscribers of this process, by key. A listener runs in a microtask of its own: the publisher is never held up by
 * one, never hears what it throws, and never finds himself called back in the middle of a publish.
 */
export class Audience<Value> {
  readonly #listeners = new Map<string, Set<(value: Value) => void>>()
  readonly #log: Log

  constructor(log: Log) {
    this.#log = log
  }

  get keys(): IterableIterator<string> {
    return this.#listeners.keys()
  }

  has(key: string): boolean {
    return this.#listeners.has(key)
  }

  /** Answers a function that takes the listener away; then it is not called any more, not even with what is under way. */
  add(key: string, listener: (value: Value) => void): () => void {
    // A wrapper of our own: the same function may be subscribed twice.
    const own = (value: Value): void => listener(value)
    const listeners = this.#listeners.get(key) ?? new Set()
    this.#listeners.set(key, listeners.add(own))
    return () => {
      listeners.delete(own)
      if (listeners.size === 0 && this.#listeners.get(key) === listeners) {
        this.#listeners.delete(key)
      }
    }
  }

  tell(key: string, value: Value): void {
    const listeners = this.#listeners.get(key)
    for (const listener of listeners ?? []) {
      queueMicrotask(() => {
        if (listeners?.has(listener) !== true) return
        try {
          listener(value)
        } catch (error) {
          const message = error instanceof Error ? error.message : 'unknown'
          this.#log.error('a listener of the wake bus threw', { error: message })
        }
      })
    }
  }

  clear(): void {
    for (const listeners of this.#listeners.values()) listeners.clear()
    this.#listeners.clear()
  }
}
