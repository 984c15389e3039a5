import type { Command } from 'commander'
import { type CommonOptions, withCommon } from '../options.ts'
import { createTerminal } from '../output/terminal.ts'
import type { Shell } from '../shell.ts'

export function replayCommand(program: Command, shell: Shell): void {
  withCommon(program.command('replay'))
    .description("Decide a stored run again with today's code, and compare")
    .argument('<run>', 'its id, or the idempotency key of its create')
    .addHelpText(
      'after',
      '\nReads the database of DATABASE_URL, or the embedded one of this folder. Nothing is executed or written.',
    )
    .action(async (runId: string, options: CommonOptions) => {
      const { replayRun } = await import('../local/replay-run.ts')
      const terminal = createTerminal({ json: options.json === true })
      shell.finish(await replayRun(shell, terminal, runId))
    })
}
