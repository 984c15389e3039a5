/**
 * Brings a database to the newest schema.
 *
 * M1 One migrates at a time: a session advisory lock, held over all steps.
 * M2 Each step is one transaction that also records it; a step that fails leaves no trace. So is what makes a new database, with all
 *    the steps that it stands for.
 * M3 A step that was applied may never change. A schema that is newer than this build is left as it is, and refused only if one of
 *    its steps says that it needs a newer build (`standing.ts`).
 * M4 Roles belong to the cluster, and M1 to a database: two registers that start at once may change a role in the same
 *    moment. Postgres refuses one of them, which repeats; that changes nothing.
 */
import { type Client, DatabaseError, escapeIdentifier, escapeLiteral } from 'pg'
import { withClient } from '../client.ts'
import { lifelines } from '../pool.ts'
import { type Migration, readMigrations, readRegister } from './files.ts'
import { scramVerifier } from './scram.ts'
import { type Applied, appliedQuery, newestVersion, standingOf } from './standing.ts'

/** Roles that log in. The names are fixed: several registers of one cluster share them. */
export type LoginRole = (typeof loginRoles)[number]

/** Every one of them. */
export const loginRoles = ['app', 'engine', 'queue', 'maintenance'] as const

/** Options of a migration. */
export interface MigrateOptions {
  /** Passwords to set. A role without one keeps what it has; a new one cannot log in by password. */
  readonly passwords?: Partial<Record<LoginRole, string>>
  /** The steps, for tests. Default: those of this package. */
  readonly migrations?: readonly Migration[]
}

/** The result of a migration. */
export interface MigrateReport {
  /** The version of the schema now: newer than this build if `unknown` names something. */
  readonly version: number
  /** Names of the steps that were applied by this call. */
  readonly applied: readonly string[]
  /** Names of the steps that the database has, and this build does not know and can do without. */
  readonly unknown: readonly string[]
  /** The register was restored from another cluster, and its feed is not repaired: see `restoreFeed`. */
  readonly feedIsAhead: boolean
}

/** A database that this code must not touch: an applied step was edited, or one needs a newer build. */
export class MigrationRefused extends Error {
  override readonly name = 'MigrationRefused'
}

const lockKey = 7_420_001
/** More registers than this do not start in one moment. */
const triesMax = 20

/**
 * Applies what is missing, as the user of `adminUrl`: a superuser, or one with CREATEROLE and CREATE on the database
 * (the head of `0001_register.sql` says what else). Repeating it changes nothing. Throws `MigrationRefused`, or what the
 * database said.
 */
export async function migrate(
  adminUrl: string,
  options: MigrateOptions = {},
): Promise<MigrateReport> {
  const migrations = options.migrations ?? (await readMigrations())
  for (let tries = 1; ; tries += 1) {
    try {
      return await migrateOnce(adminUrl, migrations, options.passwords ?? {})
    } catch (error) {
      if (tries === triesMax || !isLostRace(error)) throw error
    }
  }
}

/** Another session has changed the same row of a catalog. It has no code of its own, and its text is translated. */
const isLostRace = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === 'XX000' && error.routine === 'simple_heap_update'

async function migrateOnce(
  adminUrl: string,
  migrations: readonly Migration[],
  passwords: NonNullable<MigrateOptions['passwords']>,
): Promise<MigrateReport> {
  // No limit on its statements: a step may take as long as the tables are large. A peer that is gone is found by the kernel.
  const { keepAlive, keepAliveInitialDelayMillis, connectionTimeoutMillis } = lifelines
  const config = {
    connectionString: adminUrl,
    application_name: 'signalbox-migrate',
    keepAlive,
    keepAliveInitialDelayMillis,
    connectionTimeoutMillis,
  }
  return withClient(config, async (client) => {
    await client.query('select pg_advisory_lock($1)', [lockKey])
    const { version, applied, unknown } = await bringUp(client, migrations)
    await setPasswords(client, passwords)
    await client.query('set role signalbox_owner')
    await client.query('select signalbox.ensure_partitions()')
    return { version, applied, unknown, feedIsAhead: await isFeedAhead(client) }
  })
}

/** Was the register restored from another cluster, and its feed not repaired? */
export async function isFeedAhead(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ ahead: boolean }>(
    'select signalbox.feed_is_ahead() as ahead',
  )
  return rows[0]?.ahead === true
}

async function bringUp(
  client: Client,
  steps: readonly Migration[],
): Promise<Omit<MigrateReport, 'feedIsAhead'>> {
  const made = await makeIfNew(client)
  const done = await readApplied(client)
  const standing = standingOf(done, steps)
  if (standing.kind === 'refused') throw new MigrationRefused(standing.why)
  const missing = standing.kind === 'older' ? standing.missing : []
  for (const step of missing) await apply(client, step.sql, [step])
  return {
    version: Math.max(newestVersion(done), newestVersion(steps)),
    applied: [...made, ...missing.map((step) => step.name)],
    unknown: standing.kind === 'newer' ? standing.unknown : [],
  }
}

async function makeIfNew(client: Client): Promise<readonly string[]> {
  if ((await readApplied(client)).length > 0) return []
  const register = await readRegister()
  await apply(client, register.sql, [register, ...(await readMigrations())])
  return [register.name]
}

async function readApplied(client: Client): Promise<Applied[]> {
  const known = await client.query(
    `select from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'signalbox' and c.relname = 'migration'`,
  )
  if (known.rowCount === 0) return []
  await client.query('set role signalbox_owner')
  const applied = await client.query<Applied>(appliedQuery)
  await client.query('reset role')
  return applied.rows
}

/** Executes, and records the steps that are done by it. */
async function apply(client: Client, sql: string, steps: readonly Migration[]): Promise<void> {
  const rows = steps.map(({ version, name, checksum, needsCode = version }) => ({
    version,
    name,
    checksum,
    needs_code: needsCode,
  }))
  await client.query('begin')
  try {
    await client.query(sql)
    await client.query('set local role signalbox_owner')
    await client.query(
      `insert into signalbox.migration (version, name, checksum, needs_code)
       select version, name, checksum, needs_code from jsonb_populate_recordset(null::signalbox.migration, $1)`,
      [JSON.stringify(rows)],
    )
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

async function setPasswords(
  client: Client,
  passwords: NonNullable<MigrateOptions['passwords']>,
): Promise<void> {
  for (const role of loginRoles) {
    const password = passwords[role]
    if (password === undefined) continue
    const name = escapeIdentifier(`signalbox_${role}`)
    await client.query(`alter role ${name} password ${escapeLiteral(scramVerifier(password))}`)
  }
}
