import type { Log } from '@signalbox/engine'
import { Queue } from 'bullmq'
import type { RedisBackend } from './backend.ts'
import { warnOfEviction } from './eviction.ts'
import type { ConnectionWatch } from './health.ts'
import { keyPrefix } from './prefix.ts'
import { addTo, depthOf, type Producer, queueOptions } from './producer.ts'
import { firstOutcome, redisClient } from './redis-client.ts'

/** Sends over one connection, whatever the number of queues. Fails at once while Redis is away. */
export function redisProducer(backend: RedisBackend, watch: ConnectionWatch, log: Log): Producer {
  const client = redisClient(backend.url, 'sender', watch)
  const prefix = keyPrefix(backend.url, backend.prefix)
  warnOfEviction(client, log)
  const outcome = firstOutcome(client)
  const queues = new Map<string, Queue>()

  const forget = () => {
    const old = [...queues.values()]
    queues.clear()
    return Promise.allSettled(old.map((queue) => queue.close()))
  }
  // A queue writes its settings once, when it is made; a Redis that comes back may have lost them.
  client.on('ready', () => void forget())

  const queueOf = (name: string) => {
    const known = queues.get(name)
    if (known !== undefined) return known
    const queue = new Queue(name, { ...queueOptions, connection: client, prefix })
    queue.on('error', (error) => watch.note(error))
    queues.set(name, queue)
    return queue
  }

  const ask = async <T>(name: string, what: (queue: Queue) => Promise<T>): Promise<T> => {
    // Hints of the first moment wait for the connect; in an outage nothing waits.
    await outcome
    if (client.status !== 'ready') throw new Error('not connected to Redis')
    return what(queueOf(name))
  }

  return {
    add: (name, jobs) => ask(name, (queue) => addTo(queue, jobs)),
    depth: (name) => ask(name, depthOf),
    async answers() {
      if (client.status !== 'ready') throw new Error('not connected to Redis')
      // A write: a Redis that is full, or a replica, answers pings.
      await client.set(`${prefix}:health`, '', 'PX', 1000)
    },
    async close() {
      await forget()
      client.disconnect()
    },
  }
}
