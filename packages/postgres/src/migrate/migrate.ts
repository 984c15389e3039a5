/**
 * Brings a database to the newest schema.
 *
 * M1 One migrates at a time: a session advisory lock, held over all steps.
 * M2 Each step is one transaction that also records it; a step that fails leaves no trace.
 * M3 A step that was applied may never change, and a database that is newer than this code is left alone.
 * M4 Roles belong to the cluster, and M1 to a database: two registers that start at once may change a role in the same
 *    moment. Postgres refuses one of them, which repeats; that changes nothing.
 */
import { Client, DatabaseError, escapeIdentifier, escapeLiteral } from 'pg'
import { type Migration, readMigrations } from './files.ts'
import { scramVerifier } from './scram.ts'

/** Roles that log in. The names are fixed: several registers of one cluster share them. */
export type LoginRole = (typeof loginRoles)[number]

const loginRoles = ['app', 'engine', 'queue', 'maintenance'] as const

/** What a migration is told. */
export interface MigrateOptions {
  /** Passwords to set. A role without one keeps what it has; a new one cannot log in by password. */
  readonly passwords?: Partial<Record<LoginRole, string>>
  /** The steps, for tests. Default: those of this package. */
  readonly migrations?: readonly Migration[]
}

/** What a migration did. */
export interface MigrateReport {
  /** The version of the schema now. */
  readonly version: number
  /** Names of the steps that were applied by this call. */
  readonly applied: readonly string[]
}

/** A database that this code must not touch: an applied step was edited, or the schema is newer. */
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
  const client = new Client({ connectionString: adminUrl, application_name: 'signalbox-migrate' })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [lockKey])
    const done = await readApplied(client)
    checkApplied(done, migrations)
    const missing = migrations.slice(done.length)
    for (const migration of missing) await applyOne(client, migration)
    await setPasswords(client, passwords)
    await client.query('set role signalbox_owner')
    await client.query('select signalbox.ensure_partitions()')
    return { version: migrations.length, applied: missing.map((migration) => migration.name) }
  } finally {
    await client.end()
  }
}

interface Applied {
  readonly version: number
  readonly name: string
  readonly checksum: string
}

async function readApplied(client: Client): Promise<Applied[]> {
  const known = await client.query(
    `select from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'signalbox' and c.relname = 'migration'`,
  )
  if (known.rowCount === 0) return []
  await client.query('set role signalbox_owner')
  const applied = await client.query<Applied>(
    'select version, name, checksum from signalbox.migration order by version',
  )
  await client.query('reset role')
  return applied.rows
}

function checkApplied(applied: readonly Applied[], migrations: readonly Migration[]): void {
  for (const [n, done] of applied.entries()) {
    const known = migrations[n]
    if (known === undefined) {
      throw new MigrationRefused(`the database has ${done.name}, which this version does not know`)
    }
    if (known.version !== done.version || known.checksum !== done.checksum) {
      throw new MigrationRefused(`${known.name} was changed after it had been applied`)
    }
  }
}

async function applyOne(client: Client, migration: Migration): Promise<void> {
  await client.query('begin')
  try {
    await client.query(migration.sql)
    await client.query('set local role signalbox_owner')
    await client.query(
      'insert into signalbox.migration (version, name, checksum) values ($1, $2, $3)',
      [migration.version, migration.name, migration.checksum],
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
