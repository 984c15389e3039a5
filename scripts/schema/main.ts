/** Writes `migrations/schema.sql`: the catalog of a new database, made in a Postgres of its own. */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '@signalbox/embedded'
import { describeSchema, migrate, migrationsFolder } from '@signalbox/postgres'

const folder = await mkdtemp(join(tmpdir(), 'signalbox-schema-'))
try {
  // Started by root, Postgres runs as another user, who must be able to walk here.
  await chmod(folder, 0o755)
  const server = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres') })
  try {
    await migrate(server.url)
    await writeFile(new URL('schema.sql', migrationsFolder), await describeSchema(server.url))
  } finally {
    await server.stop()
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
