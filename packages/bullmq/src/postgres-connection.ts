/**
 * BullMQ's PostgreSQL connection, made fit for a server that comes and goes.
 *
 * C1 No client of ours is ever without an 'error' listener. BullMQ checks clients out and takes listeners off; a
 *    server that goes down in that moment would end the process.
 * C2 A connection that listens is asked something now and then: one that fell silent is made again.
 * C3 `synchronous_commit=off`: rows of the queue are hints, a lost one is found by the reconciler.
 */
import { EventEmitter } from 'node:events'
import { PostgresConnection, type PostgresPoolConfig } from 'bullmq'
import { type PostgresBackend, settings } from './backend.ts'

/** How often a connection that listens is asked whether it is there. Milliseconds. */
const listenCheckMs = 10_000

type ListenClient = Awaited<ReturnType<PostgresConnection['getListenClient']>>

/** Never reject readiness and then keep the object: BullMQ remembers the failure for ever. Make another one. */
export class QueueConnection extends PostgresConnection {
  readonly #clients = new Set<ListenClient>()
  readonly #questioned = new WeakSet<ListenClient>()

  constructor(backend: PostgresBackend) {
    super(poolConfig(backend))
    this.pool.on('connect', (client) => this.#guard(client))
  }

  override async getListenClient(): Promise<ListenClient> {
    const client = await super.getListenClient()
    this.#guard(client)
    this.#question(client)
    return client
  }

  /** Cuts every connection, without waiting for what runs on them. */
  sever(): void {
    for (const client of this.#clients) {
      // Both kinds of clients are pg's, whose `end` destroys the socket when a query is in flight.
      if ('end' in client && typeof client.end === 'function') {
        void Promise.resolve(client.end()).catch(ignore)
      }
    }
    void this.close().catch(ignore)
  }

  #question(client: ListenClient): void {
    if (this.#questioned.has(client)) return
    this.#questioned.add(client)
    const timer = setInterval(() => {
      client.query('select 1').catch((error: unknown) => {
        clearInterval(timer)
        if (client instanceof EventEmitter) client.emit('error', error)
      })
    }, listenCheckMs)
    timer.unref()
    client.on('end', () => clearInterval(timer))
  }

  #guard(client: ListenClient): void {
    if (this.#clients.has(client)) return
    this.#clients.add(client)
    const removeAllListeners = client.removeAllListeners.bind(client)
    const protect = () => {
      client.on('error', ignore)
      client.on('end', () => this.#clients.delete(client))
    }
    protect()
    client.removeAllListeners = (event) => {
      removeAllListeners(event)
      protect()
      return client
    }
  }
}

/** BullMQ pins the schema through the start-up option `options`, which a URL that has its own would override. */
function poolConfig(backend: PostgresBackend): PostgresPoolConfig {
  const [url, own] = withoutOptions(backend.url)
  return {
    connectionString: url,
    schema: backend.schema ?? settings.postgresSchema,
    migrate: false,
    max: settings.postgresPoolMax,
    options: `${own} -c synchronous_commit=off`.trim(),
    application_name: 'signalbox-queue',
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: 5_000,
    query_timeout: 30_000,
  }
}

function withoutOptions(url: string): readonly [string, string] {
  if (!/[?&]options=/.test(url)) return [url, '']
  const parsed = new URL(url)
  const own = parsed.searchParams.get('options') ?? ''
  parsed.searchParams.delete('options')
  return [parsed.href, own]
}

function ignore(): void {
  // The pool and BullMQ report the same error; this listener only keeps it from being fatal.
}
