import { type ChildProcess, spawn } from 'node:child_process'
import { open, rename, stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

import { ownSession } from './child-env.ts'
import type { Layout } from './layout.ts'
import type { OsUser } from './os-user.ts'
import { readPostmasterFile } from './postmaster-file.ts'

/** The server to run. */
export interface ServerPlan {
  readonly layout: Layout
  readonly program: string
  /** Without the port. */
  readonly args: readonly string[]
  readonly user: OsUser | null
}

/** Came up, or ended before it did, with what it said. */
export type SpawnResult =
  | { readonly up: true; readonly pid: number; readonly gone: Promise<void> }
  | { readonly up: false; readonly said: string }

const logBytesMax = 4 * 1024 * 1024
const saidBytesMax = 8 * 1024
const pollMs = 10

/**
 * Starts a postmaster in a session of its own: a Ctrl-C at the terminal reaches the owner only, who stops the server
 * when he no longer needs it. It logs into a file, so that it can outlive the owner. Waits until it accepts
 * connections, which includes recovery, or until `deadline` (epoch milliseconds).
 */
export async function spawnPostmaster(
  plan: ServerPlan,
  port: number,
  deadline: number,
): Promise<SpawnResult> {
  await rotateLog(plan.layout.log)
  const log = await open(plan.layout.log, 'a', 0o600)
  const from = (await log.stat()).size
  const child = spawn(plan.program, [...plan.args, '-p', String(port)], {
    ...plan.user,
    ...ownSession(),
    stdio: ['ignore', log.fd, log.fd],
  })
  const end = watchEnd(child)
  await log.close()
  child.unref()
  for (;;) {
    const { pid } = child
    if (pid === undefined || end.reason !== null) {
      const said = await readTail(plan.layout.log, from)
      return { up: false, said: said === '' ? (end.reason ?? 'it did not start') : said }
    }
    const file = await readPostmasterFile(plan.layout.cluster)
    if (file?.pid === pid && file.status === 'ready') return { up: true, pid, gone: end.gone }
    if (Date.now() >= deadline) {
      child.kill('SIGQUIT')
      return { up: false, said: 'it was not ready in time' }
    }
    await sleep(pollMs)
  }
}

function watchEnd(child: ChildProcess): { reason: string | null; readonly gone: Promise<void> } {
  const end: { reason: string | null; gone: Promise<void> } = {
    reason: null,
    gone: new Promise((resolve) => {
      const finish = (reason: string): void => {
        end.reason = reason
        resolve()
      }
      child.once('error', (error) => finish(error.message))
      child.once('exit', (code, signal) => finish(`it ended (${code ?? signal})`))
    }),
  }
  return end
}

async function rotateLog(file: string): Promise<void> {
  const size = (await stat(file).catch(() => null))?.size ?? 0
  if (size > logBytesMax) await rename(file, `${file}.1`)
}

async function readTail(file: string, from: number): Promise<string> {
  const handle = await open(file, 'r')
  try {
    const { size } = await handle.stat()
    const start = Math.max(from, size - saidBytesMax)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(saidBytesMax), { position: start })
    return buffer.toString('utf8', 0, bytesRead).trim()
  } finally {
    await handle.close()
  }
}
