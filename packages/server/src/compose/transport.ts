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
}

export interface TransportOptions {
  readonly redisUrl: string | null
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
  const { redisUrl, engineUrl, queueUrl, log } = options
  const wakeBus =
    redisUrl === null
      ? await createNotifyWakeBus({ url: engineUrl, log })
      : await createRedisWakeBus({ url: redisUrl, log })
  closers.add('wake bus', () => wakeBus.close())
  const backend: BullBackend =
    redisUrl === null ? { kind: 'postgres', url: queueUrl } : { kind: 'redis', url: redisUrl }
  const dispatcher = options.decides ? createBullDispatcher(backend, { log }) : idle
  closers.add('dispatcher', () => dispatcher.close())
  const hintSource = options.works ? createBullHintSource(backend, { log }) : null
  return { dispatcher, hintSource, wakeBus }
}

/** Only who decides has anything to dispatch. */
const idle: Dispatcher = {
  dispatch: () => Promise.resolve(),
  depth: () => Promise.resolve(0),
  close: () => Promise.resolve(),
}
