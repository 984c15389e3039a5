/** BullMQ remembers a failed start for ever, so a worker is only made on a connection that has proved to be ready. */
import { PostgresQueueBackend } from 'bullmq'
import { type PostgresBackend, settings } from './backend.ts'
import type { ConnectionWatch } from './health.ts'
import { backoffMs, pause } from './pace.ts'
import { QueueConnection } from './postgres-connection.ts'
import { type QueueAssignment, type Consumer, type JobTaker, startWorker } from './worker.ts'

/** Works on one queue over a pool and a LISTEN connection of its own, from when the server is there. */
export function postgresConsumer(
  backend: PostgresBackend,
  work: { readonly assignment: QueueAssignment; readonly watch: ConnectionWatch },
): Consumer {
  const { assignment, watch } = work
  const stopping = new AbortController()
  const first = Promise.withResolvers<void>()
  let connection: QueueConnection | null = null
  let worker: JobTaker | null = null

  /** Whether there is nothing left to try. */
  const attempt = async (): Promise<boolean> => {
    const opened = new QueueConnection(backend)
    connection = opened
    opened.on('error', (error) => watch.note(error))
    try {
      await opened.waitUntilReady()
    } catch (error) {
      opened.sever()
      if (!stopping.signal.aborted) watch.down(error)
      return stopping.signal.aborted
    }
    if (stopping.signal.aborted) {
      opened.sever()
      return true
    }
    worker = startWorker(assignment, watch, {
      connection: opened.pool,
      prefix: settings.redisPrefix,
      answers: () => opened.pool.query('select 1'),
      stuck() {
        const before = worker
        worker = null
        opened.sever()
        before?.close(true).catch((error: unknown) => watch.note(error))
        started = run()
      },
      factory: (name, opts) => new PostgresQueueBackend(opened, name, opts, true, name),
    })
    watch.up()
    return true
  }
  const run = async () => {
    for (let failures = 0; !(await attempt());) {
      first.resolve()
      failures += 1
      await pause(backoffMs(failures), stopping.signal)
    }
    first.resolve()
  }
  let started = run()

  return {
    outcome: first.promise,
    async answers() {
      if (worker === null || connection === null) throw new Error('not connected to Postgres')
      await connection.pool.query('select 1')
    },
    async close() {
      stopping.abort()
      if (worker === null) connection?.sever()
      await started
      await worker?.close()
    },
    sever: () => connection?.sever(),
  }
}
