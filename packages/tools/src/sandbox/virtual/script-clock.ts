/** The wall clock of a script, which stands still while the script waits for a file: the register may be away for a minute. */
import { performance } from 'node:perf_hooks'

export class ScriptClock {
  readonly #onEnd: () => void
  #leftMs: number
  #runsSince: number
  #timer: NodeJS.Timeout
  #waits = 0
  #isStopped = false

  /** Runs at once; `onEnd` is called when `ms` milliseconds are used up. */
  constructor(ms: number, onEnd: () => void) {
    this.#leftMs = ms
    this.#onEnd = onEnd
    this.#runsSince = performance.now()
    this.#timer = setTimeout(onEnd, ms)
  }

  /** Stands still until `wait` has settled, and settles as it does. */
  async without<T>(wait: Promise<T>): Promise<T> {
    this.#waits += 1
    if (this.#waits === 1) {
      clearTimeout(this.#timer)
      this.#leftMs -= performance.now() - this.#runsSince
    }
    try {
      return await wait
    } finally {
      this.#waits -= 1
      if (this.#waits === 0 && !this.#isStopped) this.#goOn()
    }
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  #goOn(): void {
    this.#runsSince = performance.now()
    this.#timer = setTimeout(this.#onEnd, Math.max(0, this.#leftMs))
  }
}
