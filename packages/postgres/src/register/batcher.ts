/**
 * Carries appends of many runs in one statement (DESIGN §3.8).
 *
 * B1 One run alone never waits: an item goes at once while no statement is out. While some are, items gather until there
 *    are `gatherItems` for each of them, one comes back, or `gatherMs` have passed: an item costs the database half as
 *    much in company, and must not wait for a statement that waits for a lock.
 * B2 A batch holds at most one item per run, `limits.batchItemsMax` items and `limits.batchBytesMax` bytes, sorted by run
 *    id: unsorted batches deadlock.
 * B3 Items of one run keep their order: the next one waits until the answer to the one before is there.
 * B4 A batch that fails as a statement is repeated item by item: a poisoned item harms only itself.
 * B5 An item whose decision may be what is wrong with it is repeated without: the decision harms no fact.
 */
import { limits } from '@signalbox/core'
import type { AppendResult } from '@signalbox/engine'
import {
  faultOfItem,
  isStatementError,
  type ItemParcel,
  rejected,
  undecidedItem,
  withoutDecision,
  wrap,
} from './encode.ts'

/** Sends parcels, sorted by run id, as one statement; answers in the same order. */
export type Send = (parcels: readonly ItemParcel[]) => Promise<readonly AppendResult[]>

/** How appends are batched. */
export interface BatchOptions {
  /** Statements at the same time. */
  readonly maxInFlight: number
  /** Items that are worth another statement beside those that are out. 1: none waits while there is room. */
  readonly gatherItems: number
  /** How long an item waits for company at most, while there is room for a statement. */
  readonly gatherMs: number
  /** Items per statement, at most `limits.batchItemsMax`. */
  readonly maxItems: number
  /** Items that may wait; beyond it `add` throws. */
  readonly maxQueued: number
}

interface Waiting {
  readonly parcel: ItemParcel
  readonly resolve: (result: AppendResult) => void
  readonly reject: (error: unknown) => void
  readonly since: number
}

export class Batcher {
  readonly #send: Send
  readonly #options: BatchOptions
  readonly #busyRuns = new Set<string>()
  #queue: Waiting[] = []
  #inFlight = 0
  #timer: NodeJS.Timeout | null = null

  constructor(send: Send, options: BatchOptions) {
    this.#send = send
    this.#options = options
  }

  /** Rejects with what the connection failed with; the caller then does not know whether the item was written. */
  add(parcel: ItemParcel): Promise<AppendResult> {
    if (this.#queue.length >= this.#options.maxQueued) {
      return Promise.reject(new Error(`the register is busy: ${this.#queue.length} appends wait`))
    }
    return new Promise((resolve, reject) => {
      this.#queue.push({ parcel, resolve, reject, since: performance.now() })
      this.#pump()
    })
  }

  #pump(): void {
    while (this.#inFlight < this.#options.maxInFlight && this.#isWorthSending()) {
      const batch = this.#takeBatch()
      if (batch.length === 0) return
      this.#inFlight += 1
      void this.#deliver(batch).finally(() => {
        this.#inFlight -= 1
        for (const { parcel } of batch) this.#busyRuns.delete(parcel.runId)
        this.#pump()
      })
    }
    if (this.#queue.length > 0) this.#pumpLater()
  }

  #isWorthSending(): boolean {
    const { gatherItems, gatherMs } = this.#options
    if (this.#queue.length >= this.#inFlight * gatherItems) return true
    const [oldest] = this.#queue
    return oldest !== undefined && performance.now() - oldest.since >= gatherMs
  }

  #pumpLater(): void {
    if (this.#timer !== null) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.#pump()
    }, this.#options.gatherMs)
    // An item that waits here waits beside a statement whose connection keeps the process alive.
    this.#timer.unref()
  }

  #takeBatch(): Waiting[] {
    const batch: Waiting[] = []
    const left: Waiting[] = []
    let bytes = 0
    for (const waiting of this.#queue) {
      const { parcel } = waiting
      const fits =
        batch.length < Math.min(this.#options.maxItems, limits.batchItemsMax) &&
        (batch.length === 0 || bytes + parcel.bytes <= limits.batchBytesMax)
      if (!fits || this.#busyRuns.has(parcel.runId)) {
        left.push(waiting)
        continue
      }
      this.#busyRuns.add(parcel.runId)
      bytes += parcel.bytes
      batch.push(waiting)
    }
    this.#queue = left
    return batch.sort((a, b) => (a.parcel.runId < b.parcel.runId ? -1 : 1))
  }

  async #deliver(batch: readonly Waiting[]): Promise<void> {
    try {
      const results = await this.#send(batch.map((waiting) => waiting.parcel))
      for (const [n, waiting] of batch.entries()) answer(waiting, results[n])
    } catch (error) {
      if (batch.length > 1 && isStatementError(error)) {
        for (const waiting of batch) await this.#deliver([waiting])
        return
      }
      for (const waiting of batch) {
        const fault = batch.length === 1 ? faultOfItem(error) : null
        if (fault === null) waiting.reject(error)
        else await this.#deliverWithout(waiting, fault)
      }
    }
  }

  async #deliverWithout({ parcel, ...waiting }: Waiting, fault: string): Promise<void> {
    const { item } = parcel
    const rest = item.decision ? wrap(undecidedItem(item)) : null
    if (rest === null || 'code' in rest) return waiting.resolve(rejected(item, fault))
    const resolve = (result: AppendResult): void =>
      waiting.resolve(withoutDecision(item, result, fault))
    await this.#deliver([{ ...waiting, parcel: rest, resolve }])
  }
}

function answer(waiting: Waiting, result: AppendResult | undefined): void {
  if (result === undefined)
    waiting.reject(new Error('append answered fewer items than it was given'))
  else waiting.resolve(result)
}
