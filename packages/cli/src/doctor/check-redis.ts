import { Redis } from 'ioredis'
import { type Finding, fail, ok, reason, warn } from './finding.ts'

const answerMsMax = 5000

/** Does Redis answer and take writes, if there is one? */
export async function checkRedis(url: string | null): Promise<Finding> {
  if (url === null) return ok('redis', 'REDIS_URL is not set: the queue is in Postgres')
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: answerMsMax,
    commandTimeout: answerMsMax,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  })
  let trouble: unknown
  redis.on('error', (error) => {
    trouble = error
  })
  const { host } = new URL(url)
  try {
    await redis.connect()
    const version = /redis_version:(\S+)/.exec(await redis.info('server'))?.[1] ?? 'unknown'
    const policy = /maxmemory_policy:(\S+)/.exec(await redis.info('memory'))?.[1]
    // A Redis that is full, or a replica, answers, and takes no job.
    await redis.set('signalbox:health', '', 'PX', 1000)
    const about = `${version} at ${host}`
    if (policy === undefined || policy === 'noeviction') return ok('redis', about)
    return warn('redis', `${about} evicts keys (${policy})`, 'Set maxmemory-policy to noeviction.')
  } catch (error) {
    const fix = 'Check REDIS_URL, and that Redis runs; or unset it to keep the queue in Postgres.'
    return fail('redis', `${host}: ${reason(trouble ?? error)}`, fix)
  } finally {
    redis.disconnect()
  }
}
