/**
 * The register itself, read without a server between: for proofs, which must not depend on what they are about.
 *
 * D1 Nothing is ever written: every session is read-only.
 */
import { startEmbeddedPostgres } from '@signalbox/embedded'
import { readEnvironment } from '@signalbox/server'
import { Pool } from 'pg'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import type { Shell } from '../shell.ts'
import { findEmbedded } from './embedded-place.ts'

export interface LocalDatabase {
  readonly pool: Pool
  /** Which database this is, for humans. */
  readonly source: string
  close(): Promise<void>
}

/** Where the register is. Holds a password: never print it. */
export interface RegisterAddress {
  readonly url: string
  readonly source: string
  /** Ends what was started to get here. */
  readonly stop: () => Promise<void>
}

/**
 * Opens the register that DATABASE_URL names; else the embedded one of the folder, which a running server may own, and
 * which is started for a moment if none does.
 *
 * @throws Failure, ConfigError, EmbeddedPostgresError
 */
export async function openDatabase(shell: Shell): Promise<LocalDatabase> {
  const { url, source, stop } = await findAddress(shell)
  const pool = new Pool({
    connectionString: url,
    max: 2,
    application_name: 'signalbox-cli',
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    query_timeout: 120_000,
    options: '-c default_transaction_read_only=on -c role=signalbox_owner',
  })
  pool.on('error', () => {
    // An idle connection was lost; the next query says so.
  })
  const close = async () => {
    await pool.end()
    await stop()
  }
  try {
    await pool.query('select 1 from signalbox.run limit 1')
    return { pool, source, close }
  } catch (error) {
    await close()
    throw databaseFailure(source, error)
  }
}

const nothing = (): Promise<void> => Promise.resolve()

/**
 * Where the register is, for whoever acts as an administrator: of DATABASE_URL, else of the folder.
 *
 * @throws Failure, ConfigError, EmbeddedPostgresError
 */
export async function findAddress(shell: Shell): Promise<RegisterAddress> {
  const { databaseUrl } = readEnvironment(shell.env)
  if (databaseUrl !== null)
    return { url: databaseUrl, source: `the database of DATABASE_URL`, stop: nothing }
  const { exists, dir, owner, url } = await findEmbedded(shell)
  if (!exists) {
    const message = `There is no register: DATABASE_URL is not set, and ${dir} is not there. Type this in the folder of the project, or set DATABASE_URL.`
    throw new Failure('no_register', message, { exitCode: exitCodes.usage })
  }
  if (owner !== null && url !== null)
    return {
      url,
      source: `the embedded database ${dir}, on the server of process ${owner}`,
      stop: nothing,
    }
  const server = await startEmbeddedPostgres({ dataDir: dir })
  const stop = () => server.stop()
  return { url: server.url, source: `the embedded database ${dir}, started for this`, stop }
}

const sqlState = { noTable: '42P01', noRole: '22023' }

/** What a database said, as a failure that says what to do. */
export function databaseFailure(source: string, error: unknown): Failure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const why = error instanceof Error ? error.message || code : String(error)
  if (code === sqlState.noTable || code === sqlState.noRole || why.includes('signalbox_owner'))
    return new Failure(
      'no_register',
      `There is no register in ${source} that this user may read (${why}). Make one with: signalbox migrate`,
      { exitCode: exitCodes.usage, cause: error },
    )
  const message = `Postgres cannot be used: ${source} (${why}). Check DATABASE_URL and that it runs.`
  return new Failure('database_unreachable', message, {
    exitCode: exitCodes.unreachable,
    cause: error,
  })
}
