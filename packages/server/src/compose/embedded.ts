/**
 * The embedded Postgres as the database of a process. Who starts a process gives the function that starts the server, so that a
 * process with a database of its own does not load it.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Log } from '@signalbox/engine'
import { dataDirInUse } from './data-dir-in-use.ts'
import { StartError } from './start-error.ts'
import type { EmbeddedPhase } from './start-phase.ts'

/** Why there is no embedded server. The message says what the operator should do, and holds no secret. */
export interface EmbeddedFailure extends Error {
  readonly name: 'EmbeddedPostgresError'
  /** Of `data_dir_in_use` the message is ours; every other code is only shown. */
  readonly code: string
  /** Of the process that has the data directory, where that is known. */
  readonly pid: number | null
}

/** An embedded server that runs. */
export interface EmbeddedServer {
  /** For the superuser, with the password: never log it. */
  readonly url: string
  /** Settles if the server died and cannot be started again. */
  readonly failed: Promise<EmbeddedFailure>
  stop(): Promise<void>
}

/** Starts the server of a data directory, which is made if it is not there. @throws EmbeddedFailure */
export type StartEmbedded = (options: {
  readonly dataDir: string
  /** Where the data goes if the user that Postgres runs as cannot enter `dataDir`. */
  readonly fallbackDir: string
  readonly log: Log
  readonly onPhase?: (phase: EmbeddedPhase) => void
  /** Breaks off the making of the cluster. */
  readonly signal?: AbortSignal
}) => Promise<EmbeddedServer>

/** An embedded server as the database of a process. */
interface EmbeddedDatabase {
  /** For the superuser, with the password: never log it. */
  readonly adminUrl: string
  /** Settles if the server died and cannot be started again. */
  readonly failed: Promise<StartError>
  stop(): Promise<void>
}

interface EmbeddedOptions {
  /** That of the process: the server stands in a folder below it. */
  readonly dataDir: string
  readonly log: Log
  readonly onPhase?: (phase: EmbeddedPhase) => void
  /** Breaks off the making of the cluster. */
  readonly signal?: AbortSignal
}

/** Starts it. @throws StartError */
export async function openEmbedded(
  start: StartEmbedded,
  options: EmbeddedOptions,
): Promise<EmbeddedDatabase> {
  const { log, onPhase, signal } = options
  const dataDir = join(options.dataDir, 'postgres')
  try {
    const server = await start({
      dataDir,
      fallbackDir: join('/var/lib/signalbox', nameOf(dataDir)),
      log,
      ...(onPhase ? { onPhase } : {}),
      ...(signal ? { signal } : {}),
    })
    return {
      adminUrl: server.url,
      failed: server.failed.then(embeddedError),
      stop: () => server.stop(),
    }
  } catch (error) {
    if (!isFailure(error)) throw error
    throw (await dataDirInUse(error, options.dataDir)) ?? embeddedError(error)
  }
}

const isFailure = (error: unknown): error is EmbeddedFailure =>
  error instanceof Error && error.name === 'EmbeddedPostgresError'

const embeddedError = (error: EmbeddedFailure): StartError =>
  new StartError('embedded_postgres', `${error.message} (${error.code})`, error)

/** Root's own directories are closed to the user that Postgres must run as then; another place is named after them. */
const nameOf = (dataDir: string): string =>
  createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
