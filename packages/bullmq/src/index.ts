export {
  type BullBackend,
  type PostgresBackend,
  type RedisBackend,
  settings as queueSettings,
} from './backend.ts'
export { type BullDispatcher, createBullDispatcher } from './dispatcher.ts'
export { examineRedis, type RedisFindings } from './examine-redis.ts'
export { type EndHealth } from './health.ts'
export { type BullHintSource, createBullHintSource } from './hint-source.ts'
export { describeRedis, parseRedisUrl, type RedisTarget, RedisUrlError } from './redis-url.ts'
export { prepare } from './prepare.ts'
export { createRedisWakeBus, type RedisWakeBus, type WakeBusOptions } from './wake-bus.ts'
