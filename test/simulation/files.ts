/**
 * Files in the simulation: in some seeds clients give files to runs, take them away by hand, and tools change the files of their threads and
 * look at what is there. A content says who made it, so the log alone tells what a call must find (I26), whatever the engine's own fold makes of it:
 *
 * K1 A call finds what the runs before it on its thread were given and what their calls left, but for what was rolled back; of its own run, what
 *    had come back when it looked, and perhaps what came back meanwhile.
 * K2 What a call changed is named by its result, and by nothing else: an attempt that was lost, broken off or failed changed nothing.
 *    A command of `bash` takes all files, and hands back what became of all of them: new ones, changed ones, and those that are gone.
 * K3 Each content that an event names is there, in its own thread or in one that this goes on from.
 */
import { createHash } from 'node:crypto'
import { FileChanges } from '@signalbox/core'
import {
  fileContent,
  type FileDraft,
  type Register,
  type RunHead,
  type StoredEvent,
  type ToolRequest,
} from '@signalbox/engine'
import type { MemoryRegister } from '@signalbox/testing/memory'
import { isEnd, type RunRecord } from '../invariants/run-record.ts'
import { seeded } from './seeded.ts'
import {
  emptyShared,
  type Families,
  heardEvents,
  linesOf,
  sharedLines,
  sharedPath,
  textAt,
} from './subagents.ts'
import type { World } from './world.ts'

/** How many seeds have files, and in how many of them somebody changes some by hand. */
const filing = 0.12
const byHand = 0.4

/** Drawn by itself, so that the other seeds are played as before. By hand: the second run of the client asks no model, and changes files. */
export function filingOf(seed: number): Pick<World, 'isFiling' | 'isByHand'> {
  const unit = seeded(seed * 47 + 11)
  const isFiling = unit() < filing
  return { isFiling, isByHand: isFiling && unit() < byHand }
}

/** In how many seeds with files some commands are executed over all of them. */
const commanding = 0.6

/** Drawn by itself, as files are. */
export const isCommanding = (seed: number): boolean =>
  filingOf(seed).isFiling && seeded(seed * 53 + 29)() < commanding

/** The files that a call found. */
export interface Look {
  readonly effectId: string
  readonly runId: string
  /** Events that were written when it began to look, and when it had the names. */
  readonly began: number
  readonly ended: number
  /** The contents, by path; null for one that could not be read. */
  readonly found: ReadonlyMap<string, string | null>
}

