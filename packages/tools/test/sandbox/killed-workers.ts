/** Workers that are killed with -9 while they start a command. */
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const main = fileURLToPath(new URL('worker-main.ts', import.meta.url))

/** Kills of a start: all of them where everything is played, else some. */
export const killsOfStarts = process.env['SIGNALBOX_FULL'] === '1' ? 200 : 24
const atOnce = 8
/** X3: nothing is alive by then. */
const goneMsMax = 1000

/** Arguments of `worker-main.ts`. */
export type WorkerArguments = readonly string[]

/** `before`: a command of the shell that becomes the worker. */
export const startWorker = (args: WorkerArguments, before = ':') =>
  spawn('/bin/bash', ['-c', `${before}; exec "$@"`, 'bash', process.execPath, main, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })

/** Waits until a worker has said a word. */
export function heard(worker: { readonly stdout: Readable }, word: string): Promise<void> {
  let said = ''
  return new Promise((resolve) => {
    worker.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8')
      if (said.includes(word)) resolve()
    })
  })
}

/** Waits for the end of a worker that nobody kills, and answers its exit code. */
export async function endOf(worker: ReturnType<typeof startWorker>): Promise<number | null> {
  worker.stdout.resume()
  await once(worker, 'exit')
  return worker.exitCode
}

/** One start, and how its processes are found. */
export interface KilledStart {
  readonly args: WorkerArguments
  readonly left: () => readonly number[]
}

/**
 * Starts and kills workers at random moments of the first milliseconds, and answers what was alive a second later: the moment of
 * each kill, and the processes. None is as it should be.
 */
export async function killStarts(
  startOf: (n: number) => KilledStart,
  withinMs: number,
): Promise<readonly string[]> {
  const found: string[] = []
  const one = async (n: number): Promise<void> => {
    const { args, left } = startOf(n)
    const worker = startWorker(args)
    await heard(worker, n % 2 === 0 ? 'starting' : 'opened')
    const afterMs = randomInt(withinMs)
    await sleep(afterMs)
    worker.kill('SIGKILL')
    await sleep(goneMsMax)
    const pids = left()
    if (pids.length > 0) found.push(`after ${afterMs} ms: ${pids.join()}`)
  }
  for (let n = 0; n < killsOfStarts; n += atOnce)
    await Promise.all(Array.from({ length: atOnce }, (_, k) => one(n + k)))
  return found
}
