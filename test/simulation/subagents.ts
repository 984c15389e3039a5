/**
 * Runs that are started, of agents that say how many they may start, and what becomes of their files: in some seeds agents that start runs lend them
 * their files, and take over changes. A file `shared` is edited by all of them, a line each, so that every edit fits wherever it is made again:
 *
 * S1 A run begins with the files of the one that starts it as far as its agent says so, and as they were at the moment that its effect names.
 * S2 What a run takes over is what the other changed, each file once; of runs that were not done, or were stopped on their way, nothing else.
 * S3 In `shared` stands each edit of the conversation once, in the order of the events: none is lost, and none is made twice.
 */
import {
  factSchemas,
  FileChanges,
  foldFiles,
  type FileChange,
  type JsonObject,
} from '@signalbox/core'
import {
  type CallFiles,
  encodeEdits,
  fileContent,
  type FileDraft,
  type StoredEvent,
} from '@signalbox/engine'
import type { MemoryRegister } from '@signalbox/testing/memory'
import { z } from 'zod'
import { parentOf, type RunRecord } from '../invariants/run-record.ts'
import { isTeam, plansPerSeed, startsRuns } from './families.ts'
import { seeded } from './seeded.ts'
import type { World } from './world.ts'

/** How many agents that start runs say how many, and how many of those have one tool for all agents. */
const saying = 0.55
const naming = 0.3

/** The field of the definition of a plan. Drawn by itself, so that the other agents of a seed are what they were. */
export function subagentsOf(seed: number) {
  if (!startsRuns(seed)) return {}
  if (isTeam(seed)) return { subagents: { perTurn: 3, perRun: 5, files: 'merge' as const } }
  const unit = seeded(seed * 59 + 17)
  if (unit() >= saying) return {}
  const pick = unit()
  const perTurn = 1 + Math.floor(unit() * 3)
  const subagents = {
    perTurn,
    perRun: perTurn + Math.floor(unit() * 3),
    files: pick < 0.15 ? ('none' as const) : pick < 0.35 ? ('read' as const) : ('merge' as const),
    ...(unit() < naming ? { tool: 'task' as const } : {}),
  }
  return { subagents }
}

/** Do agents of the seed lend their files to runs that they start? */
export const isLending = (seed: number): boolean =>
  Array.from({ length: plansPerSeed }, (_, n) => subagentsOf(seed * plansPerSeed + n)).some(
    ({ subagents }) => subagents !== undefined && subagents.files !== 'none',
  )

/** The arguments of a call that starts a run: of one tool for all agents they name one, now and then one that there is not. */
export function startArgs(seed: number, n: number, agent: string): JsonObject {
  if (subagentsOf(seed).subagents?.tool === undefined) return { n }
  // In the order in which arguments are digested, as the checks read them.
  return { agent: seeded(seed * 61 + n)() < 0.1 ? 'nobody-knows' : agent, n }
}

export const sharedPath = 'shared'
const end = '<end>'
export const emptyShared = end

/** The edit of the shared file that an attempt makes, if the file is there: its line before the end. */
export async function sharedEdit(
  { effectId, attempt }: { readonly effectId: string; readonly attempt: number },
  files: CallFiles | undefined,
): Promise<readonly FileDraft[]> {
  const file = (await files?.tree())?.get(sharedPath)
  const bytes = file && files ? await fileContent(file, files.read) : null
  if (!file || !bytes) return []
  const edit = { oldText: end, newText: `${effectId} ${attempt}\n${end}` }
  const text = Buffer.from(bytes).toString().replace(edit.oldText, edit.newText)
  return [
    {
      path: sharedPath,
      bytes: Buffer.from(text),
      executable: false,
      edit: { bytes: encodeEdits([edit]), since: file.state },
    },
  ]
}

/** The lines of the shared file. */
export const linesOf = (text: string | null): readonly string[] =>
  text === null ? [] : text.split('\n').slice(0, -1)

export interface Families {
  readonly tables: MemoryRegister['tables']
  readonly runs: readonly RunRecord[]
  /** The runs whose files a run finds, in order, itself the last. */
  readonly heardBy: (run: RunRecord) => readonly RunRecord[]
}

/** The events that a run finds files of: those of the run that it began with, and those of its own conversation. */
export function heardEvents(all: Families, run: RunRecord): readonly StoredEvent[] {
  return all.heardBy(run).flatMap((each) => [...beginning(all, each), ...each.log])
}

function beginning(all: Families, { log: [first] }: RunRecord): readonly StoredEvent[] {
  const from = first && factSchemas['run.created'].safeParse(first.payload).data?.filesFrom
  const other = from && all.runs.find(({ head }) => head.runId === from.at.runId)
  if (!from || !other) return []
  return heardEvents(all, other).filter(
    ({ runId, seq }) => runId !== from.at.runId || seq <= from.at.seq,
  )
}

/** The list of an event; none stands elsewhere in a simulation. */
export const changesIn = ({ payload }: Pick<StoredEvent, 'payload'>): readonly FileChange[] => {
  const said = FileChanges.safeParse(payload['files']).data
  return said !== undefined && Array.isArray(said) ? said : []
}

/** The shared lines that a conversation has made, event by event, whatever the files say. */
export function sharedLines(all: Families, events: readonly StoredEvent[]): readonly string[] {
  return events.reduce<readonly string[]>((lines, event) => {
    const change = changesIn(event).find(({ path }) => path === sharedPath)
    if (!change) return lines
    return event.type === 'run.created' ? [] : [...lines, ...linesOfEvent(all, event)]
  }, [])
}

