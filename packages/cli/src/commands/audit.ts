/** `audit`: questions to the log of all runs, exports of it, and the proof that it is what was written. */
import { Option, type Command } from 'commander'
import { type CommonOptions, instant, withCommon } from '../options.ts'
import { createTerminal } from '../output/terminal.ts'
import type { Shell } from '../shell.ts'
import { auditExplainCommand } from './audit-explain.ts'
import { auditExportCommand } from './audit-export.ts'
import { auditQueryCommand, auditStatsCommand } from './audit-questions.ts'

export interface AuditOptions extends CommonOptions {
  readonly run?: string
  readonly since?: string
  readonly file?: string
}

export function auditCommand(program: Command, shell: Shell): void {
  const audit = program
    .command('audit')
    .description('Ask the log of all runs, export it, and prove that it is what was written')
    .helpCommand(false)
  auditQueryCommand(audit, shell)
  auditStatsCommand(audit, shell)
  withSelection(audit.command('verify'))
    .description('Compute every hash of the log again, and compare')
    .addOption(
      new Option('--file <export>', 'verify an export, not the database').conflicts([
        'run',
        'since',
      ]),
    )
    .addHelpText(
      'after',
      '\nReads the database of DATABASE_URL, or the embedded one of this folder, whoever runs it.' +
        '\nFinds every edit, deletion and reorder within a run, a run cut short, and definitions and long contents' +
        '\nthat were changed. Whoever can rewrite a whole run with its head, or delete it with all its events, is found' +
        '\nout only by an older export. A file is read line by line, also as gzip.',
    )
    .action(async (options: AuditOptions) => {
      const { verifyLog } = await import('../local/verify-log.ts')
      const terminal = createTerminal({ json: options.json === true })
      shell.finish(await verifyLog(shell, terminal, options))
    })
  auditExplainCommand(audit, shell)
  auditExportCommand(audit, shell)
  digestCommand(audit, shell)
}

function digestCommand(audit: Command, shell: Shell): void {
  withCommon(audit.command('digest'))
    .description('Print the digests by which the log knows arguments of a call')
    .argument('<arguments>', 'an object of JSON; - reads it from the standard input')
    .option('--tenant <tenant>', 'whose run', 'default')
    .addHelpText(
      'after',
      '\nReads the database of DATABASE_URL, or the embedded one of this folder.',
    )
    .action(async (written: string, options: CommonOptions & { readonly tenant: string }) => {
      const { digestArguments } = await import('../local/digest-arguments.ts')
      const terminal = createTerminal({ json: options.json === true })
      const made = await digestArguments(shell, written, options.tenant)
      terminal.document(made)
      terminal.line(`${made.args_hash}\n${made.sha256}  in runs of older definitions`)
    })
}

const withSelection = (command: Command): Command =>
  withCommon(command)
    .option('--run <run>', 'this run only')
    .option('--since <time>', 'runs that changed from this time on', instant)
