import type { Command } from 'commander'
import { type Client, createClient } from '../client/client.ts'
import { openStatuses } from '../client/documents.ts'
import type { RunFilter } from '../client/runs.ts'
import { exitCodes } from '../exit-codes.ts'
import { usageFailure } from '../failure.ts'
import { serverOf, type ServerOptions, withServer } from '../options.ts'
import { createTerminal, type Terminal } from '../output/terminal.ts'
import type { Shell } from '../shell.ts'
import { runFilterOf, type RunFilterOptions, withRunFilters } from './run-filters.ts'

interface CancelOptions extends ServerOptions, RunFilterOptions {
  readonly reason?: string
  readonly wait?: true
  readonly dryRun?: true
  readonly yes?: true
}

export function cancelCommand(program: Command, shell: Shell): void {
  const command = withServer(program.command('cancel'))
    .description(
      'Cancel a run, or all that a filter finds: from the answer on, nothing new of them starts',
    )
    .argument('[run]', 'its id, or the idempotency key of its create; or none, and filters')
  withRunFilters(command, openStatuses)
    .option('--reason <text>', 'why; it stands in the log')
    .option('-w, --wait', 'of one run: wait until it has ended, for a minute at most')
    .option('--dry-run', 'with filters: say which it would be, and cancel nothing')
    .option('-y, --yes', 'with filters: cancel them without another word')
    .action(async (runId: string | undefined, options: CancelOptions) => {
      const terminal = createTerminal({ json: options.json === true })
      const client = createClient(serverOf(options, shell))
      const filter = runFilterOf(options)
      const isFiltered = Object.keys(filter).length > 0
      if (isFiltered === (runId !== undefined))
        throw usageFailure('Name a run, or give a filter such as --agent clerk; not both.')
      if (runId === undefined) return cancelMany({ terminal, client, shell }, filter, options)
      if (options.dryRun ?? options.yes)
        throw usageFailure('--dry-run and --yes go with filters, not with a run.')
      return cancelOne({ terminal, client, shell }, runId, options)
    })
}

interface Context {
  readonly terminal: Terminal
  readonly client: Client
  readonly shell: Shell
}

async function cancelOne(
  { terminal, client, shell }: Context,
  runId: string,
  options: CancelOptions,
): Promise<void> {
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
}

/** Nothing is cancelled unless it was said twice: by the filter, and with `--yes`. */
async function cancelMany(
  { terminal, client, shell }: Context,
  filter: RunFilter,
  { reason, dryRun, yes, wait }: CancelOptions,
): Promise<void> {
  if (wait) throw usageFailure('--wait goes with one run, not with filters.')
  const isReal = yes === true && dryRun !== true
  const body = { filter, dry_run: !isReal, ...(reason === undefined ? {} : { reason }) }
  const runIds: string[] = []
  let isMore = false
  for (;;) {
    const { run_ids, more } = await client.cancelMany(body)
    runIds.push(...run_ids)
    isMore = more
    // What was cancelled is not found again.
    if (!isReal || !isMore) break
  }
  terminal.document({ run_ids: runIds, count: runIds.length, more: isMore, dry_run: !isReal })
  for (const runId of runIds) terminal.line(runId)
  const runs = `${runIds.length}${isMore ? ' or more' : ''} ${runIds.length === 1 ? 'run' : 'runs'}`
  if (isReal) return terminal.line(`Cancelling ${runs}: what runs is told to stop.`)
  terminal.line(`${runs} would be cancelled.`)
  if (dryRun !== true && runIds.length > 0) {
    terminal.note('Nothing was cancelled. Add --yes to cancel them.')
    shell.finish(exitCodes.usage)
  }
}
