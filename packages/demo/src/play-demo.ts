/** The demo as a program: `npm run demo`, and `signalbox demo`. */
import process from 'node:process'
import { runDemo } from './run-demo.ts'

const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/** Plays it. Answers 0 if every scene kept its promise, 1 if not, 128 plus the signal if interrupted. */
export async function playDemo(): Promise<number> {
  const interrupted = new AbortController()
  let exitCode: number | null = null
  const interrupt = (code: number): void => {
    // Again and again, by an impatient hand: the cleaning up goes on.
    if (exitCode !== null) return
    exitCode = code
    process.stderr.write('\nInterrupted; stopping everything …\n')
    interrupted.abort()
  }
  process.on('SIGINT', () => interrupt(exitCodes.SIGINT))
  process.on('SIGTERM', () => interrupt(exitCodes.SIGTERM))
  process.on('SIGHUP', () => interrupt(exitCodes.SIGHUP))
  // Nobody reads any more, as with `| head`; who started this must still find nothing left behind.
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error')
  process.stdout.on('error', () => interrupt(1))
  process.stderr.on('error', () => undefined)
  const met = await runDemo({ env: process.env, signal: interrupted.signal })
  return exitCode ?? (met ? 0 : 1)
}
