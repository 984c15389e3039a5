/** The one way this package builds a BullMQ worker. */
import { type BackendFactory, type IQueueBackend, type Job, type JobProgress, Worker } from 'bullmq'
import { settings } from './backend.ts'
import { describeError, type Watch } from './health.ts'
import { backoffMs, pause } from './pace.ts'

/** A queue to work on. `perform` never rejects. */
export interface Assignment {
  readonly queue: string
  readonly concurrency: number
  readonly perform: (effectId: string) => Promise<void>
}

/** One queue's worker and its connections. */
export interface Consumer {
  /** Resolves once the first connect has succeeded or failed. */
  readonly outcome: Promise<void>
  /** Asks the store for an answer. Rejects while there is no connection; may hang while the store does. */
  answers(): Promise<void>
  /** Takes no more jobs from now on; resolves when the running ones are done. Hangs while the store does. */
  close(): Promise<void>
  /** Cuts the connections. */
  sever(): void
}

/** A store to work on: what BullMQ's factory of its backend wants to know. */
export interface Store<B extends IQueueBackend, C> {
  readonly connection: C
  readonly prefix: string
  readonly factory: BackendFactory<B, C>
}

/** Starts taking jobs. The store must be reachable, or its connection able to wait until it is. */
export function startWorker<B extends IQueueBackend, C>(
  assignment: Assignment,
  watch: Watch,
  store: Store<B, C>,
): Worker<string, null, string, B, JobProgress, C> {
  const closing = new AbortController()
  // All three parameters have to be there: by their number BullMQ decides whether a job that has lost its lock is
  // told so. Whether the work goes on is the business of the effect's lease, which `perform` renews by itself.
  const processor = async (job: Job<string, null>, _token?: string, _signal?: AbortSignal) => {
    await assignment.perform(job.data)
    return null
  }
  const worker = new Worker<string, null, string, B, JobProgress, C>(
    assignment.queue,
    processor,
    {
      connection: store.connection,
      prefix: store.prefix,
      concurrency: assignment.concurrency,
      lockDuration: settings.lockMs,
      stalledInterval: settings.stalledIntervalMs,
      maxStalledCount: settings.stalledCountMax,
      runRetryDelay: settings.retryMs,
      skipVersionCheck: true,
    },
    (name, opts, extra) => paced(store.factory(name, opts, extra), watch, closing.signal),
  )
  worker.on('error', (error) => watch.note(error))
  worker.on('closing', () => closing.abort())
  return worker
}

/**
 * BullMQ fetches again at once after any error that is not a refused connection (a server that starts up, is out of
 * memory, lost its schema), as fast as the errors come. Here it waits, longer each time. And on PostgreSQL, being told
 * to close while it waits, it would fetch once more.
 */
function paced<B extends IQueueBackend>(backend: B, watch: Watch, closing: AbortSignal): B {
  const take = backend.moveToActive.bind(backend)
  let failures = 0
  backend.moveToActive = async (token, name) => {
    if (closing.aborted) return []
    try {
      const taken = await take(token, name)
      failures = 0
      watch.up()
      return taken
    } catch (error) {
      failures += 1
      if (!closing.aborted) watch.down(new Error(describeError(error), { cause: error }))
      await pause(backoffMs(failures), closing)
      throw error
    }
  }
  return backend
}