function linesOfEvent(all: Families, event: StoredEvent): readonly string[] {
  const { effectId, attempt, recalled } = event.payload
  const source = Recalled.safeParse(recalled).data
  if (source) {
    const other = all.runs.find(({ head }) => head.runId === source.runId)
    const original = other?.log.find(({ seq }) => seq === source.seq)
    return original ? linesOfEvent(all, original) : []
  }
  if (event.type === 'child.ended') return linesBy(all, event)
  return [`${String(effectId)} ${String(attempt)}`]
}

const Recalled = z.object({ runId: z.string(), seq: z.number() })

/** Those that a run which has ended made itself, with what it took over. */
function linesBy(all: Families, { payload }: StoredEvent): readonly string[] {
  const child = all.runs.find(({ head }) => head.runId === payload['childRunId'])
  return child ? sharedLines(all, child.log) : []
}

export function subagentViolations(all: Families): readonly string[] {
  return all.runs.flatMap((run) => [
    ...beginViolations(all, run),
    ...run.log
      .filter(({ type }) => type === 'child.ended')
      .flatMap((event) => takenViolations(all, { run, event })),
  ])
}

function beginViolations({ runs }: Families, run: RunRecord): readonly string[] {
  const parent = parentOf(run)
  if (!parent) return []
  const { runId, threadId } = run.head
  const above = runs.find(({ head }) => head.runId === parent.runId)
  const spec = above?.effects.find(({ effectId }) => effectId === parent.effectId)?.spec
  const seq = spec?.kind === 'run.start' ? spec.filesThrough : undefined
  const { files = 'none' } = above?.agent?.subagents ?? {}
  const expected =
    files === 'none' || seq === undefined
      ? undefined
      : { threadId: above?.head.threadId, at: { runId: parent.runId, seq } }
  const said = run.log[0]?.payload['filesFrom']
  return JSON.stringify(said) === JSON.stringify(expected)
    ? []
    : [`S1 ${runId} of ${threadId} begins with other files than it was lent`]
}

const partial: ReadonlySet<string> = new Set([
  'budget_exhausted',
  'loop_stopped',
  'length_stopped',
  'timed_out',
])

function takenViolations(
  all: Families,
  { run, event }: { readonly run: RunRecord; readonly event: StoredEvent },
): readonly string[] {
  const { runId, seq } = event
  const {
    childRunId,
    outcome,
    partial: isPartial,
  } = factSchemas['child.ended'].parse(event.payload)
  const { subagents } = run.agent ?? {}
  const bad: string[] = []
  if ((isPartial === true) !== (subagents !== undefined && partial.has(outcome)))
    bad.push(`S2 ${runId} is told at ${seq} that an answer is partial, and it is not so`)
  const list = changesIn(event)
  const child = all.runs.find(({ head }) => head.runId === childRunId)
  const isTaken = subagents?.files === 'merge' && (outcome === 'completed' || partial.has(outcome))
  if (!isTaken || !child)
    return list.length === 0 ? bad : [...bad, `S2 ${runId} takes over files at ${seq}`]
  const made = madeBy(all, child)
  const paths = list.map(({ path }) => path)
  if (new Set(paths).size !== paths.length)
    bad.push(`S2 ${runId} takes over a file twice at ${seq}`)
  for (const [path, text] of made)
    if (text !== null && !paths.includes(path))
      bad.push(`S2 ${runId} does not take over ${path} of ${childRunId} at ${seq}`)
  for (const { path, key } of list) {
    const expected = made.get(path)
    if (path === sharedPath) continue
    const is = key === null ? null : textAt(all.tables, event, key)
    if (expected !== is)
      bad.push(`S2 ${runId} takes over ${path} as ${is} instead of ${expected} at ${seq}`)
  }
  return bad
}

/** The last change of each file by a run. Of the shared one, whether there is any. */
function madeBy(all: Families, { log }: RunRecord): ReadonlyMap<string, string | null> {
  const made = new Map<string, string | null>()
  for (const event of log)
    for (const { path, key } of changesIn(event))
      made.set(path, key === null ? null : textAt(all.tables, event, key))
  return made
}

/** A content on the thread of its event. */
export function textAt(
  { blobs }: Pick<MemoryRegister['tables'], 'blobs'>,
  { tenantId, threadId }: Pick<StoredEvent, 'tenantId' | 'threadId'>,
  key: string,
): string | null {
  const blob = blobs.get(`${tenantId}\u0000${threadId}\u0000${key}`)
  return blob ? Buffer.from(blob.bytes).toString() : null
}

/** What stands in the shared file of each conversation at its end. */
export async function sharedViolations(
  world: World,
  register: MemoryRegister,
  all: Families,
): Promise<readonly string[]> {
  if (!world.isLending) return []
  const bad: string[] = []
  for (const run of all.runs) {
    const events = heardEvents(all, run)
    const expected = sharedLines(all, events)
    const text = await sharedText(register, events)
    const lines = linesOf(text)
    if (text !== null && JSON.stringify(lines) !== JSON.stringify(expected))
      bad.push(
        `S3 ${run.head.runId} has the shared lines ${lines.join()} instead of ${expected.join()}`,
      )
  }
  return bad
}

async function sharedText(
  { tables }: MemoryRegister,
  events: readonly StoredEvent[],
): Promise<string | null> {
  const told = events.map((event) => ({
    at: `${event.runId}:${event.seq}`,
    changes: changesIn(event),
  }))
  const file = foldFiles(new Map(), told).get(sharedPath)
  if (!file) return null
  const bytes = await fileContent(file, async (key) => {
    const event = events.find((each) => textAt(tables, each, key) !== null)
    const text = event ? textAt(tables, event, key) : null
    return text === null ? null : Buffer.from(text)
  })
  return bytes && Buffer.from(bytes).toString()
}
