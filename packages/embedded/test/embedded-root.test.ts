/**
 * Method: real servers, started by whoever runs the tests; what only root can meet is tested where root runs them. Would
 * catch: a Postgres that runs as root, and data or programs that its own user cannot reach.
 */
import { chmod, chown, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { EmbeddedPostgresError, startEmbeddedPostgres } from '../src/index.ts'
import {
  leftovers,
  query,
  smallServer,
  spawnOwner,
  startServer,
  temporaryDir,
  until,
} from './embedded-harness.ts'

const settings = smallServer
const isRoot = process.getuid?.() === 0
const onlyRoot = 'only root runs Postgres as another user'

test('Postgres runs as a user who is not root', async () => {
  const { dir, remove } = await temporaryDir()
  const server = await startServer({ dataDir: dir, settings })
  const { uid } = await stat(join(dir, 'cluster'))
  await server.stop()
  await remove()
  expect(uid).not.toBe(0)
})

test('a directory that the user of Postgres cannot enter is refused by name', async ({ skip }) => {
  skip(!isRoot, onlyRoot)
  const { dir, remove } = await temporaryDir()
  const start = startEmbeddedPostgres({ dataDir: join(dir, 'data'), settings })
  const error: unknown = await start.catch((reason: unknown) => reason)
  await remove()
  expect(error).toBeInstanceOf(EmbeddedPostgresError)
  expect(error).toMatchObject({ code: 'data_dir_unreachable' })
  expect(String(error)).toContain(`cannot enter ${dir} `)
})

test('or the data goes to the fallback directory, and is found there again', async ({ skip }) => {
  skip(!isRoot, onlyRoot)
  const [hidden, open] = await Promise.all([temporaryDir(), temporaryDir()])
  // Like /var/lib: everybody passes through.
  await chmod(open.dir, 0o755)
  const fallbackDir = join(open.dir, 'fallback')
  const options = { dataDir: join(hidden.dir, 'data'), settings, fallbackDir }
  const first = await startServer(options)
  await query(first.url, 'create table kept as select 7 as n')
  await first.stop()
  const second = await startServer(options)
  const rows = await query(second.url, 'select n from kept')
  await second.stop()
  await Promise.all([hidden.remove(), open.remove()])
  expect(second.dataDir).toMatch(new RegExp(`^${fallbackDir}/data-[0-9a-f]{12}$`))
  expect(rows).toEqual([{ n: 7 }])
})

test('an owner who is a normal user runs it as himself', async ({ skip }) => {
  skip(!isRoot, onlyRoot)
  const mine = await temporaryDir()
  const nobody = { uid: 65534, gid: 65534 }
  await chown(mine.dir, nobody.uid, nobody.gid)
  const { child, report } = spawnOwner({ dataDir: mine.dir, graceful: true }, nobody)
  const rows = await query((await report).url, 'select 1 as one')
  child.kill('SIGTERM')
  await until(() => child.exitCode !== null)
  const left = await leftovers(mine.dir)
  await mine.remove()
  expect([rows, left]).toEqual([[{ one: 1 }], []])
})
