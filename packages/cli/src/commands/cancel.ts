import type { Command } from 'commander'
import { createClient } from '../client/client.ts'
import { exitCodes } from '../exit-codes.ts'
import { serverOf, type ServerOptions, withServer } from '../options.ts'
import { createTerminal } from '../output/terminal.ts'
import type { Shell } from '../shell.ts'

interface CancelOptions extends ServerOptions {
  readonly reason?: string
  readonly wait?: true
}

export function cancelCommand(program: Command, shell: Shell): void {
  withServer(program.command('cancel'))
    .description('Cancel a run: from the answer on, nothing new of it starts')
    .argument('<run>', 'its id, or the idempotency key of its create')
    .option('--reason <text>', 'why; it stands in the log')
    .option('-w, --wait', 'wait until the run has ended, for a minute at most')
    .action(async (runId: string, options: CancelOptions) => {
      const terminal = createTerminal({ json: options.json === true })
      const client = createClient(serverOf(options, shell))
      const { ended } = await client.cancel(runId, {
        ...(options.reason === undefined ? {} : { reason: options.reason }),
        ...(options.wait === true ? { wait: 1 } : {}),
      })
      const run = await client.run(runId)
      terminal.document(run)
      terminal.line(
        run.outcome === null
          ? `Cancelling ${run.run_id}: what runs is told to stop.`
          : `The run ${run.run_id} has ended: ${run.outcome}.`,
      )
      // Asked to wait for the end, and it did not come.
      if (options.wait === true && !ended) shell.finish(exitCodes.failed)
    })
}
