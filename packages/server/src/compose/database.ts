/**
 * The database of a process: the one that DATABASE_URL names, or an embedded one. Each part of Signalbox logs in as its
 * own role (DESIGN §3.1). The passwords of the roles follow from the administrator's, so that every process that knows
 * DATABASE_URL knows them, and none is stored.
 */
import { createHash, createHmac } from 'node:crypto'
import { join } from 'node:path'
import { prepare } from '@signalbox/bullmq'
import type { Clock, Log } from '@signalbox/engine'
import {
  EmbeddedPostgresError,
  ensurePartitions,
  type LoginRole,
  migrate,
  type MigrateReport,
  MigrationRefused,
  startEmbeddedPostgres,
} from '@signalbox/postgres'
import { ConfigError } from '../config/config-error.ts'
import type { Closers } from './closers.ts'
import { keepCommonClock } from './common-clock.ts'
import { dataDirInUse } from './data-dir-in-use.ts'
import { StartError } from './start-error.ts'

/** Addresses of one database, by who logs in. They hold passwords: never log them. */
export type DatabaseUrls = Readonly<Record<LoginRole, string>>

/** A database that is open. */
export interface OpenDatabase {
  readonly urls: DatabaseUrls
  readonly clock: Clock
  /** Settles if the embedded server died and cannot be started again. */
  readonly failed: Promise<StartError>
}

export interface DatabaseOptions {
  /** Null: embedded. */
  readonly databaseUrl: string | null
  readonly dataDir: string
  /** Does BullMQ keep its queue here? */
  readonly withQueue: boolean
  readonly log: Log
}

const roles: readonly LoginRole[] = ['app', 'engine', 'queue', 'maintenance']
const dayMs = 86_400_000

/**
 * Opens the database and brings it to the newest schema.
 *
 * @throws StartError, ConfigError
 */
export async function openDatabase(
  options: DatabaseOptions,
  closers: Closers,
): Promise<OpenDatabase> {
  const { adminUrl, failed } =
    options.databaseUrl === null
      ? await startEmbedded(options, closers)
      : { adminUrl: options.databaseUrl, failed: new Promise<never>(() => {}) }
  const admin = new URL(adminUrl)
  if (admin.password === '')
    throw new ConfigError(
      'config_env',
      'DATABASE_URL: must hold a password (any, if the server trusts this host): those of our roles follow from it',
      { field: 'DATABASE_URL' },
    )
  const passwords = Object.fromEntries(roles.map((role) => [role, passwordOf(admin, role)]))
  try {
    sayStanding(await migrate(adminUrl, { passwords }), options.log)
    if (options.withQueue)
      await prepare({ kind: 'postgres', url: adminUrl }, { grantTo: 'signalbox_queue' })
  } catch (error) {
    throw startError(admin, error)
  }
  const urls = {
    app: urlOf(admin, 'app'),
    engine: urlOf(admin, 'engine'),
    queue: urlOf(admin, 'queue'),
    maintenance: urlOf(admin, 'maintenance'),
  }
  keepPartitions(urls.maintenance, options.log, closers)
  return { urls, clock: await keepCommonClock(urls.engine, options.log, closers), failed }
}

function sayStanding({ version, applied, unknown, feedIsAhead }: MigrateReport, log: Log): void {
  if (unknown.length === 0) log.info('the schema is up to date', { version, applied })
  else log.warn('the schema is newer than this build, which works with it', { version, unknown })
  if (feedIsAhead)
    log.error(
      'the register was restored and its feed is not repaired: restored events are in no audit; stop all processes and type: signalbox migrate --restored',
    )
}

async function startEmbedded(options: DatabaseOptions, closers: Closers) {
  try {
    const dataDir = join(options.dataDir, 'postgres')
    const fallbackDir = join('/var/lib/signalbox', nameOf(dataDir))
    const server = await startEmbeddedPostgres({ dataDir, fallbackDir, log: options.log })
    closers.add('embedded Postgres', () => server.stop())
    return { adminUrl: server.url, failed: server.failed.then(embeddedError) }
  } catch (error) {
    if (!(error instanceof EmbeddedPostgresError)) throw error
    throw (await dataDirInUse(error, options.dataDir)) ?? embeddedError(error)
  }
}

const embeddedError = (error: EmbeddedPostgresError): StartError =>
  new StartError('embedded_postgres', `${error.message} (${error.code})`, error)

/** Root's own directories are closed to the user that Postgres must run as then; another place is named after them. */
const nameOf = (dataDir: string): string =>
  createHash('sha256').update(dataDir).digest('hex').slice(0, 16)

const passwordOf = (admin: URL, role: LoginRole): string =>
  createHmac('sha256', decodeURIComponent(admin.password))
    .update(`signalbox role ${role}`)
    .digest('base64url')

function urlOf(admin: URL, role: LoginRole): string {
  const url = new URL(admin)
  url.username = `signalbox_${role}`
  url.password = passwordOf(admin, role)
  return url.href
}

function startError(admin: URL, error: unknown): StartError {
  if (error instanceof MigrationRefused)
    return new StartError(
      'database_refused',
      `The database cannot be used: ${error.message}.`,
      error,
    )
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const why = error instanceof Error ? error.message || code : String(error)
  const where = `${admin.host}${admin.pathname}`
  return new StartError(
    'database_unreachable',
    `Postgres at ${where} cannot be used: ${why}. Check DATABASE_URL and that the server runs.`,
    error,
  )
}

/** A month without a partition would land in the default one. */
function keepPartitions(url: string, log: Log, closers: Closers): void {
  const timer = setInterval(() => {
    ensurePartitions(url).catch((error: unknown) =>
      log.warn('partitions could not be made, tried again tomorrow', { error: String(error) }),
    )
  }, dayMs).unref()
  closers.add('partition timer', () => clearInterval(timer))
}
