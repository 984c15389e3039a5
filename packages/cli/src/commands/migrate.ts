import type { Command } from 'commander'
import { type CommonOptions, withCommon } from '../options.ts'
import { createTerminal } from '../output/terminal.ts'
import type { Shell } from '../shell.ts'

interface MigrateCommandOptions extends CommonOptions {
  readonly restored?: true
}

export function migrateCommand(program: Command, shell: Shell): void {
  withCommon(program.command('migrate'))
    .description('Bring the database of DATABASE_URL to the newest schema')
    .option(
      '--restored',
      'also repair the feed of a register that was restored from a dump; processes that run wait meanwhile',
    )
    .action(async (options: MigrateCommandOptions) => {
      const { migrateDatabase } = await import('../local/migrate-database.ts')
      const terminal = createTerminal({ json: options.json === true })
      await migrateDatabase(shell, terminal, { restored: options.restored === true })
    })
}
