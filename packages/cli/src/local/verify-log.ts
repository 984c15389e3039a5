/**
 * `audit verify`: the chain of each run, computed again from what is stored (I18), the definitions that runs pin, and the
 * contents that events name.
 */
import { createRegister } from '@signalbox/postgres'
import type { Pool } from 'pg'
import type { AuditOptions } from '../commands/audit.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import type { Terminal } from '../output/terminal.ts'
import type { Shell } from '../shell.ts'
import { openDatabase } from './database.ts'
import { isStored } from './is-stored.ts'
import { readEvents } from './read-run.ts'
import { type Broken, type BrokenPart, createRunCheck, type CheckedRun } from './run-check.ts'
import { isRowOf } from './row-check.ts'
import { eventBehind, selectOrphans, selectRuns } from './select-runs.ts'
import { definitionBody, definitionHashes, storedContent } from './stored-content.ts'
import { brokenMax, count, emptyReport, type FileReport, verifyExport } from './verify-export.ts'

interface Report extends FileReport {
  readonly source: string
}

/** Verifies and tells. @throws Failure */
export async function verifyLog(
  shell: Shell,
  terminal: Terminal,
  options: AuditOptions,
): Promise<ExitCode> {
  const report =
    options.file === undefined
      ? await verifyDatabase(shell, options)
      : { source: `the export ${options.file}`, ...(await verifyExport(shell.cwd, options.file)) }
  if (options.run !== undefined && report.runs === 0)
    throw new Failure('unknown_run', `There is no run ${options.run} in ${report.source}.`, {
      exitCode: exitCodes.notFound,
    })
  if (options.file !== undefined && report.runs === 0 && report.broken.length === 0)
    throw new Failure('empty_export', `The file ${options.file} holds no run: it proves nothing.`, {
      exitCode: exitCodes.failed,
    })
  tell(terminal, report)
  return report.broken.length === 0 ? exitCodes.ok : exitCodes.failed
}

async function verifyDatabase(shell: Shell, options: AuditOptions): Promise<Report> {
  const database = await openDatabase(shell)
  const report: Report = { source: database.source, ...emptyReport() }
  try {
    const { pool } = database
    const { run, since } = options
    const definitions = definitionsOf(pool)
    for await (const runId of selectRuns(pool, { run, since })) {
      const found = await verifyRun(pool, definitions, runId)
      if (found) count(report, found)
    }
    if (run === undefined && since === undefined) {
      for (const run_id of await selectOrphans(pool, brokenMax))
        report.broken.push({ run_id, seq: 0, part: 'run_row' })
      for (const definition of await definitions.others())
        report.broken.push({ run_id: null, seq: 0, part: 'definition', definition })
    }
    return report
  } finally {
    await database.close()
  }
}

/** Definitions, each looked at once. */
interface Definitions {
  holds(hash: string): Promise<boolean>
  /** Those that were changed and that nobody has asked for. */
  others(): Promise<readonly string[]>
}

function definitionsOf(pool: Pool): Definitions {
  const known = new Map<string, boolean>()
  const holds: Definitions['holds'] = async (hash) => {
    const held = known.get(hash) ?? isStored(hash, await definitionBody(pool, hash))
    known.set(hash, held)
    return held
  }
  return {
    holds,
    async others() {
      const changed: string[] = []
      for (const hash of await definitionHashes(pool))
        if (!known.has(hash) && !(await holds(hash))) changed.push(hash)
      return changed
    },
  }
}

/** The head first: what a living run gets meanwhile is left out, not taken for a fault. */
async function verifyRun(
  pool: Pool,
  definitions: Definitions,
  runId: string,
): Promise<(CheckedRun & { readonly events: number }) | null> {
  const register = createRegister({ pool })
  const head = await register.head(runId)
  if (!head) return null
  const check = createRunCheck(runId)
  for await (const event of readEvents(register, runId, head.seq)) check.add(event)
  for (let named = check.named(); named.length > 0; named = check.named())
    for (const { key } of named) check.look(key, await storedContent(pool, head, key))
  const { erased, broken } = check.end({ seq: head.seq, hash: head.headHash })
  const { said, events } = check
  const more: Broken[] = []
  const place = { run_id: runId, seq: 1 }
  // Where the chain is broken, the event with the end of the run may be what is gone.
  const isWhole = broken.every(({ part }) => part === 'blob' || part === 'thread_key')
  if (!isRowOf(head, isWhole ? said : { ...said, outcome: undefined }))
    more.push({ ...place, part: 'run_row' })
  // By the row the run is decided; a row that names another definition than the log changes what the run may do.
  const definition = head.definitionHash
  const isPinned = !said.pinned || said.pinned.definitionHash === definition
  if (said.pinned && !(isPinned && (await definitions.holds(definition))))
    more.push({ ...place, part: 'definition', definition })
  const behind = await eventBehind(pool, runId)
  if (behind !== null) more.push({ run_id: runId, seq: behind, part: 'head' })
  return { events, erased, broken: [...broken, ...more] }
}

const meanings: Readonly<Record<BrokenPart, string>> = {
  sequence: 'an event is missing, repeated or out of order',
  identity: 'the event belongs to another run',
  payload: 'the content is not what was written',
  content_missing: 'the content is gone, and nothing in the log says that it was erased',
  digest: 'a column is not what was written',
  link: 'the event does not follow from the one before',
  head: 'the end was cut off, something stands behind it, or the run was written anew',
  run_row: 'the row of the run was deleted, or is not what the log says',
  definition: 'the definition that the run is pinned to is gone, or is not what was stored',
  blob: 'what the event names is gone, or is not what was stored',
  thread_key: 'the key of the thread is gone: nothing that it named can be verified',
}

function tell(terminal: Terminal, report: Report): void {
  const { source, runs, events, erased, withoutHead, withoutContents, broken } = report
  const ok = broken.length === 0
  terminal.document({
    ok,
    source,
    runs,
    events,
    erased,
    without_head: withoutHead,
    without_contents: withoutContents,
    broken,
  })
  terminal.line(`Checked ${source}.`)
  terminal.line(`Runs: ${runs}, events: ${events}${erased > 0 ? `, erased: ${erased}` : ''}.`)
  if (withoutHead > 0)
    terminal.line(`Runs without their end: ${withoutHead}. The export was cut off.`)
  if (withoutContents > 0)
    terminal.line(
      `Runs without their definitions and long contents: ${withoutContents}. Nothing is proven of these.`,
    )
  for (const { run_id, seq, part, definition, blob } of broken.slice(0, 20)) {
    const where = run_id === null ? 'no run' : `${run_id}  #${seq}`
    const which = definition ?? blob
    terminal.line(
      `${terminal.paint('red', 'broken')}  ${where}  ${part}: ${meanings[part]}${which ? ` (${which})` : ''}`,
    )
  }
  if (broken.length > 20) terminal.line(`… and ${broken.length - 20} more; --json lists them.`)
  if (ok) terminal.line(terminal.paint('green', 'Every chain holds.'))
}
