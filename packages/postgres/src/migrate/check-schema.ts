/** Looks whether a build and a schema go together, without a right to change anything. */
import type { Client } from 'pg'
import { newClient } from '../client.ts'
import { lifelines } from '../pool.ts'
import { readMigrations } from './files.ts'
import { isFeedAhead, type MigrateReport, MigrationRefused } from './migrate.ts'
import { type Applied, appliedQuery, newestVersion, standingOf } from './standing.ts'

/** A schema that lacks what this build needs: an administrator must migrate it first. */
export class SchemaOutdated extends Error {
  override readonly name = 'SchemaOutdated'
}

/** No table, no schema, no right to look into it: nobody has migrated this database. */
const nothingThere: readonly unknown[] = ['42P01', '3F000', '42501']

/**
 * Answers as `migrate` does, as any login of the register.
 *
 * @throws SchemaOutdated, MigrationRefused, or what the database said
 */
export async function checkSchema(url: string): Promise<MigrateReport> {
  const client = newClient({
    connectionString: url,
    application_name: 'signalbox-schema',
    ...lifelines,
  })
  try {
    await client.connect()
    const applied = await readApplied(client)
    const known = await readMigrations()
    const standing = standingOf(applied, known)
    if (standing.kind === 'refused') throw new MigrationRefused(standing.why)
    if (standing.kind === 'older' && standing.missing.length > 0)
      throw new SchemaOutdated(
        `it has the schema of version ${newestVersion(applied)}, and this build needs version ${newestVersion(known)}`,
      )
    return {
      version: Math.max(newestVersion(applied), newestVersion(known)),
      applied: [],
      unknown: standing.kind === 'newer' ? standing.unknown : [],
      feedIsAhead: await isFeedAhead(client),
    }
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function readApplied(client: Client): Promise<readonly Applied[]> {
  try {
    return (await client.query<Applied>(appliedQuery)).rows
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (nothingThere.includes(code)) throw new SchemaOutdated('it has no schema of Signalbox')
    throw error
  }
}
