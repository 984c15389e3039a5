/** `audit verify`: the chain of each run, computed again from what is stored (I18). */
import { createRegister, type ChainPart, verifyChain } from '@signalbox/postgres'
import type { AuditOptions } from '../commands/audit.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import type { Terminal } from '../output/terminal.ts'
import type { Shell } from '../shell.ts'
import { openDatabase } from './database.ts'
import { readExport } from './read-export.ts'
import { readRun } from './read-run.ts'
import { selectOrphans, selectRuns } from './select-runs.ts'

/** Where a chain does not hold. `run_row`: events without the row of their run. */
interface Broken {
  readonly run_id: string
  readonly seq: number
  readonly part: ChainPart | 'run_row'
}

interface Report {
  readonly source: string
  runs: number
  events: number
  /** Events whose content was erased: their place is proven, their content cannot be. */
  erased: number
  /** Runs of an export that does not say where they end. */
  withoutHead: number
  readonly broken: Broken[]
}

const brokenMax = 1000

/** Verifies and tells. @throws Failure */
export async function verifyLog(
  shell: Shell,
  terminal: Terminal,
  options: AuditOptions,
): Promise<ExitCode> {
  const report =
    options.file === undefined
      ? await verifyDatabase(shell, options)
      : await verifyFile(shell, options.file)
  if (options.run !== undefined && report.runs === 0)
    throw new Failure('unknown_run', `There is no run ${options.run} in ${report.source}.`, {
      exitCode: exitCodes.notFound,
    })
  tell(terminal, report)
  return report.broken.length === 0 ? exitCodes.ok : exitCodes.failed
}

const emptyReport = (source: string): Report => ({
  source,
  runs: 0,
  events: 0,
  erased: 0,
  withoutHead: 0,
  broken: [],
})

async function verifyDatabase(shell: Shell, options: AuditOptions): Promise<Report> {
  const database = await openDatabase(shell)
  try {
    const report = emptyReport(database.source)
    const register = createRegister({ pool: database.pool })
    const { run, since } = options
    for await (const runId of selectRuns(database.pool, { run, since })) {
      const stored = await readRun(register, runId)
      if (!stored) continue
      const { head, events } = stored
      add(report, runId, {
        events: events.length,
        chain: verifyChain(events, { seq: head.seq, hash: head.headHash }),
      })
    }
    if (run === undefined && since === undefined)
      for (const run_id of await selectOrphans(database.pool, brokenMax))
        report.broken.push({ run_id, seq: 0, part: 'run_row' })
    return report
  } finally {
    await database.close()
  }
}

async function verifyFile(shell: Shell, file: string): Promise<Report> {
  const report = emptyReport(`the export ${file}`)
  for (const { runId, events, head } of await readExport(shell.cwd, file)) {
    if (!head) report.withoutHead += 1
    add(report, runId, {
      events: events.length,
      chain: head ? verifyChain(events, head) : verifyChain(events),
    })
  }
  return report
}

function add(
  report: Report,
  run_id: string,
  { events, chain }: { readonly events: number; readonly chain: ReturnType<typeof verifyChain> },
): void {
  report.runs += 1
  report.events += events
  if (chain.ok) report.erased += chain.erased.length
  else if (report.broken.length < brokenMax)
    report.broken.push({ run_id, seq: chain.seq, part: chain.part })
}

const meanings: Readonly<Record<Broken['part'], string>> = {
  sequence: 'an event is missing, repeated or out of order',
  identity: 'the event belongs to another run',
  payload: 'the content is not what was written',
  content_missing: 'the content is gone, and nothing in the log says that it was erased',
  digest: 'a column is not what was written',
  link: 'the event does not follow from the one before',
  head: 'the end was cut off, or the run was written anew',
  run_row: 'the run was deleted, its events are still there',
}

function tell(terminal: Terminal, report: Report): void {
  const { source, runs, events, erased, withoutHead, broken } = report
  const ok = broken.length === 0
  terminal.document({ ok, source, runs, events, erased, without_head: withoutHead, broken })
  terminal.line(`Checked ${source}.`)
  terminal.line(`Runs: ${runs}, events: ${events}${erased > 0 ? `, erased: ${erased}` : ''}.`)
  if (withoutHead > 0)
    terminal.line(`Runs without their end: ${withoutHead}. What followed may have been cut off.`)
  for (const { run_id, seq, part } of broken.slice(0, 20))
    terminal.line(
      `${terminal.paint('red', 'broken')}  ${run_id}  #${seq}  ${part}: ${meanings[part]}`,
    )
  if (broken.length > 20) terminal.line(`… and ${broken.length - 20} more; --json lists them.`)
  if (ok) terminal.line(terminal.paint('green', 'Every chain holds.'))
}
