/**
 * The end of an engine, once: within the grace of a stop, or after as long as its work takes.
 *
 * A process that is replaced by a newer one of the same machine has no reason to cut what it executes: its calls end, their
 * results are recorded, and the other process goes on with the runs. A later stop bounds that wait.
 */
import type { Engine } from '@signalbox/engine'

/** No call executes longer. Milliseconds. */
const drainMsMax = 86_400_000

export class Departure {
  readonly #engine: Pick<Engine, 'stop'>
  readonly #graceMs: number
  readonly #cut = new AbortController()
  #drained: Promise<void> | null = null

  constructor(engine: Pick<Engine, 'stop'>, graceMs: number) {
    this.#engine = engine
    this.#graceMs = graceMs
  }

  /** Claims nothing more; resolves when everything that executes here has ended, or was cut by `stop`. */
  drain(): Promise<void> {
    this.#drained ??= this.#engine.stop(drainMsMax, this.#cut.signal)
    return this.#drained
  }

  /** Waits for what executes as long as the grace says, and hands the rest over. */
  async stop(): Promise<void> {
    if (this.#drained === null) return this.#engine.stop(this.#graceMs)
    const timer = setTimeout(() => this.#cut.abort(), this.#graceMs)
    await this.#drained
    clearTimeout(timer)
  }
}
