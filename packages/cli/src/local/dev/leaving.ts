/** Configurations that were replaced, and still execute what they had in hand. */
import type { Signalbox } from '@signalbox/server'
import type { Terminal } from '../../output/terminal.ts'

/** Each has connections of its own to the database. */
const most = 3
/** What ends sooner is not worth a line. */
const patienceMs = 2_000

export class Leaving {
  readonly #terminal: Terminal
  readonly #all = new Map<Signalbox, Promise<void>>()

  constructor(terminal: Terminal) {
    this.#terminal = terminal
  }

  /** Lets it end what it executes, however long that takes, and closes it then. */
  add(signalbox: Signalbox): void {
    if (this.#all.has(signalbox)) return
    this.#all.set(
      signalbox,
      this.#leave(signalbox).finally(() => this.#all.delete(signalbox)),
    )
  }

  /** Waits until there is room for another one. */
  async room(): Promise<void> {
    if (this.#all.size < most) return
    this.#terminal.line(
      `\n  ${this.#all.size} earlier configurations still execute calls. The change is taken when one of them has ended.`,
    )
    while (this.#all.size >= most) await Promise.race(this.#all.values())
  }

  /** Bounds what is left by the grace of each. */
  async stop(): Promise<void> {
    await Promise.all([...this.#all.keys()].map((signalbox) => signalbox.stop()))
  }

  async #leave(signalbox: Signalbox): Promise<void> {
    let isLong = false
    const timer = setTimeout(() => {
      isLong = true
      this.#terminal.line(
        '  What was executing goes on to its end under the configuration from before.',
      )
    }, patienceMs)
    await signalbox.drain()
    clearTimeout(timer)
    await signalbox.stop()
    if (isLong) this.#terminal.line('  What was executing before the change has ended.')
  }
}
