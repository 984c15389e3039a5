/**
 * When the runs that a process follows have something new: one subscription of the wake bus, and one look at the register
 * now and then, for all who follow, however many they are.
 *
 * W1 A wake is a hint. What the bus loses, a look finds, once the register answers.
 * W2 Who is called and reads then, finds what it was called for: bus and look tell of what is committed. Whose reading
 *    fails has to try again by itself.
 */
import type { Log, WakeBus } from '@signalbox/engine'
import { isUnavailable } from '../http/register-errors.ts'
import type { ReadModel } from '../read-model.ts'

/** A run to follow. */
export interface Followed {
  readonly tenantId: string
  readonly runId: string
}

export interface RunWakesDeps {
  readonly bus: Pick<WakeBus, 'subscribe'>
  readonly read: Pick<ReadModel, 'runsBeyond'>
  readonly log: Pick<Log, 'warn' | 'error'>
  /** From the end of one look to the next. */
  readonly lookMs: number
}

interface Entry {
  readonly tenantId: string
  readonly listeners: Set<() => void>
  /** What the last look found. Of a new one nothing is known, so that its first look calls. */
  seq: number
}

export class RunWakes {
  readonly #followed = new Map<string, Entry>()
  readonly #unsubscribe: () => void
  readonly #deps: RunWakesDeps
  #next: NodeJS.Timeout | null = null
  #closed = false

  constructor(deps: RunWakesDeps) {
    this.#deps = deps
    this.#unsubscribe = deps.bus.subscribe('run', (ids) => {
      for (const id of ids) this.#call(id)
    })
  }

  /** Calls `wake` when the run may have new events. Answers the way to stop. */
  on({ tenantId, runId }: Followed, wake: () => void): () => void {
    const entry = this.#followed.get(runId) ?? { tenantId, listeners: new Set(), seq: -1 }
    this.#followed.set(runId, entry)
    entry.listeners.add(wake)
    this.#lookLater()
    return () => {
      entry.listeners.delete(wake)
      if (entry.listeners.size === 0) this.#followed.delete(runId)
    }
  }

  close(): void {
    this.#closed = true
    this.#unsubscribe()
    this.#followed.clear()
    if (this.#next) clearTimeout(this.#next)
  }

  #call(runId: string): void {
    for (const wake of this.#followed.get(runId)?.listeners ?? []) wake()
  }

  /** While somebody follows, there is always a next look. */
  #lookLater(): void {
    if (this.#next || this.#closed || this.#followed.size === 0) return
    this.#next = setTimeout(() => void this.#lookAgainAndAgain(), this.#deps.lookMs)
  }

  async #lookAgainAndAgain(): Promise<void> {
    await this.#look()
    this.#next = null
    this.#lookLater()
  }

  async #look(): Promise<void> {
    const tenants = Map.groupBy(this.#followed, ([, { tenantId }]) => tenantId)
    for (const [tenantId, entries] of tenants) {
      if (this.#closed) return
      const known = entries.map(([runId, { seq }]) => ({ runId, seq }))
      for (const { runId, seq } of await this.#beyond(tenantId, known)) {
        const entry = this.#followed.get(runId)
        if (entry) entry.seq = seq
        this.#call(runId)
      }
    }
  }

  async #beyond(tenantId: string, known: readonly { runId: string; seq: number }[]) {
    const { read, log } = this.#deps
    try {
      return await read.runsBeyond(tenantId, known)
    } catch (error) {
      // The register may be closed meanwhile, too.
      if (this.#closed) return []
      const runs = known.length
      if (isUnavailable(error)) log.warn('the runs of streams wait for the register', { runs })
      else log.error('the runs of streams could not be looked at', { runs, error })
      return []
    }
  }
}
