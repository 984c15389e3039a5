/**
 * The worker's end of the dispatcher, on BullMQ.
 *
 * H1 A job says "look at this effect", nothing more. Performing it again is harmless: the register refuses the claim.
 * H2 A job completes whatever `perform` answers. `not_mine` (a worker that does not know the tool or its version, in a
 *    rolling deploy) is not put back: this worker would only take it again. The reconciler dispatches the effect anew,
 *    under the next number and at the engine's pace, until a worker that knows it gets hold of it.
 * H3 Neither `start` nor anything after it fails because the store is away; work begins when it comes.
 * H4 From the call of `stop` on nothing more is performed. A job whose fetch was under way completes unseen.
 */
import type { HintSource, Log } from '@signalbox/engine'
import { type BullBackend, settings } from './backend.ts'
import { type EndHealth, ConnectionWatch } from './health.ts'
import { aborted, settlesWithin } from './pace.ts'
import { postgresConsumer } from './postgres-consumer.ts'
import { redisClient } from './redis-client.ts'
import { redisConsumer } from './redis-consumer.ts'
import type { QueueAssignment, Consumer } from './worker.ts'

/** A hint source that also says how its store is. */
export interface BullHintSource extends HintSource {
  health(): EndHealth
  /** Asks the store of each queue for an answer. Rejects if one gives none; may hang while the store does. */
  answers(): Promise<void>
  /** False while the store is away. */
  up(): boolean
}

/**
 * A source that is started once and stopped once. `start` resolves when the store has answered or refused, after two
 * seconds at the latest; `stop` takes no more jobs at once, waits up to `graceMs` for running ones, and is over a second later at the latest.
 */
export function createBullHintSource(
  backend: BullBackend,
  options: { readonly log: Log },
): BullHintSource {
  return new BullSource(backend, options.log)
}

type Perform = Parameters<HintSource['start']>[1]

class BullSource implements BullHintSource {
  readonly #backend: BullBackend
  readonly #log: Log
  readonly #watch: ConnectionWatch
  /** Work in flight, and the way to abandon each. */
  readonly #running = new Map<Promise<void>, () => void>()
  #consumers: readonly Consumer[] | null = null
  #release: () => void = () => {}
  #stopped: Promise<void> | null = null

  constructor(backend: BullBackend, log: Log) {
    this.#backend = backend
    this.#log = log
    this.#watch = new ConnectionWatch(`${backend.kind} queue (work)`, log)
  }

  async start(queues: Parameters<HintSource['start']>[0], perform: Perform): Promise<void> {
    if (this.#consumers !== null) throw new Error('a hint source starts only once')
    const open = this.#opener()
    this.#consumers = queues.map(({ queue, concurrency }) =>
      open({ queue, concurrency, perform: (effectId) => this.#perform(effectId, perform) }),
    )
    await settlesWithin(
      Promise.all(this.#consumers.map(({ outcome }) => outcome)),
      settings.startMs,
    )
  }

  stop(graceMs: number, cut?: AbortSignal): Promise<void> {
    this.#stopped ??= this.#stop(graceMs, cut)
    return this.#stopped
  }

  health(): EndHealth {
    return this.#watch.health()
  }

  async answers(): Promise<void> {
    await Promise.all((this.#consumers ?? []).map((consumer) => consumer.answers()))
  }

  up(): boolean {
    return this.health().status !== 'down'
  }

  #opener(): (assignment: QueueAssignment) => Consumer {
    const backend = this.#backend
    const watch = this.#watch
    if (backend.kind === 'postgres') {
      return (assignment) => postgresConsumer(backend, { assignment, watch })
    }
    const client = redisClient(backend.url, 'worker', watch)
    this.#release = () => client.sever()
    return (assignment) => redisConsumer(backend, client, { assignment, watch })
  }

  async #stop(graceMs: number, cut: AbortSignal | undefined): Promise<void> {
    const consumers = this.#consumers ?? []
    this.#consumers = consumers
    const closed = Promise.allSettled(consumers.map((consumer) => consumer.close()))
    // The grace is for work alone: a store that is away has none, and is not waited for as long.
    const done = Promise.all(this.#running.keys())
    await settlesWithin(cut === undefined ? done : Promise.race([done, aborted(cut)]), graceMs)
    // BullMQ lets nothing close while a job runs, so the jobs end here and their work goes on without them.
    for (const abandon of this.#running.values()) abandon()
    const inTime = await settlesWithin(closed, settings.closeMs)
    this.#watch.end()
    if (!inTime) {
      for (const consumer of consumers) consumer.sever()
      await settlesWithin(closed, settings.closeMs)
    }
    this.#release()
  }

  /** Resolves when the work is done or abandoned. Never rejects. */
  #perform(effectId: string, perform: Perform): Promise<void> {
    if (typeof effectId !== 'string' || this.#stopped !== null) return Promise.resolve()
    const { promise, resolve } = Promise.withResolvers<void>()
    const done = () => {
      this.#running.delete(promise)
      resolve()
    }
    this.#running.set(promise, done)
    Promise.resolve(effectId)
      .then(perform)
      .catch((error: unknown) => {
        // A broken promise of the engine's. BullMQ would write the error's message into its store, and it may hold
        // what no store and no log may (I20).
        const name = error instanceof Error ? error.name : typeof error
        this.#log.error('perform threw', { effectId, error: name })
      })
      .finally(done)
    return promise
  }
}
