/** Asks a Redis once what a queue needs to know of it: for an operator who wonders why nothing moves. */
import { settings } from './backend.ts'
import { evictionPolicies } from './eviction.ts'
import { ConnectionWatch } from './health.ts'
import { orTimeout } from './pace.ts'
import { firstOutcome, redisClient } from './redis-client.ts'
import { describeRedis, parseRedisUrl } from './redis-url.ts'

/** The result of an examination of a Redis. */
export interface RedisFindings {
  /** Hosts and kind; no secrets. */
  readonly where: string
  /** Null: it does not answer. */
  readonly version: string | null
  /** Of the masters that are known, of a cluster. */
  readonly nodes: number
  /** Why it does not answer; holds no secrets. */
  readonly trouble: string | null
  /** Policies of its memory under which jobs may be evicted. */
  readonly evicts: readonly string[]
}

/**
 * Connects, asks and closes, in five seconds at most. Never rejects for what Redis does.
 *
 * @throws RedisUrlError
 */
export async function examineRedis(url: string): Promise<RedisFindings> {
  const where = describeRedis(parseRedisUrl(url))
  const watch = new ConnectionWatch('redis', { debug() {}, info() {}, warn() {}, error() {} })
  const client = redisClient(url, 'sender', watch)
  try {
    await orTimeout(firstOutcome(client), settings.startMs)
    const info = await orTimeout(client.info('server'), settings.startMs)
    const evicts = await evictionPolicies(client)
    const version = /redis_version:(\S+)/.exec(info)?.[1] ?? 'unknown'
    const nodes = 'nodes' in client ? client.nodes('master').length : 1
    return { where, version, nodes, trouble: null, evicts }
  } catch (error) {
    const said = watch.health().error
    const trouble = said ?? (error instanceof Error ? error.message : 'no answer')
    return { where, version: null, nodes: 0, trouble, evicts: [] }
  } finally {
    watch.end()
    client.sever()
  }
}
