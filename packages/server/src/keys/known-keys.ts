/**
 * Keys that were shown lately, so that not every request asks Postgres.
 *
 * C1 What is known of a key was read at most `keptMsMax` ago, counted from before the question was asked, and is not used
 *    beyond the moment the key expires: so every replica stops to believe a revoked key within that time.
 * C2 What is not a key is asked anew each time: whoever guesses fills no memory.
 * C3 If Postgres does not answer, nobody is known.
 */
import type { Keyring, ShownKey } from '@signalbox/postgres'
import type { ReadKey } from './key-text.ts'

/** How long a key is believed without asking. Milliseconds. */
export const keptMsMax = 3_000
/** Keys kept at once. Beyond it the one that was learnt first is forgotten. */
const keptMax = 10_000

interface Kept {
  readonly asked: Promise<ShownKey | null>
  until: number
}

export class KnownKeys {
  readonly #keyring: Pick<Keyring, 'shown'>
  readonly #now: () => number
  readonly #kept = new Map<string, Kept>()

  /** `now` is a clock that never goes back. Milliseconds. */
  constructor(keyring: Pick<Keyring, 'shown'>, now: () => number = () => performance.now()) {
    this.#keyring = keyring
    this.#now = now
  }

  /** What the database knows of the key, now or a moment ago. Null: it is none. Rejects if the database does. */
  async shown(key: ReadKey): Promise<ShownKey | null> {
    const kept = this.#kept.get(key.digest)
    if (kept && this.#now() < kept.until) return kept.asked
    const begun = this.#now()
    // Whoever comes while the answer is under way waits for the same one.
    const asking: Kept = { asked: this.#keyring.shown(key), until: begun + keptMsMax }
    this.#keep(key.digest, asking)
    try {
      const shown = await asking.asked
      if (shown === null) this.#drop(key.digest, asking)
      else if (shown.leftMs !== null) asking.until = begun + Math.min(keptMsMax, shown.leftMs)
      return shown
    } catch (error) {
      this.#drop(key.digest, asking)
      throw error
    }
  }

  #keep(digest: string, asking: Kept): void {
    this.#kept.delete(digest)
    this.#kept.set(digest, asking)
    if (this.#kept.size <= keptMax) return
    const [first] = this.#kept.keys()
    if (first !== undefined) this.#kept.delete(first)
  }

  #drop(digest: string, asking: Kept): void {
    if (this.#kept.get(digest) === asking) this.#kept.delete(digest)
  }
}
