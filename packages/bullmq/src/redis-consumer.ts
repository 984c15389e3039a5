import { createRedisBackend } from 'bullmq'
import type { RedisBackend } from './backend.ts'
import type { ConnectionWatch } from './health.ts'
import { keyPrefix } from './prefix.ts'
import { firstOutcome, type RedisClient } from './redis-client.ts'
import { type QueueAssignment, type Consumer, type JobTaker, startWorker } from './worker.ts'

/**
 * Works on one queue over the shared `client`, and a connection of its own to block on. Redis may come later: the
 * client waits for it.
 */
export function redisConsumer(
  backend: RedisBackend,
  client: RedisClient,
  work: { readonly assignment: QueueAssignment; readonly watch: ConnectionWatch },
): Consumer {
  const answers = async (): Promise<void> => {
    // It would wait for the connection: this client never gives up.
    if (client.status !== 'ready') throw new Error('not connected to Redis')
    await client.ping()
  }
  const open = (): JobTaker =>
    startWorker(work.assignment, work.watch, {
      prefix: keyPrefix(backend.url, backend.prefix),
      connection: client,
      factory: createRedisBackend,
      answers,
      stuck() {
        const before = worker
        worker = open()
        before.close(true).catch((error: unknown) => work.watch.note(error))
      },
    })
  let worker = open()
  return {
    outcome: firstOutcome(client),
    answers,
    close: () => worker.close(),
    sever: () => client.sever(),
  }
}
