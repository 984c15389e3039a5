/**
 * Dispatcher on BullMQ.
 *
 * D1 A hint that cannot be delivered is dropped and counted, never thrown: the reconciler finds its effect (I13).
 * D2 Hints of one turn of the event loop share one add per queue; one that comes alone does not wait for others.
 * D3 The job id is `<effectId>-<dispatch>`. A store keeps silent about an id that it holds, waiting or taken; of a job that
 *    has settled it holds nothing. So a call that waits has one job, however often it is announced.
 * D4 A store that took jobs takes jobs, also where it says so after the time of a dispatch.
 * D5 `depth` is bounded as a dispatch is, and rejects where that answers nothing.
 */
import type { Dispatcher, Hint, Log } from '@signalbox/engine'
import { limits } from '@signalbox/core'
import { type BullBackend, settings } from './backend.ts'
import { type EndHealth, ConnectionWatch } from './health.ts'
import { NoAnswer, orTimeout, settlesWithin } from './pace.ts'
import { postgresProducer } from './postgres-producer.ts'
import type { NewJob, Producer } from './producer.ts'
import { redisProducer } from './redis-producer.ts'

/** A dispatcher that also says how its store is. */
export interface BullDispatcher extends Dispatcher {
  health(): EndHealth
  /** Asks the store whether it takes jobs. Rejects if it does not; may hang while the store does. */
  answers(): Promise<void>
  /** False while the store is away or refuses jobs. */
  up(): boolean
}

/** Connects in the background; `dispatch` settles within 250 ms whatever the store does, and never rejects. */
export function createBullDispatcher(
  backend: BullBackend,
  options: { readonly log: Log },
): BullDispatcher {
  const watch = new ConnectionWatch(`${backend.kind} queue (dispatch)`, options.log)
  const producer =
    backend.kind === 'redis'
      ? redisProducer(backend, watch, options.log)
      : postgresProducer(backend, watch)
  return new BatchingDispatcher(producer, watch)
}

class BatchingDispatcher implements BullDispatcher {
  readonly #producer: Producer
  readonly #watch: ConnectionWatch
  #pending: Hint[] = []
  #flush: Promise<void> | null = null
  #inFlight = 0
  #closed = false

  constructor(producer: Producer, watch: ConnectionWatch) {
    this.#producer = producer
    this.#watch = watch
  }

  dispatch(hints: readonly Hint[]): Promise<void> {
    if (hints.length === 0 || this.#closed) return Promise.resolve()
    const room = settings.hintsInFlightMax - this.#inFlight - this.#pending.length
    if (hints.length > room) this.#watch.drop(hints.length - room, new Error('too many in flight'))
    for (const hint of hints.slice(0, Math.max(room, 0))) this.#pending.push(hint)
    this.#flush ??= new Promise((resolve) => {
      setImmediate(() => resolve(this.#send()))
    })
    return this.#flush
  }

  depth(queue: string): Promise<number> {
    if (this.#closed || !isName(queue)) return Promise.reject(new Error('no such queue'))
    return orTimeout(this.#producer.depth(queue), settings.depthTimeoutMs)
  }

  health(): EndHealth {
    return this.#watch.health()
  }

  answers(): Promise<void> {
    return this.#producer.answers()
  }

  up(): boolean {
    return this.health().status !== 'down'
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#flush
    this.#watch.end()
    await settlesWithin(this.#producer.close(), settings.closeMs)
  }

  async #send(): Promise<void> {
    const hints = this.#pending
    this.#pending = []
    this.#flush = null
    this.#inFlight += hints.length
    const batches = [...this.#byQueue(hints)].flatMap(([queue, jobs]) =>
      chunks([...jobs.values()], settings.jobsPerAddMax).map((chunk) => this.#add(queue, chunk)),
    )
    await Promise.all(batches)
    this.#inFlight -= hints.length
  }

  async #add(queue: string, jobs: readonly NewJob[]): Promise<void> {
    const adding = this.#producer.add(queue, jobs).then(() => this.#watch.connected())
    try {
      await orTimeout(adding, settings.dispatchTimeoutMs)
    } catch (error) {
      // A store that is silent is found out by its connection; a busy machine may be late as well.
      if (!(error instanceof NoAnswer)) this.#watch.refused(error)
      this.#watch.drop(jobs.length, error)
    }
  }

  /** A hint that the store would refuse is left out here, so that it cannot take its batch with it. */
  #byQueue(hints: readonly Hint[]): Map<string, Map<string, NewJob>> {
    const byQueue = new Map<string, Map<string, NewJob>>()
    for (const { effectId, queue, dispatch } of hints) {
      if (!isName(effectId) || !isName(queue) || !Number.isSafeInteger(dispatch)) {
        this.#watch.drop(1, new Error('a hint with an unusable effect id, queue or number'))
        continue
      }
      const id = `${effectId}-${dispatch}`
      const jobs = byQueue.get(queue) ?? new Map<string, NewJob>()
      byQueue.set(queue, jobs.set(id, { id, data: effectId }))
    }
    return byQueue
  }
}

/** BullMQ builds keys with colons, and takes a name that is empty or a number for something else. */
function isName(text: string): boolean {
  return text.length <= limits.idCharsMax && /^[^:\s]*[^:\s\d][^:\s]*$/.test(text)
}

function chunks<T>(items: readonly T[], size: number): (readonly T[])[] {
  const count = Math.ceil(items.length / size)
  return Array.from({ length: count }, (_, n) => items.slice(n * size, (n + 1) * size))
}
