/**
 * Method: a real server in a temporary directory, shared by the tests of this file in order; each leaves it stopped.
 * Would catch: a start that loses data, lets a second owner in, opens the server to others, or gives up on what a killed
 * server leaves behind.
 */
import { spawn } from 'node:child_process'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'

import {
  type EmbeddedPostgres,
  EmbeddedPostgresError,
  KeptPostgres,
  startEmbeddedPostgres,
} from '../src/index.ts'
import {
  killHard,
  leftovers,
  processesOf,
  query,
  signal,
  smallServer,
  spawnOwner,
  startServer,
  temporaryDir,
  until,
} from './embedded-harness.ts'

const settings = smallServer
let dataDir: string
let remove: () => Promise<void>

beforeAll(async () => {
  ;({ dir: dataDir, remove } = await temporaryDir())
})

afterAll(async () => {
  await remove()
})

async function refusal(promise: Promise<unknown>): Promise<EmbeddedPostgresError> {
  const error: unknown = await promise.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (error instanceof EmbeddedPostgresError) return error
  throw new Error('it was not refused', { cause: error })
}

test('an interrupted first start is done again', async () => {
  const { child } = spawnOwner({ dataDir })
  const draft = async (): Promise<string | undefined> =>
    (await readdir(dataDir)).find((name) => /^cluster\.new-[0-9a-f]+$/.test(name))
  // What only initdb makes: it runs, and goes on while its owner is stopped.
  const begun = /^(base|global|pg_.+)$/
  await until(async () => {
    const name = await draft()
    return (
      name !== undefined && (await readdir(join(dataDir, name))).some((each) => begun.test(each))
    )
  })
  // From here on the owner gets no further: however slow the machine is, the draft stays one.
  signal(child.pid ?? 0, 'SIGSTOP')
  // Late enough that there is something half-made.
  await until(async () => (await readdir(join(dataDir, (await draft()) ?? ''))).includes('base'))
  await killHard(child)
  for (const line of await processesOf('cluster.new-')) {
    if (line.includes(dataDir)) signal(Number(line.split(/\s+/)[1]), 'SIGKILL')
  }
  expect(await draft()).toBeDefined()

  const server = await startServer({ dataDir, settings })
  await query(server.url, 'create table kept (n int)')
  await server.stop()

  expect((await readdir(dataDir)).filter((name) => name.startsWith('cluster'))).toEqual(['cluster'])
})

test('the server is durable, local, and asks for the password', async () => {
  const server = await startServer({ dataDir, settings })
  const names = ['fsync', 'full_page_writes', 'synchronous_commit', 'data_checksums']
  const strict = await query<{ name: string; setting: string }>(
    server.url,
    `select name, setting from pg_settings where name in ('${names.join("','")}')`,
  )
  const [place] = await query(
    server.url,
    `select current_setting('server_encoding') as encoding, datcollate as collation,
            current_setting('listen_addresses') as host, current_setting('shared_buffers') as buffers
     from pg_database where datname = current_database()`,
  )
  const password = new URL(server.url).password
  const wrong = query(server.url.replace(password, 'guess'), 'select 1')

  await expect(wrong).rejects.toMatchObject({ code: '28P01' })
  expect(strict.filter(({ setting }) => setting === 'on').map(({ name }) => name)).toHaveLength(4)
  expect(place).toEqual({ encoding: 'UTF8', collation: 'C', host: '127.0.0.1', buffers: '8MB' })
  expect((await stat(join(dataDir, 'password'))).mode & 0o777).toBe(0o600)
  await server.stop()
  expect(await readFile(join(dataDir, 'postgres.log'), 'utf8')).not.toContain(password)
})

test('a failed statement leaves no data in the log', async () => {
  const server = await startServer({ dataDir, settings })
  await query(server.url, 'create table unique_words (word text primary key)')
  const twice = `insert into unique_words values ('top-secret-word')`
  await query(server.url, twice)
  await expect(query(server.url, twice)).rejects.toMatchObject({ code: '23505' })
  await server.stop()
  expect(await readFile(join(dataDir, 'postgres.log'), 'utf8')).not.toContain('top-secret-word')
})

test('a second owner is refused and told whom to stop', async () => {
  const { child, report } = spawnOwner({ dataDir })
  await report
  const error = await refusal(startEmbeddedPostgres({ dataDir, settings }))
  expect(error).toMatchObject({ code: 'data_dir_in_use', pid: child.pid })
  expect(error.message).toContain(`process ${child.pid}`)
  child.kill('SIGTERM')
  await until(async () => (await processesOf(dataDir)).length === 0)
})

test('a second start in the same process is refused, and works after the stop', async () => {
  const server = await startServer({ dataDir, settings })
  const error = await refusal(startEmbeddedPostgres({ dataDir, settings }))
  await Promise.all([server.stop(), server.stop()])
  await server.exited
  const again = await startServer({ dataDir, settings })
  await again.stop()
  expect(error).toMatchObject({ code: 'data_dir_in_use', pid: process.pid })
})

test('after kill -9 of the postmaster the next start has every committed row', async () => {
  const server = await startServer({ dataDir, settings })
  await query(server.url, 'insert into kept select generate_series(1, 1000)')
  await server.killImmediate()
  const next = await startServer({ dataDir, settings })
  const [row] = await query(next.url, 'select count(*)::int as rows from kept')
  await next.stop()
  expect(row).toEqual({ rows: 1000 })
})

