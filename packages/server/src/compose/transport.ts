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

export interface Transport {
  readonly dispatcher: Dispatcher
  /** Null unless this process works. */
  readonly hintSource: HintSource | null
  readonly wakeBus: WakeBus
  /** Cheap, for readiness and metrics. False: hints and wakes take the slow way, by polls of the register. */
  readonly isUp: {
    readonly queue: () => boolean
    /** Of Redis. Wakes over Postgres are as well as the register is. */
    readonly bus: () => boolean
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
): Promise<Transport> {
  const { redisUrl, queuePrefix: prefix, engineUrl, queueUrl, log } = options
  const redisBus =
    redisUrl === null ? null : await createRedisWakeBus({ url: redisUrl, prefix, log })
  const wakeBus = redisBus ?? (await createNotifyWakeBus({ url: engineUrl, log }))
  closers.add('wake bus', () => wakeBus.close())
  const backend: BullBackend =
    redisUrl === null
      ? { kind: 'postgres', url: queueUrl }
      : { kind: 'redis', url: redisUrl, prefix }
  const sender = options.decides ? createBullDispatcher(backend, { log }) : null
  const dispatcher = sender ?? idle
  closers.add('dispatcher', () => dispatcher.close())
  const hintSource = options.works ? createBullHintSource(backend, { log }) : null
  const isUp = {
    queue: () => (sender?.up() ?? true) && (hintSource?.up() ?? true),
    bus: () => redisBus?.up() ?? true,
  }
  return { dispatcher, hintSource, wakeBus, isUp }
}

/** Only who decides has anything to dispatch. */
const idle: Dispatcher = {
  dispatch: () => Promise.resolve(),
  depth: () => Promise.resolve(0),
  close: () => Promise.resolve(),
}