/** The change that one event makes to a path: the new content, or null for none. */
interface Change {
  readonly path: string
  readonly text: string | null
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The contents that clients give, by their keys. */
const givenTexts: ReadonlyMap<string, string> = new Map(
  [0, 1, 2].map((n) => `given ${n}`).map((text) => [digest(text), text]),
)

/** The files that the `n`th run of the client is given; a run by hand also takes away what the first was given. Contents are there before. */
export async function filesFor(
  register: Pick<Register, 'putBlob'>,
  thread: { readonly tenantId: string; readonly threadId: string },
  { n, isShared }: { readonly n: number; readonly isShared: boolean },
): Promise<FileChanges> {
  const put = async (path: string, text: string) => {
    const bytes = Buffer.from(text)
    const key = digest(text)
    await register.putBlob(thread, { key, mime: 'text/plain', bytes })
    return { path, key, bytes: bytes.length, mime: 'text/plain' }
  }
  const given = [
    await put(`uploads/${n}`, `given ${n}`),
    ...(isShared ? [await put(sharedPath, emptyShared)] : []),
  ]
  return n === 1 ? [{ path: 'uploads/0', key: null, bytes: 0 }, ...given] : given
}

/** The changes that an attempt of a call makes, if it comes back. */
function changesOf({
  tool,
  effectId,
  attempt,
  args,
}: Pick<World['executions'][number], 'tool' | 'effectId' | 'attempt' | 'args'>): readonly Change[] {
  const by = (path: string): Change => ({ path, text: `${effectId} ${attempt} ${path}` })
  if (tool === 'put') return [by(`work/${JSON.stringify(args['n'])}`)]
  if (tool === 'pay') return [by('outputs/paid'), { path: 'work/0', text: null }]
  if (tool === 'bash')
    return [
      by('work/0'),
      by(`outputs/${JSON.stringify(args['n'])}`),
      { path: 'work/1', text: null },
      { path: 'uploads/0', text: null },
    ]
  return []
}

/** The same, as the tool tells it. */
export const draftsOf = (execution: Parameters<typeof changesOf>[0]): readonly FileDraft[] =>
  changesOf(execution).map(({ path, text }) => ({
    path,
    bytes: text === null ? null : Buffer.from(text),
    executable: false,
  }))

/** Looks at all files that a call finds. */
export async function look(
  world: World,
  { tables }: MemoryRegister,
  { files, idempotencyKey: effectId, runId }: ToolRequest,
): Promise<void> {
  if (!files) return
  const began = tables.written
  const tree = await files.tree()
  const ended = tables.written
  const found = new Map<string, string | null>()
  for (const [path, file] of tree) {
    if (file.edits.length > 0 && path !== sharedPath)
      world.complaints.push(`K1 ${effectId} found edits of ${path}`)
    const bytes = await fileContent(file, files.read)
    found.set(path, bytes && Buffer.from(bytes).toString())
  }
  world.looks.push({ effectId, runId, began, ended, found })
}

export function fileViolations(
  world: World,
  register: MemoryRegister,
  runs: readonly RunRecord[],
): readonly string[] {
  const { tables } = register
  const all = familiesOf(register, runs)
  return [
    ...world.looks.flatMap((each) => lookViolations(world, all, each)),
    ...runs.flatMap((run) => [
      ...resultViolations(world, run),
      ...blobViolations(tables, run),
      ...commandViolations(run),
    ]),
  ]
}

/** What the checks of files that runs share are told. */
export const familiesOf = ({ tables }: MemoryRegister, runs: readonly RunRecord[]): Families => ({
  tables,
  runs,
  heardBy: (run) => heardBy(runs, run),
})

/** The runs whose files a run finds, in order: by the places and the ends that the log tells. */
function heardBy(runs: readonly RunRecord[], { head }: RunRecord): readonly RunRecord[] {
  const { threadId, place } = head
  return runs
    .filter((each) => each.head.threadId === threadId && each.head.place !== null)
    .filter((each) => each.head === head || (each.head.place ?? 0) < (place ?? 0))
    .filter((each) => each.head === head || each.log.find(isEnd)?.verdict !== 'rolled_back')
    .toSorted((a, b) => (a.head.place ?? 0) - (b.head.place ?? 0))
}

function lookViolations(world: World, all: Families, seen: Look): readonly string[] {
  const { effectId, runId, began, ended, found } = seen
  const run = all.runs.find(({ head }) => head.runId === runId)
  if (!run) return []
  const events = heardEvents(all, run)
  const sure = new Map<string, string | null>()
  /** The contents that may have been found besides, by path. */
  const maybe = new Map<string, Set<string | null>>()
  for (const event of events)
    for (const { path, text } of saidIn(world, all.tables, event)) {
      const at = Number(event.position)
      if (at <= began) sure.set(path, text)
      else if (at <= ended) maybe.set(path, new Set([...(maybe.get(path) ?? []), text]))
    }
  const paths = new Set([...sure.keys(), ...maybe.keys(), ...found.keys()])
  paths.delete(sharedPath)
  const bad = [...paths].flatMap((path) => {
    const is = found.has(path) ? (found.get(path) ?? 'what cannot be read') : null
    const expected = sure.get(path) ?? null
    return is === expected || maybe.get(path)?.has(is)
      ? []
      : [
          `K1 ${effectId} of ${runId} found ${is ?? 'nothing'} at ${path} instead of ${expected ?? 'nothing'}`,
        ]
  })
  return [...bad, ...sharedLookViolations(all, events, seen)]
}

/** In the shared file stood what had been edited when somebody looked, or meanwhile. */
function sharedLookViolations(
  all: Families,
  events: readonly StoredEvent[],
  { effectId, began, ended, found }: Look,
): readonly string[] {
  if (!found.has(sharedPath)) return []
  const at = (position: number): string =>
    sharedLines(
      all,
      events.filter((event) => Number(event.position) <= position),
    ).join()
  const positions = events.map(({ position }) => Number(position))
  const may = [began, ...positions.filter((position) => position > began && position <= ended)]
  const lines = linesOf(found.get(sharedPath) ?? null).join()
  return may.some((position) => at(position) === lines)
    ? []
    : [`S3 ${effectId} found the shared lines ${lines} instead of ${at(began)}`]
}

/** The changes of files that an event records: for given files as it says itself, for a result those that its attempt made. */
function saidIn(
  world: World,
  tables: MemoryRegister['tables'],
  event: StoredEvent,
): readonly Change[] {
  const { type, payload } = event
  const said = FileChanges.safeParse(payload['files']).data
  if (said === undefined || !Array.isArray(said)) return []
  if (type === 'child.ended')
    return said.map(({ path, key }) => ({
      path,
      text: key === null ? null : (textAt(tables, event, key) ?? 'what is not there'),
    }))
  if (type === 'run.created')
    return said.map(({ path, key }) => ({
      path,
      text: key === null ? null : (givenTexts.get(key) ?? 'what nobody gave'),
    }))
  const { effectId, attempt } = payload
  const execution = world.executions.find(
    (each) => each.effectId === effectId && each.attempt === attempt,
  )
  return execution ? changesOf(execution) : []
}

/** Nothing of a command leaves its sandbox but its result, and a cancel ends all of it: what became of it is never unknown. */
const commandViolations = ({ head: { runId }, log }: RunRecord): readonly string[] =>
  log
    .filter(({ type, tool }) => type === 'tool.unknown' && tool === 'bash')
    .map(({ seq }) => `B3 a command of ${runId} is unknown at ${seq}`)

/** A result names what its attempt changed, path by path; nothing else of a run names files. */
function resultViolations(world: World, { head: { runId }, log }: RunRecord): readonly string[] {
  return log.flatMap((event) => {
    const said = FileChanges.safeParse(event.payload['files']).data
    const isRecalled = 'recalled' in event.payload
    if (event.type === 'run.created' || isRecalled) return []
    // What is taken over is another matter (S2).
    if (event.type === 'child.ended') return []
    if (event.type !== 'tool.completed')
      return said === undefined ? [] : [`K2 ${event.type} of ${runId} names files`]
    if (!world.isFiling) return said === undefined ? [] : [`K2 a result of ${runId} names files`]
    const expected = saidOf(world, event)
    const all = said === undefined || !Array.isArray(said) ? [] : said
    const named = all.filter(({ path }) => path !== sharedPath)
    const paths = named.map(({ path, key }) => `${path} ${key === null ? 'gone' : 'there'}`)
    return JSON.stringify(paths) === JSON.stringify(expected)
      ? []
      : [
          `K2 a result of ${runId} at ${event.seq} names ${paths.join()} instead of ${expected.join()}`,
        ]
  })
}

const saidOf = (world: World, { payload }: StoredEvent): readonly string[] =>
  world.executions
    .filter(
      ({ effectId, attempt }) => effectId === payload['effectId'] && attempt === payload['attempt'],
    )
    .flatMap(changesOf)
    .map(({ path, text }) => `${path} ${text === null ? 'gone' : 'there'}`)

function blobViolations(
  tables: MemoryRegister['tables'],
  { head: { runId }, log }: RunRecord,
): readonly string[] {
  const readable = threadsOf(tables, tables.runs.get(runId))
  const isThere = (key: string): boolean =>
    readable.some((thread) => tables.blobs.has(`${thread}\u0000${key}`))
  return log.flatMap(({ payload, seq }) => {
    const said = FileChanges.safeParse(payload['files']).data
    if (said === undefined || !Array.isArray(said)) return []
    return said
      .filter(({ key }) => key !== null && !isThere(key))
      .map(({ path }) => `K3 the content of ${path} of ${runId} at ${seq} is not there`)
  })
}

/** The threads whose contents a run may read: its own, and those that it goes on from. */
export function threadsOf(
  { runs, threads }: Pick<MemoryRegister['tables'], 'runs' | 'threads'>,
  run: Pick<RunHead, 'tenantId' | 'threadId'> | undefined,
): readonly string[] {
  if (!run) return []
  const thread = `${run.tenantId}\u0000${run.threadId}`
  const origin = threads.get(thread)?.origin
  const before = origin ? runs.get(origin.runId) : undefined
  return [thread, ...threadsOf({ runs, threads }, before)]
}
