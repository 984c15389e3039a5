/** `unknown` and `resolve`: effects that may or may not have happened. */
import { Argument, type Command } from 'commander'
import { createClient } from '../client/client.ts'
import { usageFailure } from '../failure.ts'
import { serverOf, type ServerOptions, withServer } from '../options.ts'
import { createTerminal } from '../output/terminal.ts'
import { showUnknown } from '../output/unknown-lines.ts'
import type { Shell } from '../shell.ts'

interface ResolveOptions extends ServerOptions {
  readonly note?: string
  readonly output?: string
}

const resolutions = {
  happened: 'happened',
  'not-happened': 'not_happened',
  retry: 'retry',
} as const
type Resolution = keyof typeof resolutions

export function unknownCommands(program: Command, shell: Shell): void {
  withServer(program.command('unknown'))
    .description('List effects whose outcome nobody knows, because their worker vanished')
    .action(async (options: ServerOptions) => {
      const terminal = createTerminal({ json: options.json === true })
      const effects = await createClient(serverOf(options, shell)).unknown()
      terminal.document(effects)
      if (effects.length === 0) terminal.line('No effect has an unknown outcome.')
      for (const effect of effects) showUnknown(terminal, effect, Date.now())
    })

  withServer(program.command('resolve'))
    .description('Say what became of an effect; "retry" runs it once more, under the same key')
    .argument('<run>', 'the run')
    .argument('<effect>', 'the effect, as "signalbox unknown" shows it')
    .addArgument(new Argument('<resolution>').choices(Object.keys(resolutions)))
    .option('--note <text>', 'stands in the log; the model reads it')
    .option('--output <text>', 'for happened: what the tool answered')
    .action(async (...typed: [string, string, Resolution, ResolveOptions]) => {
      const [runId, effectId, resolution, options] = typed
      const terminal = createTerminal({ json: options.json === true })
      const { note, output } = options
      if (output !== undefined && resolution !== 'happened')
        throw usageFailure(`--output goes with "happened" only, not with "${resolution}".`)
      const answer = await createClient(serverOf(options, shell)).resolve(runId, effectId, {
        resolution: resolutions[resolution],
        ...(note === undefined ? {} : { note }),
        ...(output === undefined ? {} : { output }),
      })
      terminal.document({ run_id: runId, effect_id: effectId, resolution, ...answer })
      terminal.line(
        answer.code === 'already'
          ? 'It was resolved before; the first answer stands.'
          : 'Resolved.',
      )
    })
}
