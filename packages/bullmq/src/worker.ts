/** The one way this package builds a BullMQ worker. */
import { type BackendFactory, type IQueueBackend, type Job, type JobProgress, Worker } from 'bullmq'
import { settings } from './backend.ts'
import { describeError, type ConnectionWatch } from './health.ts'
import { backoffMs, orTimeout, pause } from './pace.ts'

/** A queue to work on. `perform` never rejects. */
export interface QueueAssignment {
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
export interface QueueStore<B extends IQueueBackend, C> {
  readonly connection: C
  readonly prefix: string
  readonly factory: BackendFactory<B, C>
  /** Rejects while the store gives no answer; may hang while the store does. */
  readonly answers: () => Promise<unknown>
  /** Called once if the worker is stuck: it is to be replaced, and closed by force. */
  readonly stuck: () => void
  /** After how many milliseconds without a turn it is. Default: `settings.stuckMs`. */
  readonly stuckMs?: number
}

/** A worker, as those who started it need it. */
export interface JobTaker {
  /** Resolves when the running jobs are done; by force: does not wait for them, or for the store. */
  close(force?: boolean): Promise<void>
}

/** When a worker last did anything, by the monotonic clock, and how many jobs it works on. */
interface Turn {
  at: number
  busy: number
}

/**
 * Starts taking jobs. The store must be reachable, or its connection able to wait until it is.
 *
 * BullMQ waits for some answers without a bound, and remembers a failed start for ever: a worker may take no job any more, and
 * nobody is told. One that has a free hand asks for jobs every few seconds; where it does not, though the store answers, it is stuck.
 */
export function startWorker<B extends IQueueBackend, C>(
  assignment: QueueAssignment,
  watch: ConnectionWatch,
  store: QueueStore<B, C>,
): Worker<string, null, string, B, JobProgress, C> {
  const closing = new AbortController()
  const turn: Turn = { at: performance.now(), busy: 0 }
  // All three parameters have to be there: by their number BullMQ decides whether a job that has lost its lock is
  // told so. Whether the work goes on is the business of the effect's lease, which `perform` renews by itself.
  const processor = async (job: Job<string, null>, _token?: string, _signal?: AbortSignal) => {
    turn.busy += 1
    turn.at = performance.now()
    await assignment.perform(job.data)
    turn.busy -= 1
    turn.at = performance.now()
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
    (name, opts, extra) =>
      paced(store.factory(name, opts, extra), watch, { closing: closing.signal, turn }),
  )
  worker.on('error', (error) => watch.note(error))
  worker.on('closing', () => closing.abort())
  void watchOver(assignment, { store, turn, watch, closing: closing.signal })
  return worker
}

/** Looks now and then whether the worker is stuck, until it closes. */
async function watchOver(
  { queue, concurrency }: QueueAssignment,
  of: {
    readonly store: Pick<QueueStore<never, never>, 'answers' | 'stuck' | 'stuckMs'>
    readonly turn: Turn
    readonly watch: ConnectionWatch
    readonly closing: AbortSignal
  },
): Promise<void> {
  const { store, turn, watch, closing } = of
  const { stuckMs = settings.stuckMs } = store
  while (!closing.aborted) {
    await pause(stuckMs / 4, closing)
    if (turn.busy >= concurrency) turn.at = performance.now()
    const since = turn.at
    const silentMs = performance.now() - since
    if (closing.aborted || silentMs < stuckMs / 2) continue
    const refusal = await orTimeout(store.answers(), settings.answerMs).then(
      () => null,
      (error: unknown) => ({ error }),
    )
    if (closing.aborted || turn.at !== since) continue
    if (refusal) {
      // There is nothing to take while the store is away, and a worker that waits for its answer does not notice. Once it is back, the
      // time begins anew.
      watch.down(new Error(describeError(refusal.error), { cause: refusal.error }))
      turn.at = performance.now()
    } else if (silentMs >= stuckMs) {
      watch.note(new Error(`the worker of ${queue} asks for no jobs any more, and is replaced`))
      store.stuck()
      return
    }
  }
}

/**
 * BullMQ fetches again at once after any error that is not a refused connection (a server that starts up, is out of
 * memory, lost its schema), as fast as the errors come. Here it waits, longer each time. And on PostgreSQL, being told
 * to close while it waits, it would fetch once more.
 */
function paced<B extends IQueueBackend>(
  backend: B,
  watch: ConnectionWatch,
  { closing, turn }: { readonly closing: AbortSignal; readonly turn: Turn },
): B {
  const take = backend.moveToActive.bind(backend)
  let failures = 0
  backend.moveToActive = async (token, name) => {
    if (closing.aborted) return []
    turn.at = performance.now()
    try {
      const taken = await take(token, name)
      turn.at = performance.now()
      failures = 0
      watch.up()
      return taken
    } catch (error) {
      failures += 1
      if (!closing.aborted) watch.down(new Error(describeError(error), { cause: error }))
      await pause(backoffMs(failures), closing)
      turn.at = performance.now()
      throw error
    }
  }
  return backend
}
