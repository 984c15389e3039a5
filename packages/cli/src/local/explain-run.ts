/**
 * `audit explain`: why each call of a run ran or did not, from its events alone. The chain is verified first: of a log that was
 * changed, an explanation proves nothing, and that is said.
 */
import { explanationPage, explainRun, legible } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { createRegister, verifyChain } from '@signalbox/postgres'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import type { Terminal } from '../output/terminal.ts'
import type { Shell } from '../shell.ts'
import { openDatabase } from './database.ts'
import { readExport } from './read-export.ts'
import { readRun } from './read-run.ts'
import { selectRuns } from './select-runs.ts'

/** A run, and what its chain must end in; null where that is not known. */
interface Found {
  readonly runId: string
  readonly events: readonly StoredEvent[]
  readonly head: { readonly seq: number; readonly hash: string } | null
}

/** Explains and tells. @throws Failure */
export async function explainAndTell(
  shell: Shell,
  terminal: Terminal,
  { run, file }: { readonly run: string; readonly file?: string | undefined },
): Promise<ExitCode> {
  const { runId, events, head } =
    file === undefined ? await inDatabase(shell, run) : await inFile(shell, file, run)
  const about = { runId, threadId: events[0]?.threadId ?? '' }
  const explained = explainRun(about, events.map(legible))
  terminal.document(explained)
  terminal.text(explanationPage(explained))
  const chain = head ? verifyChain(events, head) : verifyChain(events)
  if (chain.ok) return exitCodes.ok
  terminal.note(
    `The chain of this run does not hold: #${chain.seq} (${chain.part}). The log was changed, so nothing of this is proven.`,
  )
  return exitCodes.failed
}

async function inDatabase(shell: Shell, idOrAlias: string): Promise<Found> {
  const database = await openDatabase(shell)
  try {
    const register = createRegister({ pool: database.pool })
    for await (const runId of selectRuns(database.pool, { run: idOrAlias, since: undefined })) {
      const stored = await readRun(register, runId)
      if (!stored) break
      const { seq, headHash: hash } = stored.head
      return { runId, events: stored.events, head: { seq, hash } }
    }
    throw unknown(`There is no run ${idOrAlias} in ${database.source}.`)
  } finally {
    await database.close()
  }
}

async function inFile(shell: Shell, file: string, id: string): Promise<Found> {
  const runId = id.toLowerCase()
  const events: StoredEvent[] = []
  let head: Found['head'] = null
  for await (const line of readExport(shell.cwd, file)) {
    if (line.kind === 'event' && line.runId === runId) events.push(line.event)
    if (line.kind === 'head' && line.runId === runId) head = line.head
  }
  if (events.length > 0) return { runId, events, head }
  throw unknown(`There is no run ${id} in the export ${file}, which knows runs by their ids alone.`)
}

const unknown = (message: string): Failure =>
  new Failure('unknown_run', message, { exitCode: exitCodes.notFound })