test('what a killed postmaster leaves in memory is waited for', async () => {
  const server = await startServer({ dataDir, settings })
  const [backend] = await query<{ pid: number }>(
    server.url,
    `select pid from pg_stat_activity where backend_type = 'checkpointer'`,
  )
  const pid = backend?.pid ?? 0
  // Stopped, it cannot notice the death of its postmaster, and holds on to the shared memory.
  process.kill(pid, 'SIGSTOP')
  onTestFinished(() => signal(pid, 'SIGCONT'))
  await server.killImmediate()
  const log = (): Promise<string> => readFile(join(dataDir, 'postgres.log'), 'utf8')
  const seen = (await log()).length
  const next = startServer({ dataDir, settings })
  await until(async () => (await log()).includes('shared memory block', seen))
  signal(pid, 'SIGCONT')
  await (await next).stop()
  expect((await log()).slice(seen)).toContain('ready to accept connections')
})

/** Kills the postmaster, and waits for the next. */
async function kill(server: EmbeddedPostgres): Promise<void> {
  const { pid } = server
  process.kill(pid, 'SIGKILL')
  await until(() => server.pid !== pid)
}

test('a server that dies is started again, with its data, on its port, and for good', async () => {
  const server = await startServer({ dataDir, settings })
  await query(server.url, 'create table outlives (n int)')
  for (const n of [1, 2, 3]) {
    await query(server.url, `insert into outlives values (${n})`)
    await kill(server)
    expect(await query(server.url, 'select count(*)::int as rows from outlives')).toEqual([
      { rows: n },
    ])
  }
  await query(server.url, 'drop table outlives')
  await server.stop()
  await server.exited
  expect(await leftovers(dataDir)).toEqual([])
})

test('a stop ends a start that is under way', async () => {
  const server = await startServer({ dataDir, settings })
  process.kill(server.pid, 'SIGKILL')
  await server.stop()
  await server.exited
  expect(await leftovers(dataDir)).toEqual([])
})

test('a server that cannot be started again is given up, and says why', async () => {
  const server = await startServer({ dataDir, settings, giveUpMs: 500 })
  const file = join(dataDir, 'cluster', 'postgresql.conf')
  const settled = await readFile(file, 'utf8')
  await writeFile(file, `${settled}\nno_such_setting = on\n`)
  process.kill(server.pid, 'SIGKILL')
  const failure = await server.failed
  await writeFile(file, settled)
  expect(failure).toMatchObject({ code: 'start_failed' })
  expect(failure.message).toContain('no_such_setting')
  await server.exited
  await server.stop()
})

test('a pid file that names another live process does not stop the start', async () => {
  const owner = await stat(join(dataDir, 'cluster'))
  const stranger = spawn('sleep', ['600'], { uid: owner.uid, gid: owner.gid })
  onTestFinished(() => killHard(stranger))
  const lines = [stranger.pid, join(dataDir, 'cluster'), 1, 5432, '', '127.0.0.1', '  1 1', 'ready']
  await writeFile(join(dataDir, 'cluster', 'postmaster.pid'), `${lines.join('\n')}\n`)
  const server = await startServer({ dataDir, settings })
  await server.stop()
  expect(stranger.exitCode).toBeNull()
})

test('a port that is taken is named', async () => {
  const squatter = createServer()
  await new Promise<void>((resolve) => squatter.listen(0, '127.0.0.1', resolve))
  const address = squatter.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  onTestFinished(() => void squatter.close())
  const error = await refusal(startEmbeddedPostgres({ dataDir, settings, port }))
  expect(error.code).toBe('port_in_use')
  expect(error.message).toContain(String(port))
})

test.each(['port', 'listen_addresses', 'hba_file', 'x;y'])(
  'the setting %s is refused',
  async (name) => {
    const error = await refusal(startEmbeddedPostgres({ dataDir, settings: { [name]: 'x' } }))
    expect(error.code).toBe('setting_refused')
  },
)

test('a setting that the server does not know is reported in its words', async () => {
  const error = await refusal(
    startEmbeddedPostgres({ dataDir, settings: { shared_bufers: '8MB' } }),
  )
  expect(error.code).toBe('start_failed')
  expect(error.message).toContain('shared_bufers')
})

test('what is not a cluster of ours is left alone', async () => {
  const { dir, remove: removeOther } = await temporaryDir()
  onTestFinished(removeOther)
  await mkdir(join(dir, 'cluster'))
  await writeFile(join(dir, 'cluster', 'letter.txt'), 'dear')
  const foreign = await refusal(startEmbeddedPostgres({ dataDir: dir, settings }))
  await writeFile(join(dir, 'cluster', 'PG_VERSION'), '17\n')
  const old = await refusal(startEmbeddedPostgres({ dataDir: dir, settings }))
  await writeFile(join(dir, 'cluster', 'PG_VERSION'), '18\n')
  const locked = await refusal(startEmbeddedPostgres({ dataDir: dir, settings }))
  expect([foreign.code, old.code, locked.code]).toEqual([
    'data_dir_invalid',
    'data_dir_invalid',
    'password_missing',
  ])
  expect(await readFile(join(dir, 'cluster', 'letter.txt'), 'utf8')).toBe('dear')
})

test('a kept server is started once, outlives those that stop it, and is tried anew if a start fails', async () => {
  const kept = new KeptPostgres()
  const error = await refusal(kept.start({ dataDir, settings: { port: 1 } }))
  expect(error.code).toBe('setting_refused')
  const [first, second] = await Promise.all([
    kept.start({ dataDir, settings }),
    kept.start({ dataDir, settings }),
  ])
  onTestFinished(() => kept.stop())
  expect(second.url).toBe(first.url)
  await first.stop()
  expect(await query(first.url, 'select 1 as one')).toEqual([{ one: 1 }])
  await kept.stop()
  expect(await leftovers(dataDir)).toEqual([])
})

test('no process is left', async () => {
  expect(await leftovers(dataDir)).toEqual([])
})
