/** `retry`: asks once more what runs that have ended were asked. */
import type { Command } from 'commander'
import { createClient } from '../client/client.ts'
import type { RetriedRun } from '../client/documents.ts'
import type { RetryBody } from '../client/runs.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { usageFailure } from '../failure.ts'
import { serverOf, type ServerOptions, wholeNumber, withServer } from '../options.ts'
import { oneLine } from '@signalbox/core/text'
import { printTable } from '../output/table.ts'
import { createTerminal } from '../output/terminal.ts'
import type { Shell } from '../shell.ts'
import { endedFilterOf, type RunFilterOptions, withEndedFilters } from './run-filters.ts'

interface RetryOptions extends ServerOptions, RunFilterOptions {
  readonly limit?: number
  readonly dryRun?: true
  readonly again?: true
}

/** Runs of one request. */
const pageMax = 1000

export function retryCommand(program: Command, shell: Shell): void {
  const command = withServer(program.command('retry'))
    .description('Ask once more what runs that have ended were asked: their calls execute')
    .argument('[run...]', 'their ids; or none, and filters')
  withEndedFilters(command)
    .option(
      '-n, --limit <n>',
      'with filters: how many at most, the oldest first',
      wholeNumber(1, 1_000_000),
    )
    .option('--dry-run', 'say which it would be, and start nothing')
    .option('--again', 'also those that were retried before')
    .action(async (runIds: readonly string[], options: RetryOptions) => {
      const terminal = createTerminal({ json: options.json === true })
      const client = createClient(serverOf(options, shell))
      const done: RetriedRun[] = []
      for await (const body of bodiesOf(runIds, options, (send) => client.retry(send)))
        done.push(...body)
      terminal.document(done)
      printTable(
        terminal,
        done.map((run) => ({
          run: oneLine(run.run_id, 200),
          became: run.code,
          retry: run.retry_run_id ?? '',
          why: oneLine(run.detail ?? '', 200),
        })),
        'No run is to be retried.',
      )
      shell.finish(exitCodeOf(done))
    })
}

const isRefused = ({ code }: RetriedRun): boolean =>
  code !== 'created' && code !== 'existing' && code !== 'ready'

/** Of one run its own; of many, whether all of them went well. */
function exitCodeOf(done: readonly RetriedRun[]): ExitCode {
  const refused = done.filter(isRefused)
  if (refused.length === 0) return exitCodes.ok
  if (done.length > 1) return exitCodes.failed
  return refused[0]?.status === 404 ? exitCodes.notFound : exitCodes.conflict
}

/** Sends as many requests as it takes, and answers what each came to. @throws Failure */
async function* bodiesOf(
  runIds: readonly string[],
  options: RetryOptions,
  send: (
    body: RetryBody,
  ) => Promise<{ readonly runs: readonly RetriedRun[]; readonly next: string | null }>,
): AsyncGenerator<readonly RetriedRun[]> {
  const { limit = Infinity, dryRun = false, again = false } = options
  const filter = endedFilterOf(options)
  const isFiltered = Object.keys(filter).length > 0
  if (isFiltered === runIds.length > 0)
    throw usageFailure('Name runs, or give a filter such as --outcome failed --since 2h; not both.')
  const how = { dry_run: dryRun, again }
  if (!isFiltered) {
    for (let from = 0; from < runIds.length; from += pageMax)
      yield (await send({ run_ids: runIds.slice(from, from + pageMax), ...how })).runs
    return
  }
  let left = limit
  for (let after: string | null | undefined; after !== null && left > 0;) {
    const size = Math.min(left, pageMax)
    const { runs, next } = await send({
      filter,
      limit: size,
      ...(after === undefined ? {} : { after }),
      ...how,
    })
    yield runs
    left -= runs.length
    after = next
  }
}
