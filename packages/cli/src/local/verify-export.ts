/**
 * `audit verify --file`: an export, line by line. What is kept of a run is the state of its check, and of a run that has come to
 * its end, its id; so a log of any size is verified in bounded memory, also where runs are interleaved.
 */
import { isStored } from './is-stored.ts'
import { type ExportLine, readExport } from './read-export.ts'
import { type Broken, createRunCheck, type RunCheck, type CheckedRun } from './run-check.ts'

/** What was verified. */
export interface FileReport {
  runs: number
  events: number
  /** Events whose content was erased: their place is proven, their content cannot be. */
  erased: number
  /** Runs of which an export does not say where they end: it was cut. */
  withoutHead: number
  /** Runs of an export that does not hold the definitions and contents of its runs. */
  withoutContents: number
  readonly broken: Broken[]
}

/** So many broken places are listed. */
export const brokenMax = 1000

export const emptyReport = (): FileReport => ({
  runs: 0,
  events: 0,
  erased: 0,
  withoutHead: 0,
  withoutContents: 0,
  broken: [],
})

/** Counts what one run came to. */
export function count(
  report: FileReport,
  { events, erased, broken }: CheckedRun & { readonly events: number },
): void {
  report.runs += 1
  report.events += events
  report.erased += erased
  report.broken.push(...broken.slice(0, brokenMax - report.broken.length))
}

type Head = Extract<ExportLine, { kind: 'head' }>

interface Open {
  readonly check: RunCheck
  head: Head | null
}

/** Verifies an export. @throws Failure */
export async function verifyExport(cwd: string, file: string): Promise<FileReport> {
  const report = emptyReport()
  const open = new Map<string, Open>()
  const ended = new Set<string>()
  const definitions = new Map<string, boolean>()

  const end = (runId: string, { check, head }: Open): void => {
    open.delete(runId)
    ended.add(runId)
    if (!head) report.withoutHead += 1
    else if (!head.contents) report.withoutContents += 1
    if (head?.contents)
      for (const { key, as } of check.named()) if (as !== 'secret') check.look(key, null)
    const at = head?.head ?? undefined
    const { erased, broken } = at ? check.end(at) : check.end()
    // Every export says where its runs end: one that does not say it was cut.
    const cut = { run_id: runId, seq: check.events, part: 'head' } as const
    const more = head ? wrongBeside(head, check, definitions) : [cut]
    count(report, { events: check.events, erased, broken: [...broken, ...more] })
  }
  const add = (broken: Broken): void => {
    if (report.broken.length < brokenMax) report.broken.push(broken)
  }

  for await (const line of readExport(cwd, file)) {
    if (line.kind === 'definition') {
      const { hash, body } = line
      definitions.set(hash, (definitions.get(hash) ?? true) && isStored(hash, body))
      continue
    }
    const { runId } = line
    if (ended.has(runId)) {
      // What ended goes on: two versions of a run, or an event behind its end.
      const seq = line.kind === 'event' ? line.event.seq : 0
      if (!report.broken.some((each) => each.run_id === runId))
        add({ run_id: runId, seq, part: 'sequence' })
      continue
    }
    const run = open.get(runId) ?? { check: createRunCheck(runId), head: null }
    open.set(runId, run)
    if (line.kind === 'event') run.check.add(line.event)
    else if (line.kind === 'head') run.head = line
    else if (!run.check.look(line.key, line.stored))
      add({ run_id: runId, seq: 0, part: 'blob', blob: line.key })
    // An end whose events are still to come waits for them; one of a run that was cut off waits for the end of the file.
    if (run.head && run.head.head?.seq === run.check.events) end(runId, run)
  }
  for (const [runId, run] of open) end(runId, run)
  for (const [definition, holds] of definitions)
    if (!holds && !report.broken.some((each) => each.definition === definition))
      report.broken.push({ run_id: null, seq: 0, part: 'definition', definition })
  return report
}

function wrongBeside(
  { runId: run_id, head, contents, definition: named }: Head,
  { said }: RunCheck,
  definitions: ReadonlyMap<string, boolean>,
): readonly Broken[] {
  if (head === null) return [{ run_id, seq: 0, part: 'run_row' }]
  const definition = said.pinned?.definitionHash
  if (!contents || definition === undefined) return []
  if (named === definition && definitions.get(definition)) return []
  return [{ run_id, seq: 1, part: 'definition', definition }]
}
