/**
 * One living passport, for everybody in the process who asks for it.
 *
 * L1 One look at a time, and none within `everyMs` of the last; who asks during a look waits for it.
 * L2 The finding of a look holds for `passportStaleMsMax` from the beginning of the look that found it, however often looks
 *    fail after that; then there is no answer. So a changed status is effective within that time, or nothing is.
 * L3 A clock that was turned back makes a look due, never an old finding young.
 */
import { messageOf } from '@signalbox/engine'
import { bounds } from '../bounds.ts'
import { join, within } from '../deadline.ts'
import type { LookResult, Look } from './look.ts'

/** How to look, how often (milliseconds), and until when. */
export interface LiveOptions {
  readonly look: Look
  readonly everyMs: number
  readonly now: () => number
  /** Ends a look that is under way. */
  readonly closing: AbortSignal
  /** Told when the source begins to fail, and with null when it is back. */
  readonly onTurn: (failure: string | null) => void
}

/** A passport with a source. */
export class LivePassport {
  readonly #options: LiveOptions
  #found: { readonly what: LookResult; readonly at: number } | null = null
  #lookedAt: number | null = null
  #looking: Promise<void> | null = null
  #failure: string | null = null

  constructor(options: LiveOptions) {
    this.#options = options
  }

  /** The passport as it is. Rejects when its source has been silent for too long, and with the signal's reason. */
  async read(signal: AbortSignal): Promise<LookResult> {
    if (this.#looking === null && this.#isDue()) this.#looking = this.#lookOnce()
    if (this.#looking !== null) await join(this.#looking, signal)
    if (this.#found !== null && this.#age(this.#found.at) <= bounds.passportStaleMsMax) {
      return this.#found.what
    }
    throw new Error(`The living passport cannot be read: ${this.#failure ?? 'the clock jumped'}`)
  }

  #isDue(): boolean {
    return this.#lookedAt === null || this.#age(this.#lookedAt) >= this.#options.everyMs
  }

  /** Milliseconds; endless when the clock was turned back. */
  #age(since: number): number {
    const age = this.#options.now() - since
    return age < 0 ? Infinity : age
  }

  /** Never rejects: who waits for it reads what it left behind. */
  async #lookOnce(): Promise<void> {
    const at = this.#options.now()
    this.#lookedAt = at
    const { look, closing } = this.#options
    const ms = bounds.passportLookMsMax
    try {
      const found = await within({ ms, signal: closing, late: `No answer within ${ms} ms.` }, look)
      if (found !== 'unchanged') this.#found = { what: found, at }
      else if (this.#found !== null) this.#found = { what: this.#found.what, at }
      this.#turn(null)
    } catch (error) {
      this.#turn(messageOf(error))
    } finally {
      this.#looking = null
    }
  }

  #turn(failure: string | null): void {
    const turned = (failure === null) !== (this.#failure === null)
    this.#failure = failure
    if (turned) this.#options.onTurn(failure)
  }
}
