/**
 * What the writes of this process say of the register: a database that is full or read-only answers every question, and takes nothing.
 *
 * A1 After a call has failed for trouble of the register, this process is well again when a probe has written. The success of another
 *    call is no proof: a small append may find room where a large one does not.
 * A2 An append that has waited for ten seconds is trouble as well: its connection may be silent.
 */
import type { Register } from '@signalbox/engine'
import { around } from '../http/patience.ts'
import { troubleIn } from '../http/register-errors.ts'

const waitMsMax = 10_000

export class Writes {
  readonly #begun = new Set<{ readonly at: number }>()
  #failure: unknown = null

  /** The same register, watched. */
  watch(register: Register): Register {
    return around(register, async (ask, method) => {
      const call = { at: performance.now() }
      if (method === 'append' || method === 'appendMany') this.#begun.add(call)
      try {
        return await ask()
      } catch (error) {
        if (troubleIn(error) !== null) this.#failure = error
        throw error
      } finally {
        this.#begun.delete(call)
      }
    })
  }

  /** What a call failed with since a probe has written, or null. */
  get failure(): unknown {
    return this.#failure
  }

  /** Milliseconds that the oldest append has waited, if that is longer than one may; else 0. */
  get overdueMs(): number {
    const [oldest] = this.#begun
    const waited = oldest === undefined ? 0 : performance.now() - oldest.at
    return waited > waitMsMax ? waited : 0
  }

  /** A probe has written. */
  worked(): void {
    this.#failure = null
  }
}
