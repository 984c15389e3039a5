import type { Command } from 'commander'
import { type CommonOptions, withCommon } from '../options.ts'
import { createTerminal } from '../output/terminal.ts'
import type { Shell } from '../shell.ts'

export function migrateCommand(program: Command, shell: Shell): void {
  withCommon(program.command('migrate'))
    .description('Bring the database of DATABASE_URL to the newest schema')
    .action(async (options: CommonOptions) => {
      const { migrateDatabase } = await import('../local/migrate-database.ts')
      const terminal = createTerminal({ json: options.json === true })
      await migrateDatabase(shell, terminal)
    })
}
