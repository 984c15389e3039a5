/** The listeners to channels within this process. A channel is open while it has any. */
import type { Log } from '@signalbox/engine'
import { describeError } from './health.ts'

type Listener = (items: readonly unknown[]) => void

/** Listeners by channel; tells the owner when the first one comes and the last one goes. */
export class Listeners {
  readonly #byChannel = new Map<string, Set<Listener>>()
  readonly #log: Log
  readonly #changed: (channel: string, open: boolean) => void

  constructor(log: Log, changed: (channel: string, open: boolean) => void) {
    this.#log = log
    this.#changed = changed
  }

  channels(): readonly string[] {
    return [...this.#byChannel.keys()]
  }

  has(channel: string): boolean {
    return this.#byChannel.has(channel)
  }

  /** Answers a function that ends it, once. */
  add(channel: string, listen: Listener): () => void {
    const listeners = this.#byChannel.get(channel) ?? new Set()
    // The same function may subscribe twice; each subscription ends on its own.
    const entry: Listener = (items) => listen(items)
    listeners.add(entry)
    if (!this.#byChannel.has(channel)) {
      this.#byChannel.set(channel, listeners)
      this.#changed(channel, true)
    }
    return () => {
      if (!listeners.delete(entry) || listeners.size > 0) return
      this.#byChannel.delete(channel)
      this.#changed(channel, false)
    }
  }

  /** A listener that throws is its own problem, not the publisher's and not the next one's. */
  deliver(channel: string, items: readonly unknown[]): void {
    for (const listen of this.#byChannel.get(channel) ?? []) {
      try {
        listen(items)
      } catch (error) {
        this.#log.error('a wake listener threw', { channel, error: describeError(error) })
      }
    }
  }

  clear(): void {
    this.#byChannel.clear()
  }
}
