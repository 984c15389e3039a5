/** A server for the one who is building: everything in this process, and lines for a human. */
import process from 'node:process'
import {
  fileNames,
  loadConfig,
  readEnvironment,
  startSignalbox,
  withSecretFiles,
} from '@signalbox/server'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { interrupted, listenForInterrupt } from '../interrupt.ts'
import { createTerminal, type Terminal } from '../output/terminal.ts'
import type { Shell } from '../shell.ts'
import { logFor } from './log-for.ts'

export interface DevOptions {
  readonly port?: number
  /** The log as JSON lines after all. */
  readonly json: boolean
}

const giveUpMs = 10_000

/** Serves until SIGINT or SIGTERM. @throws ConfigError, StartError */
export async function dev(shell: Shell, options: DevOptions): Promise<ExitCode> {
  const interrupt = listenForInterrupt()
  const loaded = await loadConfig(shell)
  const env = withSecretFiles(shell.env, fileNames(loaded.config))
  const signalbox = await startSignalbox({
    loaded,
    env,
    localPages: true,
    announce: true,
    log: logFor(loaded, env, {
      level: readEnvironment(env).logLevel,
      to: options.json ? null : process.stdout,
    }),
    ...(options.port === undefined ? {} : { port: options.port }),
  })
  const terminal = createTerminal(options)
  if (signalbox.url !== null) greet(terminal, signalbox.url, [...signalbox.agents.keys()])
  const failure = await Promise.race([interrupted(interrupt), signalbox.failed])
  if (failure) {
    // What cannot be closed does not keep a process that has nothing to stand on.
    setTimeout(() => process.exit(exitCodes.failed), giveUpMs).unref()
    await signalbox.stop()
    throw failure
  }
  terminal.line('Stopping. Once more Ctrl-C ends it at once.')
  await signalbox.stop()
  interrupt.release()
  return exitCodes.ok
}

function greet(terminal: Terminal, url: string, agents: readonly string[]): void {
  const [first] = agents
  terminal.document({ level: 'info', time: new Date().toISOString(), msg: 'serving', url, agents })
  terminal.line(`\n  Signalbox serves at ${terminal.paint('bold', url)}`)
  terminal.line(`  Agents: ${agents.join(', ')}`)
  terminal.line(`  Try:    npx signalbox run "Hello." --agent ${first ?? ''} --url ${url}\n`)
}
