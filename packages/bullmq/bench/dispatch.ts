/**
 * What a queue store does on this machine: no-op jobs per second, and from dispatch to perform. Prints JSON.
 *
 *   node packages/bullmq/bench/dispatch.ts '{"kind":"redis","url":"redis://127.0.0.1:6379"}' …
 *
 * The stores are used under a prefix or schema `signalbox_bench`, and PostgreSQL's is made if it is not there.
 */
import {
  type BullBackend,
  createBullDispatcher,
  createBullHintSource,
  prepare,
} from '@signalbox/bullmq'
import type { Dispatcher, Hint, Log } from '@signalbox/engine'

export interface DispatchFigures {
  readonly backend: BullBackend['kind']
  readonly jobs: number
  readonly jobsPerSecond: number
  readonly latencyMsMedian: number
  readonly latencyMsP99: number
}

export interface DispatchLoad {
  readonly jobs: number
  /** Jobs per dispatch while throughput is measured. */
  readonly batch: number
  readonly concurrency: number
  /** Single dispatches, one after the other. */
  readonly samples: number
}

const usual: DispatchLoad = { jobs: 5_000, batch: 50, concurrency: 32, samples: 300 }
const quiet: Log = { debug() {}, info() {}, warn() {}, error() {} }

/** Measures one store. Takes a few seconds and disturbs nobody who uses another prefix or schema. */
export async function measureDispatch(
  store: BullBackend,
  load: DispatchLoad = usual,
): Promise<DispatchFigures> {
  const backend = ownCorner(store)
  await prepare(backend)
  const dispatcher = createBullDispatcher(backend, { log: quiet })
  const source = createBullHintSource(backend, { log: quiet })
  const arrivals = new Arrivals()
  await source.start([{ queue: 'bench', concurrency: load.concurrency }], async (effectId) => {
    arrivals.arrive(effectId)
    return 'done'
  })
  try {
    await measureThroughput(dispatcher, arrivals, { ...load, jobs: load.batch * 4 })
    const jobsPerSecond = await measureThroughput(dispatcher, arrivals, load)
    const latencies = await measureLatency(dispatcher, arrivals, load.samples)
    return {
      backend: store.kind,
      jobs: load.jobs,
      jobsPerSecond: Math.round(jobsPerSecond),
      latencyMsMedian: quantile(latencies, 0.5),
      latencyMsP99: quantile(latencies, 0.99),
    }
  } finally {
    await source.stop(5_000)
    await dispatcher.close()
  }
}

/** Jobs per second from the first dispatch to the last perform. */
export async function measureThroughput(
  dispatcher: Dispatcher,
  arrivals: Arrivals,
  load: Pick<DispatchLoad, 'jobs' | 'batch'>,
): Promise<number> {
  const hints = freshHints(load.jobs)
  const all = Promise.all(hints.map(({ effectId }) => arrivals.of(effectId)))
  const start = performance.now()
  for (let at = 0; at < hints.length; at += load.batch) {
    await dispatcher.dispatch(hints.slice(at, at + load.batch))
  }
  await all
  return (load.jobs * 1_000) / (performance.now() - start)
}

/** Milliseconds from dispatch to perform, in ascending order. */
export async function measureLatency(
  dispatcher: Dispatcher,
  arrivals: Arrivals,
  samples: number,
): Promise<readonly number[]> {
  const latencies: number[] = []
  for (const hint of freshHints(samples)) {
    const arrival = arrivals.of(hint.effectId)
    const start = performance.now()
    const sent = dispatcher.dispatch([hint])
    await arrival
    latencies.push(performance.now() - start)
    await sent
    // The worker is idle again before the next one, as it is between the steps of a run.
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return latencies.sort((a, b) => a - b)
}

/** Who waits for which effect. */
export class Arrivals {
  readonly #waiting = new Map<string, () => void>()

  of(effectId: string): Promise<void> {
    return new Promise((resolve) => this.#waiting.set(effectId, resolve))
  }

  arrive(effectId: string): void {
    this.#waiting.get(effectId)?.()
    this.#waiting.delete(effectId)
  }
}

function ownCorner(store: BullBackend): BullBackend {
  if (store.kind === 'redis') return { ...store, prefix: 'signalbox_bench' }
  return { ...store, schema: 'signalbox_bench' }
}

let made = 0

function freshHints(count: number): readonly Hint[] {
  return Array.from({ length: count }, () => {
    made += 1
    return { effectId: `bench-${process.pid}.${made}`, queue: 'bench', dispatch: 1 }
  })
}

function quantile(ascending: readonly number[], q: number): number {
  const value = ascending[Math.floor((ascending.length - 1) * q)] ?? Number.NaN
  return Math.round(value * 100) / 100
}

if (import.meta.main) {
  const figures: DispatchFigures[] = []
  for (const json of process.argv.slice(2)) {
    const backend: BullBackend = JSON.parse(json)
    figures.push(await measureDispatch(backend))
  }
  console.log(JSON.stringify(figures, null, 2))
}
