import process from 'node:process'
import { fileNames, loadConfig, startSignalbox, withSecretFiles } from '@signalbox/server'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import type { Shell } from '../shell.ts'
import { logFor } from './log-for.ts'
import { startEmbedded } from './start-embedded.ts'

/** A server of this process, from the configuration of the folder, on a free port of this machine. */
export interface Here {
  readonly url: string
  stop(): Promise<void>
}

/**
 * Starts it. Warnings go to standard error; `onBegin` is told once there is a configuration to begin with.
 *
 * @throws ConfigError, StartError
 */
export async function startHere(shell: Shell, onBegin: () => void): Promise<Here> {
  const loaded = await loadConfig(shell)
  onBegin()
  const env = {
    ...withSecretFiles(shell.env, fileNames(loaded.config)),
    HOST: '127.0.0.1',
  }
  const log = logFor(loaded, env, { level: 'warn', to: process.stderr })
  // The command shows the run itself, and why a call of it failed.
  const signalbox = await startSignalbox({
    loaded,
    env,
    port: 0,
    log,
    logRuns: false,
    embedded: startEmbedded,
  })
  const { url } = signalbox
  if (url !== null) return { url, stop: () => signalbox.stop() }
  await signalbox.stop()
  throw new Failure('internal', 'the server of this process has no address', {
    exitCode: exitCodes.internal,
  })
}
