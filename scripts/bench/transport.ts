/** How hints and wakes travel in each of the measured set-ups, as the server composes them. */
import {
  type BullBackend,
  createBullDispatcher,
  createBullHintSource,
  createRedisWakeBus,
} from '@signalbox/bullmq'
import type { Dispatcher, HintSource, Log, WakeBus } from '@signalbox/engine'
import { createNotifyWakeBus } from '@signalbox/postgres'
import type { DispatcherName } from './options.ts'

export interface Addresses {
  readonly dispatcher: DispatcherName
  readonly engineUrl: string
  /** Null where `dispatcher` does not need it. */
  readonly redisUrl: string | null
}

/** Redis carries the wakes where it carries the jobs; Postgres does otherwise. */
export function openWakeBus(addresses: Addresses, log: Log): Promise<WakeBus> {
  return addresses.dispatcher === 'bullmq-redis'
    ? createRedisWakeBus({ url: redisUrlOf(addresses), log })
    : createNotifyWakeBus({ url: addresses.engineUrl, log })
}

/** The sending end. `direct` is used as it is where there is no queue. */
export function openDispatcher(addresses: Addresses, log: Log, direct: Dispatcher): Dispatcher {
  const backend = backendOf(addresses)
  return backend === null ? direct : createBullDispatcher(backend, { log })
}

/** The receiving end, likewise. */
export function openHintSource(addresses: Addresses, log: Log, direct: HintSource): HintSource {
  const backend = backendOf(addresses)
  return backend === null ? direct : createBullHintSource(backend, { log })
}

function backendOf(addresses: Addresses): BullBackend | null {
  switch (addresses.dispatcher) {
    case 'direct':
      return null
    case 'bullmq-postgres':
      return { kind: 'postgres', url: addresses.engineUrl }
    case 'bullmq-redis':
      return { kind: 'redis', url: redisUrlOf(addresses) }
  }
}

function redisUrlOf({ redisUrl }: Addresses): string {
  if (redisUrl === null) throw new Error('there is no Redis to use')
  return redisUrl
}
