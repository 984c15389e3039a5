import type { Log } from '@signalbox/engine'

/** What was opened, to be closed in the opposite order. Closing goes on when a part of it fails. */
export class Closers {
  readonly #log: Log
  readonly #closers: { readonly what: string; readonly close: () => Promise<unknown> | void }[] = []

  #closed: Promise<void> | null = null

  constructor(log: Log) {
    this.#log = log
  }

  add(what: string, close: () => Promise<unknown> | void): void {
    this.#closers.push({ what, close })
  }

  /** Closes everything, once: asked again, it waits for the same. */
  close(): Promise<void> {
    this.#closed ??= this.#closeAll()
    return this.#closed
  }

  async #closeAll(): Promise<void> {
    for (const { what, close } of this.#closers.splice(0).toReversed()) {
      const began = performance.now()
      try {
        await close()
        this.#log.debug('closed', { what, ms: Math.round(performance.now() - began) })
      } catch (error) {
        this.#log.warn('could not be closed', { what, error: String(error) })
      }
    }
  }
}
