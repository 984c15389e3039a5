/** A process of Signalbox from its environment to its end: what `npm start` and the command line run. */
import { resolve } from 'node:path'
import { ConfigError } from './config/config-error.ts'
import type { StartEmbedded } from './compose/embedded.ts'
import type { Role, Signalbox } from './compose/start.ts'
import { startSignalbox } from './compose/start-signalbox.ts'
import { StartError } from './compose/start-error.ts'
import { type Env, readEnvironment } from './config/environment.ts'
import { openConfiguration } from './secrets/open-configuration.ts'

/** Exit codes of a server process. */
export const exitCodes = {
  stopped: 0,
  /** It could not start, for a reason outside. */
  failed: 1,
  /** The configuration is wrong. */
  configuration: 2,
  /** A second signal cut the stop short. */
  cut: 130,
} as const

/** Where a server process runs, and what it does. */
export interface RunServerOptions {
  readonly cwd: string
  readonly env: Env
  readonly roles?: readonly Role[]
  readonly port?: number
  /** Shows where a mistake of the configuration, or a failed start, came from. */
  readonly debug?: boolean
  /** The queues that a worker works on. Default: all. */
  readonly queues?: readonly string[]
  /** False: the schema is never changed; one that is too old ends the start. */
  readonly migrates?: boolean
  /** Starts the embedded Postgres, where no variable names another. Left out: such a start fails. */
  readonly embedded?: StartEmbedded
  /** Told once it serves. `url` is null if nothing is served. */
  readonly onStarted?: (started: StartedProcess) => void
}

/** A process that serves. */
export interface StartedProcess {
  readonly url: string | null
  /** Names of the variables that were taken away from what tools see. */
  readonly withheld: readonly string[]
  /** Why `/proc` still shows them to tools; null if it does not. */
  readonly shownBecause: string | null
}

/**
 * Runs until SIGTERM or SIGINT, then hands work over; a second signal exits at once. Answers the exit code: 1 also if the embedded
 * Postgres died and cannot be started again. Mistakes of
 * the configuration and failed starts are told on standard error in one line. Given the variables of the process, it starts itself again
 * without those that are secret.
 */
export async function runServer(options: RunServerOptions): Promise<number> {
  const { signalled, isSignalled } = signals()
  try {
    const { loaded, env, withheld, shownBecause } = await openConfiguration({
      ...options,
      // A signal that was heard would be forgotten.
      mayStartAgain: () => !isSignalled(),
    })
    const { roles, port, queues, migrates, embedded } = options
    const signalbox = await startSignalbox({
      loaded,
      env,
      dataDir: resolve(options.cwd, readEnvironment(env).dataDir),
      announce: true,
      ...(roles === undefined ? {} : { roles }),
      ...(port === undefined ? {} : { port }),
      ...(queues === undefined ? {} : { queues }),
      ...(migrates === undefined ? {} : { migrates }),
      ...(embedded === undefined ? {} : { embedded }),
    })
    options.onStarted?.({ url: signalbox.url, withheld, shownBecause })
    const failure = await Promise.race([signalled, signalbox.failed])
    if (failure) return await giveUp(signalbox, failure)
    process.once('SIGINT', cut).once('SIGTERM', cut)
    await signalbox.stop()
    return exitCodes.stopped
  } catch (error) {
    if (error instanceof ConfigError || error instanceof StartError) {
      tell(error, options.debug === true)
      return error instanceof ConfigError ? exitCodes.configuration : exitCodes.failed
    }
    throw error
  }
}

function tell(error: ConfigError | StartError, debug: boolean): void {
  process.stderr.write(`signalbox: ${error.message.replaceAll('\n', ' ')} [${error.code}]\n`)
  if (!debug) return
  process.stderr.write(`${error.stack ?? ''}\n`)
  let { cause } = error
  for (let depth = 0; cause instanceof Error && depth < causesMax; depth += 1) {
    process.stderr.write(`caused by ${cause.stack ?? cause.message}\n`)
    cause = cause.cause
  }
}

/** Hands over what it can; what cannot be closed does not keep a process that has nothing to stand on. */
async function giveUp(signalbox: Signalbox, failure: StartError): Promise<number> {
  process.stderr.write(`signalbox: ${failure.message} [${failure.code}]\n`)
  setTimeout(() => process.exit(exitCodes.failed), giveUpMs).unref()
  await signalbox.stop()
  return exitCodes.failed
}

const giveUpMs = 10_000
/** Causes of causes that are shown; one may lead back to itself. */
const causesMax = 8

const cut = (): never => process.exit(exitCodes.cut)

/** A signal during a long start is kept: the process stops as soon as it has started. */
function signals() {
  let isSignalled = false
  const signalled = new Promise<void>((settle) => {
    const hear = (): void => {
      isSignalled = true
      settle()
    }
    process.once('SIGINT', hear).once('SIGTERM', hear)
  })
  return { signalled, isSignalled: () => isSignalled }
}
