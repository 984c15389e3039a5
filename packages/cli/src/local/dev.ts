/**
 * A server for the one who is building: everything in this process, lines for a human, and what is edited is taken in.
 *
 * D1 Whatever phase an interrupt meets, everything that was opened is closed: 0 where it served, 130 where it did not yet.
 * D2 A configuration that cannot be used is never taken: the one from before goes on.
 * D3 What executes when a configuration is replaced goes on to its end under the old one; nothing is cut, nothing is lost.
 */
import process from 'node:process'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { interrupted, type UserInterrupt } from '../interrupt.ts'
import { createTerminal } from '../output/terminal.ts'
import type { Shell } from '../shell.ts'
import { Editions } from './dev/editions.ts'
import { greet } from './dev/greeting.ts'
import { sayPhases } from './dev/progress.ts'

export interface DevOptions {
  readonly port?: number
  /** The log as JSON lines after all. */
  readonly json: boolean
}

/** What cannot be closed keeps no process that was told to end, or has nothing to stand on. */
const giveUpMs = 10_000

/** Serves until SIGINT or SIGTERM. @throws ConfigError, StartError */
export async function dev(
  shell: Shell,
  options: DevOptions,
  interrupt: UserInterrupt,
): Promise<ExitCode> {
  const { signal } = interrupt
  const terminal = createTerminal(options)
  const beganAt = performance.now()
  const editions = new Editions({ shell, options, terminal, signal })
  const asked = interrupted(interrupt)
  const phases = sayPhases(terminal)
  const first = editions.start(phases)
  const started = await Promise.race([first, asked.then(() => null)]).catch(
    async (error: unknown) => {
      if (signal.aborted) return null
      await editions.stop()
      throw error
    },
  )
  if (started === null) {
    terminal.line('Stopping before the start is over.')
    exitAfter(giveUpMs, exitCodes.interrupted)
    // Loading may never end; all that was opened is closed again by whoever opened it.
    if (editions.hasOpened()) await first.catch(() => {})
    await editions.stop()
    return exitCodes.interrupted
  }
  greet(terminal, { shell, started, tookMs: performance.now() - beganAt })
  const followed = editions.follow().catch((error: unknown) => error)
  const failure = await Promise.race([asked, started.signalbox.failed, followed])
  if (failure !== undefined) {
    exitAfter(giveUpMs, exitCodes.failed)
    await editions.stop()
    throw failure
  }
  terminal.line('Stopping. Once more Ctrl-C ends it at once.')
  await editions.stop()
  return exitCodes.ok
}

const exitAfter = (ms: number, code: ExitCode): void =>
  void setTimeout(() => process.exit(code), ms).unref()
