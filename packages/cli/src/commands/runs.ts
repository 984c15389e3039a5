import { Option, type Command } from 'commander'
import { createClient } from '../client/client.ts'
import { type Run, wireStatuses } from '../client/documents.ts'
import { serverOf, type ServerOptions, wholeNumber, withServer } from '../options.ts'
import { printTable } from '../output/table.ts'
import { createTerminal } from '../output/terminal.ts'
import type { Shell } from '../shell.ts'

interface RunsOptions extends ServerOptions {
  readonly thread?: string
  readonly of?: string
  readonly status?: string
  readonly limit: number
}

export function runsCommand(program: Command, shell: Shell): void {
  withServer(program.command('runs'))
    .description('List runs, newest first (without --thread: of the 100 newest threads)')
    .option('-t, --thread <thread>', 'of this thread only')
    .addOption(
      new Option('--of <run>', 'the runs that this run has started').conflicts([
        'thread',
        'status',
      ]),
    )
    .addOption(new Option('-s, --status <status>', 'in this status only').choices(wireStatuses))
    .option('-n, --limit <n>', 'how many at most', wholeNumber(1, 1000), 20)
    .action(async (options: RunsOptions) => {
      const terminal = createTerminal({ json: options.json === true })
      const client = createClient(serverOf(options, shell))
      const { thread, status, limit, of } = options
      const runs =
        of === undefined
          ? await client.runs({ thread, status, limit })
          : (await client.children(of)).slice(0, limit)
      terminal.document(runs)
      // Most servers have no runs that were started by runs.
      const withParent = runs.some(({ parent }) => parent != null)
      printTable(
        terminal,
        runs.map((run) => row(run, withParent)),
        'No runs.',
      )
    })
}

const row = (run: Run, withParent: boolean): Readonly<Record<string, string>> => ({
  run: run.run_id,
  thread: run.thread_id,
  agent: run.assistant_id,
  created: run.created_at.slice(0, 19).replace('T', ' '),
  status: run.status,
  state: run.state,
  outcome: run.outcome ?? '',
  ...(withParent ? { parent: run.parent?.run_id ?? '' } : {}),
})
