/** The time of a call that it uses itself: it stands still while the call waits for the register, which may be away for a minute. */
import type { CallFiles, CallSkills, Clock } from '@signalbox/engine'
import { pause } from './clock.ts'

export class OwnTime {
  readonly #clock: Clock
  #waits = 0
  #waitedMs = 0
  /** Since when something is waited for, by the monotonic clock. */
  #since = 0
  /** Resolves when nothing is waited for. */
  #free: Promise<void> = Promise.resolve()
  #setFree: () => void = () => undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Stands still until `wait` has settled, and settles as it does. */
  async without<T>(wait: Promise<T>): Promise<T> {
    if (this.#waits === 0) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#free = promise
      this.#setFree = resolve
      this.#since = this.#clock.monotonic()
    }
    this.#waits += 1
    try {
      return await wait
    } finally {
      this.#waits -= 1
      if (this.#waits === 0) {
        this.#waitedMs += this.#clock.monotonic() - this.#since
        this.#setFree()
      }
    }
  }

  /** Resolves when `ms` milliseconds of it are used up, or when the signal aborts. Never rejects. */
  async passes(ms: number, signal: AbortSignal): Promise<void> {
    const began = this.#clock.monotonic()
    for (let left = ms; left > 0 && !signal.aborted;) {
      await pause(this.#clock, left, signal)
      await this.#free
      left = ms - (this.#clock.monotonic() - began - this.#waitedMs)
    }
  }
}

/** Files whose register is waited for at no cost of the call. */
export const filesBeside = (time: OwnTime, { tree, read }: CallFiles): CallFiles => ({
  tree: () => time.without(tree()),
  read: (key) => time.without(read(key)),
})

/** The same of skills. */
export const skillsBeside = (time: OwnTime, { bundle, ...skills }: CallSkills): CallSkills => ({
  ...skills,
  bundle: (skill) => time.without(bundle(skill)),
})
