/** `audit export`: the log with its proofs, from the database; or the feed of a server, for other programs. */
import { once } from 'node:events'
import process from 'node:process'
import { Option, type Command } from 'commander'
import { type AuditQuery, type Client, createClient } from '../client/client.ts'
import { usageFailure } from '../failure.ts'
import { serverOf, type ServerOptions, wholeNumber, withServer } from '../options.ts'
import { createTerminal } from '../output/terminal.ts'
import type { Shell } from '../shell.ts'
import { type FilterOptions, filterFlags, queryOf, withEventFilters } from './filters.ts'

interface ExportOptions extends ServerOptions, FilterOptions {
  readonly format: 'proof' | 'ndjson' | 'csv' | 'parquet'
  readonly out?: string
  readonly resume?: true
  readonly piece?: number
}

const pieceDefault = 10_000
const pieceMax = 100_000

const help = `
Without --format it reads the database of DATABASE_URL, or the embedded one of this folder, for "audit verify --file".
With another one it asks a server. A file of Parquet holds up to --piece events; there are as many as it takes.
The export holds the content of the runs: prompts, arguments, results.`

export function auditExportCommand(audit: Command, shell: Shell): void {
  withEventFilters(withServer(audit.command('export')))
    .description('Write the log: with its proofs, or as NDJSON, CSV or Parquet')
    .addOption(
      new Option('--format <format>', 'in which form')
        .choices(['proof', 'ndjson', 'csv', 'parquet'])
        .default('proof'),
    )
    .option('--out <file>', 'to this file, with how far it came beside it')
    .option('--resume', 'go on where the export to --out ended, or was killed')
    .option(
      '--piece <n>',
      `events of one request (default: ${pieceDefault}, Parquet ${pieceMax})`,
      wholeNumber(1, pieceMax),
    )
    .addHelpText('after', help)
    .action(async (options: ExportOptions) => {
      if (options.format === 'proof') return exportProof(shell, options)
      return exportFeed(shell, options, options.format)
    })
}

async function exportProof(shell: Shell, options: ExportOptions): Promise<void> {
  const { run = [], since, type: _, ...rest } = options
  const flags = Object.entries({ ...filterFlags, out: '--out', resume: '--resume' })
  const [, other] = flags.find(([name]) => name !== 'type' && Object.hasOwn(rest, name)) ?? []
  const flag = options.type === undefined ? other : '--type'
  if (flag !== undefined || run.length > 1)
    throw usageFailure(
      `${flag ?? 'A second --run'} is not for proofs, which are of whole runs. Add --format ndjson, csv or parquet.`,
    )
  const { exportLog } = await import('../local/export-log.ts')
  const [one] = run
  const selected = { ...(one === undefined ? {} : { run: one }), ...(since && { since }) }
  shell.finish(await exportLog(shell, selected))
}

async function exportFeed(
  shell: Shell,
  options: ExportOptions,
  format: Exclude<ExportOptions['format'], 'proof'>,
): Promise<void> {
  const { out, resume = false, piece = format === 'parquet' ? pieceMax : pieceDefault } = options
  const client = createClient(serverOf(options, shell))
  const query = queryOf(options)
  if (out === undefined) {
    if (resume || format === 'parquet')
      throw usageFailure(`${resume ? '--resume' : 'Parquet'} takes a file: --out <file>`)
    return toOutput(client, { ...query, format, limit: piece })
  }
  const { exportToFile } = await import('../export/to-file.ts')
  const wish = { format, query, out, resume, piece }
  const { position, pieces } = await exportToFile(client, wish)
  const terminal = createTerminal({ json: options.json === true })
  terminal.document({ out, format, position, ...(format === 'parquet' ? { pieces } : {}) })
  terminal.line(`Exported to ${out}, all there is now. Go on later with --resume.`)
}

async function toOutput(client: Client, query: AuditQuery): Promise<void> {
  for (let after: string | undefined; ;) {
    const header = after === undefined ? undefined : 0
    const piece = await client.exportPiece({ ...query, after, header })
    for await (const chunk of piece.chunks())
      if (!process.stdout.write(chunk)) await once(process.stdout, 'drain')
    if (!piece.hasNext || piece.position === null) return
    after = piece.position
  }
}
