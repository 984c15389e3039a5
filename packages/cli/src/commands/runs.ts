/** `runs` and `queues`: what there is, and what waits. */
import { Option, type Command } from 'commander'
import { createClient } from '../client/client.ts'
import { openStatuses, type Run, wireStatuses } from '../client/documents.ts'
import type { Query } from '../client/http.ts'
import { serverOf, type ServerOptions, wholeNumber, withServer } from '../options.ts'
import { duration, oneLine } from '@signalbox/core/text'
import { runRow } from '../output/run-lines.ts'
import { printTable } from '../output/table.ts'
import { createTerminal } from '../output/terminal.ts'
import type { Shell } from '../shell.ts'
import { runFilterOf, type RunFilterOptions, several, withRunFilters } from './run-filters.ts'

interface RunsOptions extends ServerOptions, RunFilterOptions {
  readonly of?: string
  readonly limit: number
}

const filterNames = [
  'thread',
  'status',
  'state',
  'agent',
  'outcome',
  'endUser',
  'waitsFor',
] as const

export function runsCommand(program: Command, shell: Shell): void {
  const command = withServer(program.command('runs')).description(
    'List runs of all threads, newest first, with what each waits for',
  )
  withRunFilters(command, [...new Set([...wireStatuses, ...openStatuses, 'ended'])])
    .option('--outcome <outcome>', 'that ended so, such as failed', several)
    .addOption(
      new Option('--of <run>', 'the runs that this run has started').conflicts([...filterNames]),
    )
    .option('-n, --limit <n>', 'how many at most', wholeNumber(1, 1000), 20)
    .action(async (options: RunsOptions) => {
      const terminal = createTerminal({ json: options.json === true })
      const client = createClient(serverOf(options, shell))
      const { limit, of } = options
      const { runs, next } =
        of === undefined
          ? await client.runs({ ...queryOf(options), limit })
          : { runs: (await client.children(of)).slice(0, limit), next: null }
      terminal.document(runs)
      // Most servers have no runs that were started by runs.
      const withParent = runs.some(({ parent }) => parent != null)
      const now = Date.now()
      printTable(
        terminal,
        runs.map((run) => row(run, { withParent, now })),
        'No runs.',
      )
      if (next !== null && !terminal.json)
        terminal.note(`There are more; --limit shows up to 1000.`)
    })
  queuesCommand(program, shell)
}

function queryOf(options: RunFilterOptions): Query {
  const { metadata, ...filter } = runFilterOf(options)
  const texts = Object.entries(filter).map(([name, value]) => [name, value])
  return {
    ...Object.fromEntries(texts),
    ...(metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }),
  }
}

const row = (
  run: Run,
  { withParent, now }: { readonly withParent: boolean; readonly now: number },
): Readonly<Record<string, string>> => ({
  ...runRow(run, now),
  ...(withParent ? { parent: run.parent?.run_id ?? '' } : {}),
})

function queuesCommand(program: Command, shell: Shell): void {
  withServer(program.command('queues'))
    .description('List the queues that have open tool calls: what waits, how long, what runs')
    .action(async (options: ServerOptions) => {
      const terminal = createTerminal({ json: options.json === true })
      const queues = await createClient(serverOf(options, shell)).queues()
      terminal.document(queues)
      const rows = queues.map((queue) => ({
        queue: oneLine(queue.queue, 80),
        waiting: String(queue.waiting),
        paused: String(queue.paused),
        oldest: queue.oldest_waiting_ms === null ? '' : duration(queue.oldest_waiting_ms),
        delayed: String(queue.delayed),
        running: String(queue.running),
        unknown: String(queue.unknown),
      }))
      printTable(terminal, rows, 'No tool call is open.')
    })
}
