/** The embedded Postgres as the database of a process: of one start, or kept for all starts of a process. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Log } from '@signalbox/engine'
import {
  EmbeddedPostgresError,
  type EmbeddedPhase,
  startEmbeddedPostgres,
} from '@signalbox/postgres'
import { dataDirInUse } from './data-dir-in-use.ts'
import { StartError } from './start-error.ts'

/** An embedded server that runs. */
export interface EmbeddedDatabase {
  /** For the superuser, with the password: never log it. */
  readonly adminUrl: string
  /** Settles if the server died and cannot be started again. */
  readonly failed: Promise<StartError>
  stop(): Promise<void>
}

export interface EmbeddedOptions {
  /** That of the process: the server stands in a folder below it. */
  readonly dataDir: string
  readonly log: Log
  readonly onPhase?: (phase: EmbeddedPhase) => void
  /** Breaks off the making of the cluster. */
  readonly signal?: AbortSignal
}

/** Starts it. @throws StartError */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const { log, onPhase, signal } = options
  const dataDir = join(options.dataDir, 'postgres')
  try {
    const server = await startEmbeddedPostgres({
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
    if (!(error instanceof EmbeddedPostgresError)) throw error
    throw (await dataDirInUse(error, options.dataDir)) ?? embeddedError(error)
  }
}

/** A server that is started when it is first asked for, and outlives every start that uses it. */
export class KeptPostgres {
  #started: Promise<EmbeddedDatabase> | null = null

  /** The server that runs, or a new one. A start that failed is tried anew. @throws StartError */
  async open(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
    this.#started ??= startEmbedded(options)
    try {
      return await this.#started
    } catch (error) {
      this.#started = null
      throw error
    }
  }

  async stop(): Promise<void> {
    const started = this.#started
    this.#started = null
    const server = await started?.catch(() => null)
    await server?.stop()
  }
}

const embeddedError = (error: EmbeddedPostgresError): StartError =>
  new StartError('embedded_postgres', `${error.message} (${error.code})`, error)

/** Root's own directories are closed to the user that Postgres must run as then; another place is named after them. */
const nameOf = (dataDir: string): string =>
  createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
