import process from 'node:process'
import { Option, type Command } from 'commander'
import { dotEnvLine } from '../local/dot-env.ts'
import { type ServerOptions, withServer } from '../options.ts'
import { readPrompt } from '../run/read-prompt.ts'
import type { Shell } from '../shell.ts'

export interface RunCommandOptions extends ServerOptions {
  readonly agent?: string
  readonly thread?: string
  readonly wait?: true
  readonly detach?: true
  readonly verbose?: true
}

export function runCommand(program: Command, shell: Shell): void {
  withServer(program.command('run'))
    .description('Create a run and show what it does, until it ends')
    .argument('<prompt>', 'what to say to the agent; - reads it from standard input')
    .option('-a, --agent <agent>', 'which agent (default: the only one there is)')
    .option('-t, --thread <thread>', 'go on with this thread, made if it is not there')
    .option('-w, --wait', 'print the answer only, once it is there')
    .addOption(
      new Option('--detach', 'print the id of the run, and let it run').conflicts(['wait']),
    )
    .option('-v, --verbose', 'show arguments and results of tools')
    .addHelpText(
      'after',
      '\nWithout a server, and without --url or SIGNALBOX_URL, the run is done in this process, from the' +
        '\nconfiguration of this folder. A run that waits for a human goes on waiting; --wait and --json end then (6).',
    )
    .action(async (prompt: string, options: RunCommandOptions) => {
      const { runPrompt } = await import('../run/run-prompt.ts')
      const said = dotEnvLine(shell)
      if (said !== null) process.stderr.write(`${said}\n`)
      const text = prompt === '-' ? await readPrompt(process.stdin) : prompt
      shell.finish(await runPrompt(shell, text, options))
    })
}
