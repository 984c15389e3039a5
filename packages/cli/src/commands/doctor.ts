import type { Command } from 'commander'
import { withServer } from '../options.ts'
import type { DoctorOptions } from '../doctor/examine.ts'
import { createTerminal } from '../output/terminal.ts'
import type { Shell } from '../shell.ts'

export function doctorCommand(program: Command, shell: Shell): void {
  withServer(program.command('doctor'))
    .description('Check what Signalbox needs here, and say what to type where something is missing')
    .option('--online', 'ask each model once as well: costs a few tokens')
    .action(async (options: DoctorOptions) => {
      const { examine } = await import('../doctor/examine.ts')
      const terminal = createTerminal({ json: options.json === true })
      shell.finish(await examine(shell, terminal, options))
    })
}
