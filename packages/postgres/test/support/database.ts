/**
 * A migrated database of one's own, on the one server of the test run. The server is started by whoever makes the folder
 * first; the others wait for its `ready`.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { access, mkdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'
import pg from 'pg'
import { passwords, type ServerFacts, templateName } from './server-facts.ts'

export interface TestDatabase {
  readonly name: string
  /** As a superuser. */
  readonly adminUrl: string
  readonly engineUrl: string
  readonly appUrl: string
  readonly maintenanceUrl: string
  drop(): Promise<void>
}

/** Copies the template. `empty` starts from nothing instead, for tests of the migration itself. */
export async function createTestDatabase(empty = false): Promise<TestDatabase> {
  const { host } = await findServer()
  const name = `t_${randomBytes(6).toString('hex')}`
  const rootUrl = `postgresql://postgres:${passwords.admin}@${host}/postgres`
  await once(
    rootUrl,
    `create database ${name} encoding 'UTF8' template ${empty ? 'template0' : templateName}`,
  )
  const urlOf = (role: 'app' | 'engine' | 'maintenance') =>
    `postgresql://signalbox_${role}:${passwords[role]}@${host}/${name}`
  return {
    name,
    adminUrl: `postgresql://postgres:${passwords.admin}@${host}/${name}`,
    engineUrl: urlOf('engine'),
    appUrl: urlOf('app'),
    maintenanceUrl: urlOf('maintenance'),
    drop: () => once(rootUrl, `drop database ${name} with (force)`),
  }
}

async function once(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

async function findServer(): Promise<ServerFacts> {
  // Test files run in children, or in threads, of the process that runs the tests.
  const runPid = isMainThread ? process.ppid : process.pid
  const folder = join(tmpdir(), `signalbox-test-postgres-${runPid}`)
  const isFirst = await mkdir(folder).then(
    () => true,
    () => false,
  )
  if (isFirst) startServer(folder, runPid)
  const ready = join(folder, 'ready')
  for (let tries = 0; tries < 1000; tries += 1) {
    if (await exists(ready)) return { host: await readFile(ready, 'utf8') }
    await setTimeout(100)
  }
  const log = await readFile(join(folder, 'server.log'), 'utf8').catch(() => 'no log')
  throw new Error(`the Postgres of the test run did not start: ${log}`)
}

function startServer(folder: string, runPid: number): void {
  const script = fileURLToPath(new URL('server-process.ts', import.meta.url))
  // A file, not our own stderr: what the child holds open would keep the test worker from ending.
  const log = openSync(join(folder, 'server.log'), 'w')
  const child = spawn(process.execPath, [script, folder, String(runPid)], {
    detached: true,
    stdio: ['ignore', log, log],
  })
  child.unref()
  closeSync(log)
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
