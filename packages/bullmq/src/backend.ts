/**
 * Which store carries the jobs. Chosen by configuration alone: nothing else in this package or above it differs
 * between the two. Neither is the truth (DESIGN §3): whatever they hold may vanish at any moment.
 */

export interface RedisBackend {
  readonly kind: 'redis'
  /** An address as `parseRedisUrl` takes it. Needs Redis 6.2 or newer with `maxmemory-policy noeviction`, a cluster Redis 7. */
  readonly url: string
  /** First part of every key; on a cluster it becomes a hash tag. Installations that share a Redis differ in it. Default `signalbox`. */
  readonly prefix?: string
}

/** BullMQ on PostgreSQL, in a schema of its own. */
export interface PostgresBackend {
  readonly kind: 'postgres'
  /** `postgres://`. A direct connection: LISTEN does not pass through a pooler in transaction mode. */
  readonly url: string
  /** Namespace of the queue tables, apart from the register's. Default `signalbox_queue`. */
  readonly schema?: string
}

/** Where BullMQ keeps its queues. */
export type BullBackend = RedisBackend | PostgresBackend

/** Values that both ends agree on, and their limits. Units are the last word of a name. */
export const settings = {
  redisPrefix: 'signalbox',
  postgresSchema: 'signalbox_queue',
  /** A dispatch that takes longer is given up: the reconciler finds the effect. */
  dispatchTimeoutMs: 250,
  /** A queue that says nothing for longer is not looked at in this turn. */
  depthTimeoutMs: 2_000,
  jobsPerAddMax: 500,
  /** Hints on their way to the store; beyond it new ones are dropped. */
  hintsInFlightMax: 20_000,
  /** Renewed at half of it. Not below 10 s on PostgreSQL, which compares it with the clocks of the workers. */
  lockMs: 15_000,
  stalledIntervalMs: 5_000,
  /** Our own attempt counter decides what becomes of an effect, never this. */
  stalledCountMax: 1_000_000,
  retryMs: 1_000,
  /** A worker with a free hand asks for jobs every five seconds; one that has not for longer is stuck. */
  stuckMs: 30_000,
  /** How long the store is waited for before a worker is called stuck. */
  answerMs: 2_000,
  /** Nobody reads BullMQ's events. */
  eventsMax: 100,
  /** Connections of a dispatcher, and of one queue's worker, on PostgreSQL; a worker has one more to LISTEN on. */
  postgresPoolMax: 2,
  /** How long starting waits for the store's first answer or refusal. */
  startMs: 2_000,
  /** How long closing may take after the grace of `stop`, in each of its two last steps. */
  closeMs: 500,
} as const
