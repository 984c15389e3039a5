import { Option, type Command } from 'commander'
import { type InitProvider, providers } from '../init/providers.ts'
import { type CommonOptions, withCommon } from '../options.ts'
import type { Shell } from '../shell.ts'

interface InitOptions extends CommonOptions {
  readonly provider?: InitProvider
}

export function initCommand(program: Command, shell: Shell): void {
  withCommon(program.command('init'))
    .description('Write a configuration that works at once; with --json a signalbox.config.json')
    .addOption(
      new Option(
        '--provider <provider>',
        'a real model instead of the script that needs no key',
      ).choices(Object.keys(providers)),
    )
    .addHelpText('after', '\nNothing that is there is ever overwritten.')
    .action(async ({ json, provider }: InitOptions) => {
      const { initProject } = await import('../init/init-project.ts')
      const form = json === true ? 'json' : 'ts'
      await initProject(shell.cwd, { form, provider: provider ?? null })
    })
}
