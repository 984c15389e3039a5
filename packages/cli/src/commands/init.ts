import type { Command } from 'commander'
import { type CommonOptions, withCommon } from '../options.ts'
import type { Shell } from '../shell.ts'

export function initCommand(program: Command, shell: Shell): void {
  withCommon(program.command('init'))
    .description('Write a configuration that works at once; with --json a signalbox.config.json')
    .addHelpText('after', '\nNothing that is there is ever overwritten.')
    .action(async (options: CommonOptions) => {
      const { initProject } = await import('../init/init-project.ts')
      await initProject(shell.cwd, options.json === true ? 'json' : 'ts')
    })
}
