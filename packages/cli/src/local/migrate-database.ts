import { migrate, MigrationRefused } from '@signalbox/postgres'
import { readEnvironment } from '@signalbox/server'
import { exitCodes } from '../exit-codes.ts'
import { Failure, usageFailure } from '../failure.ts'
import type { Terminal } from '../output/terminal.ts'
import type { Shell } from '../shell.ts'
import { databaseFailure } from './database.ts'

/** Migrates and tells. The embedded database needs none of it. @throws Failure */
export async function migrateDatabase(shell: Shell, terminal: Terminal): Promise<void> {
  const { databaseUrl } = readEnvironment(shell.env)
  if (databaseUrl === null)
    throw usageFailure(
      'DATABASE_URL is not set. The embedded database is brought up to date at every start of a server.',
    )
  try {
    const report = await migrate(databaseUrl)
    terminal.document(report)
    for (const name of report.applied) terminal.line(`applied ${name}`)
    terminal.line(`The schema is at version ${report.version}.`)
  } catch (error) {
    if (!(error instanceof MigrationRefused))
      throw databaseFailure('the database of DATABASE_URL', error)
    throw new Failure('database_refused', `The database cannot be used: ${error.message}.`, {
      exitCode: exitCodes.failed,
      cause: error,
    })
  }
}
