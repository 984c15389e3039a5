/**
 * A process that owns an embedded server, for the tests to kill. Argument: options as JSON. Prints a line of JSON when
 * the server runs. With `graceful`, a signal makes it use the server once more before it stops it, as an orchestrator
 * that finishes its work does.
 */
import { Client } from 'pg'

import { startEmbeddedPostgres } from '../src/embedded-postgres.ts'
import { EmbeddedPostgresError } from '../src/errors.ts'

interface Order {
  readonly dataDir: string
  readonly orphan?: 'stop' | 'keep'
  readonly graceful?: boolean
}

// The end of the test ends its owners, even if it failed or was killed.
process.stdin.resume().once('end', () => process.exit(1))

const { graceful, ...options }: Order = JSON.parse(process.argv[2] ?? '{}')

try {
  const server = await startEmbeddedPostgres(options)
  if (graceful === true) {
    const finish = async (): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, 300))
      const client = new Client(server.url)
      await client.connect()
      await client.query('create table if not exists farewell (said text)')
      await client.query(`insert into farewell values ('done')`)
      await client.end()
      await server.stop()
      process.exit(0)
    }
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void finish())
  }
  console.log(JSON.stringify({ pid: server.pid, url: server.url, adopted: server.adopted }))
} catch (error) {
  const known = error instanceof EmbeddedPostgresError
  console.log(JSON.stringify({ code: known ? error.code : 'unknown', message: String(error) }))
  process.exit(1)
}
