/** Redis clients by their duty. All of them reconnect for ever, and none lets an 'error' event go unheard. */
import { Redis, type RedisOptions } from 'ioredis'
import type { Watch } from './health.ts'
import { backoffMs } from './pace.ts'

/**
 * `sender`: an answer now or an error; nothing waits for a Redis that is away, nothing is sent twice.
 * `worker`: waits for ever, as BullMQ demands of connections that block.
 * `listener`: subscribes; the owner subscribes again on each 'ready'.
 */
export type RedisDuty = 'sender' | 'worker' | 'listener'

const duties = {
  sender: {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    // A peer that vanished without a word would otherwise hold every command for minutes.
    socketTimeout: 2_000,
  },
  // Beyond the five seconds that BullMQ blocks for. Its blocking connection is a duplicate with the same options.
  worker: { maxRetriesPerRequest: null, socketTimeout: 20_000 },
  listener: {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    maxRetriesPerRequest: 0,
    socketTimeout: 15_000,
  },
} satisfies Record<RedisDuty, RedisOptions>

/** A client that keeps hold of its duplicates: BullMQ makes one per worker and cannot close it while Redis is away. */
export class RedisFamily extends Redis {
  readonly #duplicates = new Set<Redis>()

  override duplicate(override?: Partial<RedisOptions>): Redis {
    // Not an option of ours, and the constructor does not take it as undefined.
    const { replyMapping: _, ...options }: RedisOptions = { ...this.options, ...override }
    const client = new RedisFamily(options)
    this.#duplicates.add(client)
    // BullMQ listens as well, but leaves before the last error has come.
    client.on('error', () => {})
    client.on('end', () => this.#duplicates.delete(client))
    return client
  }

  /**
   * Between two tries to connect, ioredis only stops its timer: no 'end' comes, and what waits would wait for ever.
   * From `wait` it goes all the way.
   */
  override disconnect(reconnect = false): void {
    if (!reconnect && this.status === 'reconnecting') this.status = 'wait'
    super.disconnect(reconnect)
  }

  /** Cuts every connection at once. What waits on them is rejected. */
  sever(): void {
    for (const client of this.#duplicates) client.disconnect()
    this.disconnect()
  }
}

/** Connects at once and tells `watch` how it goes. */
export function redisClient(url: string, duty: RedisDuty, watch: Watch): RedisFamily {
  const client = new RedisFamily(url, {
    ...duties[duty],
    connectTimeout: 5_000,
    disconnectTimeout: 500,
    retryStrategy: backoffMs,
  })
  client.on('ready', () => watch.up())
  client.on('error', (error) => watch.down(error))
  client.on('close', () => watch.closed())
  return client
}

/** Resolves as soon as the first connect has succeeded or failed. */
export function firstOutcome(client: Redis): Promise<void> {
  if (client.status === 'ready') return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      client.off('ready', done)
      client.off('close', done)
      resolve()
    }
    client.on('ready', done)
    client.on('close', done)
  })
}
