import { PostgresQueueBackend, Queue } from 'bullmq'
import type { PostgresBackend } from './backend.ts'
import type { ConnectionWatch } from './health.ts'
import { QueueConnection } from './postgres-connection.ts'
import { addTo, depthOf, type Producer, queueOptions } from './producer.ts'

type Sender = Pick<Queue, 'add' | 'addBulk' | 'getJobCounts'>

interface Opened {
  readonly connection: QueueConnection
  readonly queueOf: (name: string) => Sender
}

/** Sends over one small pool, whatever the number of queues. Opens it again after a failed start. */
export function postgresProducer(backend: PostgresBackend, watch: ConnectionWatch): Producer {
  let opening: Promise<Opened> | null = null
  const open = () => {
    opening ??= openQueues(backend, watch).catch((error: unknown) => {
      opening = null
      throw error
    })
    return opening
  }
  // The first hint should not pay for the connect. A failure shows in the health and is tried again by it.
  open().catch((error: unknown) => watch.down(error))

  const ask = async <T>(name: string, what: (queue: Sender) => Promise<T>): Promise<T> => {
    try {
      const { queueOf } = await open()
      const answer = await what(queueOf(name))
      watch.up()
      return answer
    } catch (error) {
      watch.down(error)
      throw error
    }
  }

  return {
    add: (name, jobs) => ask(name, (queue) => addTo(queue, jobs)),
    depth: (name) => ask(name, depthOf),
    async answers() {
      const { connection } = await open()
      await connection.pool.query('select 1')
      watch.up()
    },
    async close() {
      const opened = await opening?.catch(() => null)
      await opened?.connection.close()
    },
  }
}

async function openQueues(backend: PostgresBackend, watch: ConnectionWatch): Promise<Opened> {
  const connection = new QueueConnection(backend)
  connection.on('error', (error) => watch.down(error))
  try {
    await connection.waitUntilReady()
  } catch (error) {
    connection.sever()
    throw error
  }
  const root = new PostgresQueueBackend(connection, 'root', {
    connection: connection.pool,
  })
  root.on('error', (error) => watch.down(error))
  watch.up()

  const queues = new Map<string, Sender>()
  const queueOf = (name: string) => {
    const known = queues.get(name)
    if (known !== undefined) return known
    const queue = new Queue(name, { ...queueOptions, connection: connection.pool }, () =>
      root.forQueue(name),
    )
    queue.on('error', (error) => watch.note(error))
    queues.set(name, queue)
    return queue
  }
  return { connection, queueOf }
}
