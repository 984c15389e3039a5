/** Hints and wakes: over Redis if there is one, else over Postgres. Without either nothing is lost but time. */
import {
  type BullBackend,
  createBullDispatcher,
  createBullHintSource,
  createRedisWakeBus,
} from '@signalbox/bullmq'
import type { Dispatcher, HintSource, Log, WakeBus } from '@signalbox/engine'
import { createNotifyWakeBus } from '@signalbox/postgres'
import type { Closers } from './closers.ts'

export interface QueueTransport {
  readonly dispatcher: Dispatcher
  /** Null unless this process works. */
  readonly hintSource: HintSource | null
  readonly wakeBus: WakeBus
  /** For health checks: each rejects if it does not answer, and may hang while it is silent. Null: there is no queue here. */
  readonly asked: {
    readonly queue: (() => Promise<void>) | null
    readonly bus: () => Promise<void>
  }
}

export interface TransportOptions {
  readonly redisUrl: string | null
  /** First part of keys and channels in Redis. */
  readonly queuePrefix: string
  /** Where wakes live without Redis. */
  readonly engineUrl: string
  /** Where BullMQ lives without Redis: a role and a schema of its own. */
  readonly queueUrl: string
  readonly decides: boolean
  readonly works: boolean
  readonly log: Log
}

/** Opens what this process needs. A Redis that is away is warned about, and comes in when it is back. */
export async function openTransport(
  options: TransportOptions,
  closers: Closers,
): Promise<QueueTransport> {
  const { redisUrl, queuePrefix: prefix, engineUrl, queueUrl, log } = options
  const wakeBus =
    redisUrl === null
      ? await createNotifyWakeBus({ url: engineUrl, log })
      : await createRedisWakeBus({ url: redisUrl, prefix, log })
  closers.add('wake bus', () => wakeBus.close())
  const backend: BullBackend =
    redisUrl === null
      ? { kind: 'postgres', url: queueUrl }
      : { kind: 'redis', url: redisUrl, prefix }
  const dispatcher = options.decides ? createBullDispatcher(backend, { log }) : null
  if (dispatcher) closers.add('dispatcher', () => dispatcher.close())
  const hintSource = options.works ? createBullHintSource(backend, { log }) : null
  const queues = [dispatcher, hintSource].flatMap((end) => end ?? [])
  const queue = async () => void (await Promise.all(queues.map((end) => end.answers())))
  return {
    dispatcher: dispatcher ?? idle,
    hintSource,
    wakeBus,
    asked: { queue: queues.length > 0 ? queue : null, bus: () => wakeBus.answers() },
  }
}

/** Only who decides has anything to dispatch. */
const idle: Dispatcher = {
  dispatch: () => Promise.resolve(),
  depth: () => Promise.resolve(0),
  close: () => Promise.resolve(),
}
