/**
 * What the appends of this process say of the register: a database that is full or read-only answers every question, and takes nothing.
 *
 * A1 After an append has failed for trouble of the register, this process is well again when one has worked, or a probe has.
 * A2 An append that has waited for ten seconds is trouble as well: its connection may be silent.
 */
import type { Register } from '@signalbox/engine'
import { around } from '../http/patience.ts'
import { troubleIn } from '../http/register-errors.ts'

const waitMsMax = 10_000

export class Appends {
  readonly #begun = new Set<number>()
  #failure: unknown = null

  /** The same register, watched. */
  watch(register: Register): Register {
    return around(register, async (ask, method) => {
      if (method !== 'append' && method !== 'appendMany') return ask()
      const began = performance.now() + this.#begun.size / 1e6
      this.#begun.add(began)
      try {
        const answer = await ask()
        this.#failure = null
        return answer
      } catch (error) {
        if (troubleIn(error) !== null) this.#failure = error
        throw error
      } finally {
        this.#begun.delete(began)
      }
    })
  }

  /** The failure of the last append, or null. */
  get failure(): unknown {
    return this.#failure
  }

  /** Milliseconds that the longest append has waited beyond what one may. 0: none has. */
  get overdueMs(): number {
    const [oldest] = this.#begun
    const waited = oldest === undefined ? 0 : performance.now() - oldest
    return waited > waitMsMax ? waited : 0
  }

  /** A probe has written. */
  worked(): void {
    this.#failure = null
  }
}
