import {
  type MigrateReport,
  MigrationRefused,
  restoreFeed,
  type RestoreReport,
} from '@signalbox/postgres'
import { migrateAsTold, readEnvironment } from '@signalbox/server'
import { exitCodes } from '../exit-codes.ts'
import { Failure, usageFailure } from '../failure.ts'
import type { Terminal } from '../output/terminal.ts'
import type { Shell } from '../shell.ts'
import { type RegisterAddress, databaseFailure, findAddress } from './database.ts'

/** Migrates and tells; with `restored`, repairs the feed as well. @throws Failure */
export async function migrateDatabase(
  shell: Shell,
  terminal: Terminal,
  { restored }: { readonly restored: boolean },
): Promise<void> {
  try {
    const { url, source, stop } = await addressOf(shell, restored)
    try {
      const report = await migrateAsTold(url, readEnvironment(shell.env))
      tell(report, terminal, restored ? await restoreFeed(url) : null)
    } catch (error) {
      if (error instanceof MigrationRefused) throw error
      throw databaseFailure(source, error)
    } finally {
      await stop()
    }
  } catch (error) {
    if (!(error instanceof MigrationRefused)) throw error
    throw new Failure('database_refused', `The database cannot be used: ${error.message}.`, {
      exitCode: exitCodes.failed,
      cause: error,
    })
  }
}

/** Servers bring the embedded database up to date, but never repair one. */
async function addressOf(shell: Shell, restored: boolean): Promise<RegisterAddress> {
  if (readEnvironment(shell.env).databaseUrl === null && !restored)
    throw usageFailure(
      'DATABASE_URL is not set. The embedded database is brought up to date at every start of a server.',
    )
  return findAddress(shell)
}

function tell(report: MigrateReport, terminal: Terminal, repair: RestoreReport | null): void {
  terminal.document({
    ...report,
    feedIsAhead: repair ? false : report.feedIsAhead,
    ...(repair && { restored: repair }),
  })
  for (const name of report.applied) terminal.line(`applied ${name}`)
  terminal.line(versionLine(report))
  if (repair) terminal.line(repairLine(repair.moved))
  else if (report.feedIsAhead)
    terminal.line(
      'The feed is not repaired since a restore: its restored events are in no audit. Type: signalbox migrate --restored',
    )
}

const versionLine = ({ version, unknown }: MigrateReport): string =>
  unknown.length === 0
    ? `The schema is at version ${version}.`
    : `The schema is at version ${version}, newer than this build, which works with it.`

const repairLine = (moved: number): string =>
  moved === 0
    ? 'The feed was in order: no event was moved, and its times are surveyed.'
    : `The feed is repaired: ${moved} events were moved. Consumers that kept a position begin again from the start.`
