/** Redis clients by their duty. All of them reconnect for ever, and none lets an 'error' event go unheard. */
import { Cluster, type ClusterNode, type ClusterOptions, Redis, type RedisOptions } from 'ioredis'
import type { ConnectionWatch } from './health.ts'
import { backoffMs } from './pace.ts'
import { parseRedisUrl, type RedisTarget } from './redis-url.ts'

/**
 * `sender`: an answer now or an error; nothing waits for a Redis that is away, nothing is sent twice.
 * `worker`: waits for ever, as BullMQ demands of connections that block.
 * `listener`: subscribes; the owner subscribes again on each 'ready'.
 */
export type RedisDuty = 'sender' | 'worker' | 'listener'

/** Answers come as they always did; the constructors want to know that when they are compiled. */
type Options = Omit<RedisOptions, 'replyMapping'>
type NodeOptions = Omit<NonNullable<ClusterOptions['redisOptions']>, 'replyMapping'>
type ManyOptions = Omit<ClusterOptions, 'redisOptions'> & { readonly redisOptions: NodeOptions }

const duties = {
  sender: {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    // A peer that vanished without a word would otherwise hold every command for minutes.
    socketTimeout: 2_000,
    commandTimeout: 5_000,
  },
  worker: { maxRetriesPerRequest: null, socketTimeout: 5_000 },
  listener: {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    maxRetriesPerRequest: 0,
    socketTimeout: 15_000,
  },
} satisfies Record<RedisDuty, RedisOptions>

/** Beyond the five seconds that BullMQ blocks for, on the connection that it duplicates for that. */
const blocking = { socketTimeout: 20_000 } as const

/** How soon a connection that fell silent is given up by the system, where nothing is asked over it. */
const connection = { connectTimeout: 5_000, keepAlive: 10_000, disconnectTimeout: 500 } as const

/** A client that keeps hold of its duplicates: BullMQ makes one per worker and cannot close it while Redis is away. */
export type RedisClient = RedisFamily | ClusterFamily

type Duplicate = Redis | Cluster

/** Duplicates of a client, and the way to cut them. */
class Duplicates {
  readonly #clients = new Set<Duplicate>()

  add<C extends Duplicate>(client: C): C {
    this.#clients.add(client)
    // BullMQ listens as well, but leaves before the last error has come.
    client.on('error', () => {})
    client.on('end', () => this.#clients.delete(client))
    return client
  }

  sever(): void {
    for (const client of this.#clients) client.disconnect()
  }
}

/** A single Redis, or the master that sentinels name. */
export class RedisFamily extends Redis {
  readonly #duplicates = new Duplicates()

  override duplicate(override?: Partial<RedisOptions>): Redis {
    const { replyMapping: _, ...options }: RedisOptions = {
      ...this.options,
      ...blocking,
      ...override,
    }
    return this.#duplicates.add(new RedisFamily(options))
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
    this.#duplicates.sever()
    this.disconnect()
  }
}

/** A Redis Cluster. As `RedisFamily`, in every respect. */
export class ClusterFamily extends Cluster {
  readonly #duplicates = new Duplicates()
  readonly #nodes: readonly ClusterNode[]

  constructor(nodes: readonly ClusterNode[], options: ManyOptions) {
    super([...nodes], options)
    this.#nodes = nodes
  }

  override duplicate(_nodes?: ClusterNode[], override: Partial<ClusterOptions> = {}): Cluster {
    const { replyMapping: _, ...redisOptions }: NonNullable<ClusterOptions['redisOptions']> = {
      ...this.options.redisOptions,
      ...override.redisOptions,
      ...blocking,
    }
    const options = { ...this.options, ...override, redisOptions }
    return this.#duplicates.add(new ClusterFamily(this.#nodes, options))
  }

  /** A look that was under way when the client ended would be followed by looks for ever: ioredis stops a timer that has run. */
  override refreshSlotsCache(callback?: (error?: Error | null) => void): void {
    if (this.status !== 'end') super.refreshSlotsCache(callback)
  }

  /** A connection to one node, `host:port`, for a listener's subscriptions. Connects again by itself. */
  nodeClient(key: string): RedisFamily {
    const portAt = key.lastIndexOf(':')
    const { replyMapping: _, ...options }: RedisOptions = {
      ...this.options.redisOptions,
      host: key.slice(0, portAt),
      port: Number(key.slice(portAt + 1)),
      enableOfflineQueue: false,
      retryStrategy: backoffMs,
      // It is always asked something that is answered at once.
      socketTimeout: 5_000,
      commandTimeout: 5_000,
    }
    const client = this.#duplicates.add(new RedisFamily(options))
    client.on('error', (error) => this.emit('node error', error, key))
    return client
  }

  /** As in `disconnect`: it would wait for nodes of which there are none. */
  override quit(): Promise<'OK'> {
    if (this.status === 'reconnecting') this.status = 'wait'
    return super.quit()
  }

  override disconnect(reconnect = false): void {
    if (!reconnect && this.status === 'reconnecting') this.status = 'wait'
    super.disconnect(reconnect)
  }

  sever(): void {
    this.#duplicates.sever()
    this.disconnect()
  }
}

/** Connects at once and tells `watch` how it goes. */
export function redisClient(url: string, duty: RedisDuty, watch: ConnectionWatch): RedisClient {
  const target = parseRedisUrl(url)
  const client =
    target.kind === 'cluster' ? clusterOf(target, duty) : singleOf(url, target, duties[duty])
  client.on('ready', () => watch.connected())
  client.on('error', (error) => watch.down(error))
  client.on('node error', (error) => watch.note(error))
  client.on('close', () => watch.closed())
  return client
}

function singleOf(url: string, target: RedisTarget, duty: Options): RedisFamily {
  const options: Options = { ...duty, ...connection, retryStrategy: backoffMs, reconnectOnError }
  if (target.kind !== 'sentinel') return new RedisFamily(url, options)
  const { nodes, name, db, username, password, sentinelUsername, sentinelPassword, tls } = target
  return new RedisFamily({
    ...options,
    ...present({ username, password, sentinelUsername, sentinelPassword }),
    ...(tls ? { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true } : {}),
    sentinels: nodes.map((node) => ({ ...node })),
    name,
    db,
    sentinelRetryStrategy: backoffMs,
    sentinelCommandTimeout: connection.connectTimeout,
  })
}

function clusterOf(target: RedisTarget, duty: RedisDuty): ClusterFamily {
  const { username, password, tls } = target
  const { enableOfflineQueue = true, ...options }: Options = duties[duty]
  return new ClusterFamily(target.nodes, {
    enableOfflineQueue,
    clusterRetryStrategy: backoffMs,
    // The topology is asked for again at this pace: so a node that comes back is found.
    slotsRefreshInterval: 2_000,
    slotsRefreshTimeout: 2_000,
    maxRedirections: duty === 'worker' ? 16 : 3,
    // Certificates are of names, and addresses from the cluster must not be resolved.
    ...(tls ? { dnsLookup: (address, found) => found(null, address) } : {}),
    redisOptions: {
      ...options,
      ...connection,
      ...present({ username, password }),
      ...(tls ? { tls: {} } : {}),
    },
  })
}

/** A master that became a replica refuses to write: whoever is connected looks for the new one, and asks again there. */
const reconnectOnError = (error: Error): 2 | false =>
  error.message.startsWith('READONLY') ? 2 : false

function present(options: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(options).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  )
}

/** Resolves as soon as the first connect has succeeded or failed. */
export function firstOutcome(client: RedisClient): Promise<void> {
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
