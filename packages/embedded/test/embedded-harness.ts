import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { Client, type QueryResultRow } from 'pg'
import { onTestFinished } from 'vitest'

import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from '../src/index.ts'

const run = promisify(execFile)

/** Small servers: tests of other packages run next to these. */
export const smallServer = { shared_buffers: '8MB', max_connections: 20 }

/** How long what is on its way out may take. */
const leaveMs = 30_000

/** A data directory of its own, gone after `remove`. */
export async function temporaryDir(): Promise<{ dir: string; remove: () => Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), 'signalbox-embedded-'))
  return { dir, remove: () => rm(dir, { recursive: true, force: true, maxRetries: 5 }) }
}

/** Starts a server that ends with the test, so that one that fails does not keep the directory from the next. */
export async function startServer(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres(options)
  onTestFinished(() => server.stop())
  return server
}

/** Runs one statement over a connection of its own. */
export async function query<Row extends QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new Client(url)
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}

/** What the owner process printed. */
export interface OwnerReport {
  readonly pid: number
  readonly url: string
  readonly adopted: boolean
  readonly code?: string
  readonly message?: string
}

/** Starts an owner process in a process group of its own, as a shell does. It ends with the test. */
export function spawnOwner(
  order: Readonly<Record<string, unknown>>,
  user: { readonly uid?: number; readonly gid?: number } = {},
): { readonly child: ChildProcess; readonly report: Promise<OwnerReport> } {
  const program = fileURLToPath(new URL('./embedded-owner.ts', import.meta.url))
  const child = spawn(
    process.execPath,
    ['--no-warnings', program, JSON.stringify({ settings: smallServer, ...order })],
    { ...user, detached: true, stdio: ['pipe', 'pipe', 'inherit'] },
  )
  onTestFinished(() => killHard(child))
  const report = once(createInterface({ input: child.stdout }), 'line').then(([line]) => {
    const said: OwnerReport = JSON.parse(String(line))
    return said
  })
  return { child, report }
}

/** Live processes whose command line names the directory. Zombies are nobody's fault where no init reaps them. */
export async function processesOf(dir: string): Promise<readonly string[]> {
  const { stdout } = await run('ps', ['-eo', 'stat=,pid=,args=', '-ww'])
  const lines = stdout.split('\n').map((line) => line.trim())
  return lines.filter((line) => line.includes(dir) && !line.startsWith('Z'))
}

/** What is still there after a while: a watchdog needs a moment to go, and on a busy machine more than one. */
export async function leftovers(dir: string): Promise<readonly string[]> {
  const deadline = Date.now() + leaveMs
  for (;;) {
    const found = await processesOf(dir)
    if (found.length === 0 || Date.now() >= deadline) return found
    await sleep(25)
  }
}

/** Waits until it holds. The test's own timeout is the limit. */
export async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await holds())) await sleep(25)
}

/** Sends a signal to a process that may have ended by itself meanwhile. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It is gone.
  }
}

/** Ends a process for sure. */
export async function killHard(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}
