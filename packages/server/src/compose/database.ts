/**
 * The database of a process: the one that its variables name, or an embedded one. Each part of Signalbox logs in as its
 * own role (DESIGN §3.1).
 *
 * D1 Only the administrator (DATABASE_URL) changes the schema and sets passwords; a process that is not told that address
 *    looks whether the schema is new enough, and does not start otherwise.
 * D2 A login whose address is not told follows from the administrator's: its password is derived from that one, so that every process
 *    that knows DATABASE_URL knows it, and none is stored.
 * D3 A login that was not told and is not needed has the address of the engine's: what it reads and writes the engine's role may not.
 */
import type { Clock, Log } from '@signalbox/engine'
import {
  checkSchema,
  ensurePartitions,
  type LoginRole,
  loginRoles,
  type MigrateReport,
  MigrationRefused,
  SchemaOutdated,
} from '@signalbox/postgres'
import { ConfigError } from '../config/config-error.ts'
import { type ServerEnvironment, loginVariables } from '../config/environment.ts'
import type { Closers } from './closers.ts'
import { keepCommonClock } from './common-clock.ts'
import { openEmbedded, type StartEmbedded } from './embedded.ts'
import { loginsOf, migrateAll } from './logins.ts'
import type { StartPhase } from './start-phase.ts'
import { StartError } from './start-error.ts'

/** Addresses of one database, by who logs in. They hold passwords: never log them. */
export type DatabaseUrls = Readonly<Record<LoginRole, string>>

/** A database that is open. */
export interface OpenDatabase {
  readonly urls: DatabaseUrls
  /** Was this process told the login that reads API keys? */
  readonly readsKeys: boolean
  readonly clock: Clock
  /** Settles if the embedded server died and cannot be started again. */
  readonly failed: Promise<StartError>
}

export interface DatabaseOptions extends Pick<ServerEnvironment, 'databaseUrl' | 'loginUrls'> {
  readonly dataDir: string
  /** Does BullMQ keep its queue here? */
  readonly withQueue: boolean
  /** False: the schema is looked at and never changed, even by a process that could. */
  readonly migrates: boolean
  /** The logins that this process cannot do without. */
  readonly needed: readonly LoginRole[]
  /** Starts the embedded Postgres, where no address is told. */
  readonly embedded?: StartEmbedded
  readonly onPhase?: (phase: StartPhase) => void
  /** Breaks off what takes long. */
  readonly signal?: AbortSignal
  readonly log: Log
}

const dayMs = 86_400_000

/**
 * Opens the database, and brings it to the newest schema if this process may.
 *
 * @throws StartError, ConfigError
 */
export async function openDatabase(
  options: DatabaseOptions,
  closers: Closers,
): Promise<OpenDatabase> {
  const { log, migrates } = options
  const isEmbedded =
    options.databaseUrl === null && loginRoles.every((role) => options.loginUrls[role] === null)
  if (isEmbedded && !migrates) throw nothingToAsk()
  const { adminUrl, failed } = isEmbedded
    ? await startedFor(options, closers)
    : { adminUrl: options.databaseUrl, failed: new Promise<never>(() => {}) }
  const logins = loginsOf({ adminUrl, loginUrls: options.loginUrls })
  const { engine } = logins
  const lacking = options.needed.find((role) => logins[role] === null)
  if (engine === null || lacking !== undefined) throw notTold(lacking ?? 'engine')
  options.onPhase?.('schema')
  try {
    const report =
      adminUrl !== null && migrates
        ? await migrateAll(adminUrl, { logins, withQueue: options.withQueue })
        : await checkSchema(engine)
    sayStanding(report, log)
  } catch (error) {
    throw startError(new URL(adminUrl !== null && migrates ? adminUrl : engine), error)
  }
  const { app, queue, maintenance } = logins
  if (maintenance !== null) keepPartitions(maintenance, log, closers)
  const urls = {
    engine,
    app: app ?? engine,
    queue: queue ?? engine,
    maintenance: maintenance ?? engine,
  }
  const clock = await keepCommonClock(engine, log, closers)
  return { urls, readsKeys: app !== null, clock, failed }
}

const nothingToAsk = (): ConfigError =>
  new ConfigError(
    'config_env',
    `DATABASE_URL: is not set, and neither is ${loginVariables.engine}. A process that does not migrate needs a database that was migrated: the embedded one is brought up to date at every start`,
    { field: 'DATABASE_URL' },
  )

const noEmbedded = (): ConfigError =>
  new ConfigError(
    'config_env',
    'DATABASE_URL: is not set, and this process has no embedded Postgres to start. Set it',
    { field: 'DATABASE_URL' },
  )

const notTold = (role: LoginRole): ConfigError =>
  new ConfigError(
    'config_env',
    `${loginVariables[role]}: is not set, and this process logs in as signalbox_${role}. Set it, or DATABASE_URL, from which it follows`,
    { field: loginVariables[role] },
  )

function sayStanding({ version, applied, unknown, feedIsAhead }: MigrateReport, log: Log): void {
  if (unknown.length === 0) log.info('the schema is up to date', { version, applied })
  else log.warn('the schema is newer than this build, which works with it', { version, unknown })
  if (feedIsAhead)
    log.error(
      'the register was restored and its feed is not repaired: restored events are in no audit; stop all processes and type: signalbox migrate --restored',
    )
}

async function startedFor(options: DatabaseOptions, closers: Closers) {
  const { embedded, dataDir, onPhase, signal, log } = options
  if (embedded === undefined) throw noEmbedded()
  const server = await openEmbedded(embedded, {
    dataDir,
    log,
    ...(onPhase ? { onPhase } : {}),
    ...(signal ? { signal } : {}),
  })
  closers.add('embedded Postgres', () => server.stop())
  return server
}

const wrongPassword = '28P01'
/** Of PostgreSQL: an insufficiency of the disk. */
const diskFull = '53100'

function startError(asked: URL, error: unknown): StartError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const why = error instanceof Error ? error.message || code : String(error)
  if (error instanceof MigrationRefused)
    return new StartError('database_refused', `The database cannot be used: ${why}.`, error)
  const where = `${asked.host}${asked.pathname}`
  if (error instanceof SchemaOutdated)
    return new StartError(
      'schema_outdated',
      `The database at ${where} must be migrated first: ${why}. Type, with DATABASE_URL: signalbox migrate`,
      error,
    )
  if (code === diskFull)
    return new StartError(
      'database_full',
      `The disk of Postgres at ${where} is full: ${why}. Make room there, and start again.`,
      error,
    )
  const what =
    code === wrongPassword && asked.username.startsWith('signalbox_')
      ? 'Check the password in its address: signalbox migrate, which is told the same address, sets it.'
      : 'Check DATABASE_URL and that the server runs.'
  return new StartError(
    'database_unreachable',
    `Postgres at ${where} cannot be used: ${why}. ${what}`,
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
