/** Notes when keys are used: seldom, and never while somebody waits for it. */
import type { Log } from '@signalbox/engine'
import type { Keyring } from '@signalbox/postgres'

const everyMs = 60_000
/** Keys that are remembered as noted. Beyond it all are forgotten, and noted again. */
const rememberedMax = 10_000

export class LastUsed {
  readonly #keyring: Pick<Keyring, 'touch'>
  readonly #log: Log
  readonly #noted = new Map<string, number>()

  constructor(keyring: Pick<Keyring, 'touch'>, log: Log) {
    this.#keyring = keyring
    this.#log = log
  }

  /** The key is in use. Returns at once; what cannot be written is tried again a minute later. */
  saw(id: string): void {
    const now = performance.now()
    const before = this.#noted.get(id)
    if (before !== undefined && now - before < everyMs) return
    if (this.#noted.size >= rememberedMax) this.#noted.clear()
    this.#noted.set(id, now)
    this.#keyring.touch([id]).catch((error: unknown) => {
      this.#log.debug('the last use of a key could not be noted', { key: id, error: String(error) })
    })
  }
}
