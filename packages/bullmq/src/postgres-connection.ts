/**
 * BullMQ's PostgreSQL connection, made fit for a server that comes and goes.
 *
 * C1 No client of ours is ever without an 'error' listener. BullMQ checks clients out and takes listeners off, and makes the one that
 *    listens without one; a server that goes down in that moment would end the process. So the one that listens is made here.
 * C2 A connection that listens is asked something now and then: one that fell silent is made again.
 * C3 `synchronous_commit=off`: rows of the queue are hints, a lost one is found by the reconciler.
 */
import { PostgresConnection, quoteSchemaName } from 'bullmq'
import { Client, type ClientConfig } from 'pg'
import { type PostgresBackend, settings } from './backend.ts'

/** How often a connection that listens is asked whether it is there. Milliseconds. */
const listenCheckMs = 10_000

type ListenClient = Awaited<ReturnType<PostgresConnection['getListenClient']>>

/** A client of pg's, which BullMQ describes in words of its own. */
type Listener = Client & ListenClient

/** Never reject readiness and then keep the object: BullMQ remembers the failure for ever. Make another one. */
export class QueueConnection extends PostgresConnection {
  readonly #clients = new Set<ListenClient>()
  readonly #listenConfig: ClientConfig
  #listening: Promise<Listener> | null = null
  /** The connection that listens, once it is open. */
  #listener: Listener | null = null
  #listenName: string | null = null

  constructor(backend: PostgresBackend) {
    // BullMQ pins the schema through the start-up option `options`, which a URL that has its own would override.
    super({
      ...clientConfig(backend),
      schema: schemaOf(backend),
      migrate: false,
      max: settings.postgresPoolMax,
    })
    this.#listenConfig = listenConfig(backend)
    this.pool.on('connect', (client) => this.#guard(client))
  }

  /** Opens the connection that listens at the first call, and again at the first one after it was lost. */
  override getListenClient(): Promise<ListenClient> {
    if (this.#listening === null) {
      const opening = this.#openListener()
      this.#listening = opening
      // The next call opens another one.
      opening.catch(() => {
        if (this.#listening === opening) this.#listening = null
      })
    }
    return this.#listening
  }

  override async setListenClientName(name: string): Promise<void> {
    this.#listenName = name
    await nameClient(await this.getListenClient(), name)
  }

  override async close(): Promise<void> {
    // First it is known that it closes: what is lost from then on is not made again.
    const closing = super.close()
    const listener = await this.#listening?.catch(() => null)
    this.#listening = this.#listener = null
    listener?.removeAllListeners('notification')
    await listener?.end().catch(ignore)
    await closing
  }

  async #openListener(): Promise<Listener> {
    const client = newListener(this.#listenConfig)
    const lost: Error[] = []
    client.on('error', (error) => {
      lost.push(error)
      this.#lose(client, error)
    })
    this.#guard(client)
    await client.connect()
    if (lost[0]) {
      client.end().catch(ignore)
      throw lost[0]
    }
    this.#listener = client
    // The name is for whoever looks at the server's connections.
    if (this.#listenName !== null) await nameClient(client, this.#listenName).catch(ignore)
    this.#question(client)
    return client
  }

  /** BullMQ listens again on what `getListenClient` opens next. */
  #lose(client: Listener, error: Error): void {
    if (this.#listener === client && !this.isClosing) {
      this.#listening = this.#listener = null
      client.removeAllListeners('notification')
      client.end().catch(ignore)
      this.emit('listenerinvalidated')
    }
    if (this.listenerCount('error') > 0) this.emit('error', error)
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

  #question(client: Listener): void {
    const timer = setInterval(() => {
      client.query('select 1').catch((error: unknown) => {
        clearInterval(timer)
        client.emit('error', error)
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

const schemaOf = (backend: PostgresBackend): string => backend.schema ?? settings.postgresSchema

function listenConfig(backend: PostgresBackend): ClientConfig {
  const config = clientConfig(backend)
  const schema = quoteSchemaName(schemaOf(backend))
  return { ...config, options: `${config.options} -c search_path=${schema}` }
}

function clientConfig(backend: PostgresBackend) {
  const [url, own] = withoutOptions(backend.url)
  return {
    connectionString: url,
    options: `${own} -c synchronous_commit=off`.trim(),
    application_name: 'signalbox-queue',
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: 5_000,
    query_timeout: 30_000,
  }
}

function newListener(config: ClientConfig): Listener {
  const client = new Client(config)
  if (!isListener(client)) throw new Error('the client of pg cannot listen')
  return client
}

const isListener = (client: Client): client is Listener => 'removeAllListeners' in client

/** Shown in `pg_stat_activity`, by which BullMQ counts its workers. */
async function nameClient(client: ListenClient, name: string): Promise<void> {
  await client.query(`select set_config('application_name', $1, false)`, [name])
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
