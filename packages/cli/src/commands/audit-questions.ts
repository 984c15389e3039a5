/** `audit query` and `audit stats`: questions that a server answers in rows. */
import { type Command, Option } from 'commander'
import { createClient } from '../client/client.ts'
import { serverOf, type ServerOptions, wholeNumber, withServer } from '../options.ts'
import { oneLine } from '@signalbox/core/text'
import { printTable } from '../output/table.ts'
import { createTerminal, type Terminal } from '../output/terminal.ts'
import type { Shell } from '../shell.ts'
import { type FilterOptions, queryOf, withEventFilters, withFilters } from './filters.ts'

interface QueryOptions extends ServerOptions, FilterOptions {
  readonly path?: string
  readonly limit?: number
}

interface StatsOptions extends ServerOptions, FilterOptions {
  readonly by: string
  readonly of: 'events' | 'runs'
  readonly limit?: number
}

export function auditQueryCommand(audit: Command, shell: Shell): void {
  withFilters(withServer(audit.command('query')))
    .description('Ask a saved query; without a name, list them')
    .argument('[name]', 'such as denied_calls')
    .option('--path <path>', 'file_changes: of this file, as arguments of calls name it')
    .option('-n, --limit <n>', 'how many rows at most', wholeNumber(1, 1_000_000))
    .action(async (name: string | undefined, options: QueryOptions) => {
      const terminal = createTerminal({ json: options.json === true })
      const client = createClient(serverOf(options, shell))
      if (name !== undefined) return answer(terminal, client, { name, options })
      const queries = await client.savedQueries()
      terminal.document(queries)
      const row = (query: (typeof queries)[number]) => ({
        name: query.name,
        needs: query.needs.map((need) => `--${need}`).join(' '),
        asks: query.asks,
      })
      printTable(terminal, queries.map(row), 'No saved queries.')
    })
}

type Row = Readonly<Record<string, unknown>>
type Client = ReturnType<typeof createClient>

/** Columns that programs want and people do not. */
const forPrograms = new Set(['position', 'thread_id', 'type', 'seq', 'args_hash', 'started_at'])
const cellCharsMax = 60

async function answer(
  terminal: Terminal,
  client: Client,
  { name, options }: { readonly name: string; readonly options: QueryOptions },
): Promise<void> {
  const { path, limit = Number.POSITIVE_INFINITY } = options
  const rows: Row[] = []
  for (let after: string | undefined; rows.length < limit;) {
    const page = Math.min(1000, limit - rows.length)
    const query = { ...queryOf(options), path, after, limit: page }
    const answered = await client.savedQuery(name, query)
    for (const row of answered.rows) terminal.document(row)
    rows.push(...answered.rows)
    if (answered.next === null) break
    after = answered.next
  }
  const names = Object.keys(rows[0] ?? {}).filter(
    (column) => !forPrograms.has(column) && rows.some((row) => row[column] !== null),
  )
  const shown = (row: Row) => Object.fromEntries(names.map((column) => [column, cell(row[column])]))
  if (!terminal.json) printTable(terminal, rows.map(shown), 'None.')
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value), cellCharsMax)
}

const cells = (group: Row) =>
  Object.fromEntries(Object.entries(group).map(([key, value]) => [key, cell(value)]))

export function auditStatsCommand(audit: Command, shell: Shell): void {
  withEventFilters(withServer(audit.command('stats')))
    .description('Count events, or runs that have them, by up to three of what they have')
    .option(
      '--by <keys>',
      'of type, tool, verdict, actor, agent, outcome, end_user, hour, day',
      'type',
    )
    .addOption(
      new Option('--of <what>', 'count events, or each run that has such events once')
        .choices(['events', 'runs'])
        .default('events'),
    )
    .option('-n, --limit <n>', 'how many groups at most', wholeNumber(1, 1000))
    .action(async (options: StatsOptions) => {
      const terminal = createTerminal({ json: options.json === true })
      const client = createClient(serverOf(options, shell))
      const { by, of, limit } = options
      const stats = await client.eventStats({ ...queryOf(options), group_by: by, of, limit })
      terminal.document(stats)
      printTable(terminal, stats.groups.map(cells), 'No events.')
      if (stats.truncated) terminal.note('There are more groups than are shown.')
    })
}
