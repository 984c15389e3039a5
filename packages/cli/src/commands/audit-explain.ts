import { type Command, Option } from 'commander'
import { type CommonOptions, withCommon } from '../options.ts'
import { createTerminal } from '../output/terminal.ts'
import type { Shell } from '../shell.ts'

interface ExplainOptions extends CommonOptions {
  readonly file?: string
}

const help = `
Prints a page that can be read without this program: how each answer of the model closed, and for each call the checks
that it passed or did not, with the event that proves each. Never arguments or results.
Reads the database of DATABASE_URL, or the embedded one of this folder, whoever runs it. The chain of the run is verified as well.`

export function auditExplainCommand(audit: Command, shell: Shell): void {
  withCommon(audit.command('explain'))
    .description('Explain for each call of a run why it ran or did not, from the log alone')
    .argument('<run>', 'its id, or the idempotency key of its create')
    .addOption(new Option('--file <export>', 'explain a run of an export, not of the database'))
    .addHelpText('after', help)
    .action(async (run: string, { file, json }: ExplainOptions) => {
      const { explainAndTell } = await import('../local/explain-run.ts')
      const terminal = createTerminal({ json: json === true })
      shell.finish(await explainAndTell(shell, terminal, { run, file }))
    })
}
