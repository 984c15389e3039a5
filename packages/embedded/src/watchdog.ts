import { spawn } from 'node:child_process'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

import { ownSession } from './child-env.ts'
import type { Log } from '@signalbox/engine'

/** A process that stops the server when the owner is gone, however he went. */
export interface Watchdog {
  /** The server is being started again: its pid file may come a moment later. */
  serverStarts(): void
  /** The server runs: from now on a missing pid file means a missing server. */
  serverRuns(): void
  /** The owner has stopped the server himself. */
  dismiss(): void
}

/**
 * Starts the watchdog. It waits for the end of the pipe that only the owner holds open: the kernel closes it even after
 * `kill -9`. It does not keep the owner's process alive.
 */
export function startWatchdog(dir: string, stopMs: number, log: Log | undefined): Watchdog {
  // The sources run as `.ts`, the published package as `.js`.
  const main = new URL(`./watchdog-main${extname(import.meta.url)}`, import.meta.url)
  const args = ['--no-warnings', fileURLToPath(main), dir, String(stopMs)]
  const child = spawn(process.execPath, args, {
    ...ownSession(),
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const dog = { dismissed: false }
  const failed = (reason: string): void => {
    if (dog.dismissed) return
    log?.warn('the watchdog of the embedded Postgres is gone: a kill -9 would leave the server', {
      reason,
    })
  }
  child.once('error', (error) => failed(error.message))
  child.once('exit', (code, signal) => failed(String(code ?? signal)))
  child.stdin.on('error', () => undefined)
  child.unref()
  if ('unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref()
  return {
    serverStarts: () => void child.stdin.write('starts\n'),
    serverRuns: () => void child.stdin.write('runs\n'),
    dismiss: () => {
      dog.dismissed = true
      child.stdin.end('dismissed\n')
    },
  }
}
