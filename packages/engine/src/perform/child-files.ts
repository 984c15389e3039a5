/**
 * The files that a run which was started has changed, for the run that started it: taken over, or told of.
 *
 * M1 One change per file (`netChanges`). An edit is made again in what the parent has by now, and stands in the event as an edit of that state: so
 *    what comes between this and the event is folded as changes of calls beside each other are. Of writes, the later event wins.
 * M2 Contents are on the parent's thread before the event that names them. Without the event they say nothing, and a second attempt finds them.
 * M3 Whatever met changes of others is told, file by file: the edits that fit, and those that do not.
 */
import {
  type FileChange,
  type FileChanges,
  type FileTree,
  foldFiles,
  limits,
  type NetChange,
  netChanges,
  type TreeFile,
} from '@signalbox/core'
import type { Register, StoredEvent, ThreadRef } from '../ports.ts'
import { carryBlobs } from './carry.ts'
import { type Met, toldOf, type ToldChange } from './child-words.ts'
import type { Content } from './content.ts'
import { fileContent } from './file-content.ts'
import { binary, fileEvents, json, keysOf, listed, readBlob, threadsOf } from './files.ts'
import { heardFiles } from './heard-files.ts'
import { joinEdits, reapply } from './text-edit.ts'

export interface ChildFilesDeps {
  readonly register: Pick<Register, 'changedFiles' | 'blob' | 'putBlob'>
  readonly content: Pick<Content, 'store'>
}

/** A run, and its thread. */
interface RunPlace extends ThreadRef {
  readonly runId: string
}

/** The run that has ended, and the one that started it. */
export interface ChildFilesTask {
  readonly child: RunPlace
  readonly parent: RunPlace
}

/** The files of a run as they are, and how to read them. */
interface Held {
  readonly events: readonly StoredEvent[]
  readonly tree: FileTree
  readonly read: (key: string) => Promise<Uint8Array | null>
}

/** The changes that an event can take over, or why it cannot. */
export interface TakenFiles {
  readonly files: FileChanges | null
  /** The newest event of the parent about files that they were made to fit. */
  readonly filesSeen: number
  readonly told: readonly ToldChange[]
  /** Nothing is taken over, because of this. */
  readonly refused: string | null
}

/** What the child has changed, without taking anything over. */
export async function changesOf(
  { register }: Pick<ChildFilesDeps, 'register'>,
  child: RunPlace,
): Promise<readonly ToldChange[]> {
  const { net } = await netOf(register, child)
  return net.map((change) => toldOf(change, null))
}

/** Makes the changes of the child fit what its parent has, and stores their contents on the thread of that. */
export async function takeFiles(
  deps: ChildFilesDeps,
  { child, parent }: ChildFilesTask,
): Promise<TakenFiles> {
  const { net, read } = await netOf(deps.register, child)
  if (net.length === 0) return { files: null, filesSeen: 0, told: [], refused: null }
  const above = await held(deps.register, parent)
  const filesSeen = Math.max(
    0,
    ...above.events.filter(({ runId }) => runId === parent.runId).map(({ seq }) => seq),
  )
  const fitted: Fitted[] = []
  for (const change of net) {
    const one = await fit(deps.content, { change, read, above, thread: parent })
    if (one) fitted.push(one)
  }
  const told = fitted.map((one) => one.told)
  const list = fitted.map((one) => one.change)
  const refused = whyRefused(above.tree, list)
  if (refused !== null || list.length === 0) return { files: null, filesSeen, told, refused }
  const keys = list.flatMap((change) => keysOf([change]))
  await carryBlobs({ register: deps.register, from: child, to: parent }, keys)
  const files = await listed(deps.content, parent, list)
  return { files, filesSeen, told, refused: null }
}

async function held(
  register: Pick<Register, 'changedFiles' | 'blob'>,
  { tenantId, threadId, runId }: RunPlace,
): Promise<Held> {
  const events = await heardFiles(register, { threadId, runId })
  const where = { tenantId, threadIds: [threadId, ...threadsOf(events)] }
  const read = (key: string) => readBlob(register, where, key)
  return { events, read, tree: foldFiles(new Map(), await fileEvents(events, read)) }
}

/** The changes that a run has made itself, each file once. */
async function netOf(
  register: Pick<Register, 'changedFiles' | 'blob'>,
  child: RunPlace,
): Promise<{ readonly net: readonly NetChange[]; readonly read: Held['read'] }> {
  const { events, read } = await held(register, child)
  const said = await fileEvents(events, read)
  const isOwn = (n: number): boolean => events[n]?.runId === child.runId
  const base = foldFiles(
    new Map(),
    said.filter((_, n) => !isOwn(n)),
  )
  return {
    read,
    net: netChanges(
      base,
      said.filter((_, n) => isOwn(n)),
    ),
  }
}

/** A change of the child as its parent takes it over. */
interface Fitted {
  readonly change: FileChange
  readonly told: ToldChange
}

interface Fitting {
  readonly change: NetChange
  /** Reads what the child has. */
  readonly read: Held['read']
  readonly above: Held
  readonly thread: ThreadRef
}

/** Null: there is nothing to do, since the file is gone already. */
async function fit(content: Pick<Content, 'store'>, fitting: Fitting): Promise<Fitted | null> {
  const { change, above } = fitting
  const { path, file, before } = change
  const now = above.tree.get(path) ?? null
  const isSame = (now?.state ?? null) === (before?.state ?? null)
  if (!file) {
    if (!now) return null
    const gone = { path, key: null, bytes: 0 }
    return { change: gone, told: toldOf(change, isSame ? null : 'changed') }
  }
  const left = await leftBy(content, fitting, file)
  if (isSame) return { change: await edited(content, fitting, left), told: toldOf(change, null) }
  if (!now) return { change: left, told: toldOf(change, 'deleted') }
  const merged = await mergedWith(content, fitting, now)
  if (merged) return { change: merged, told: toldOf(change, 'merged') }
  const met: Met = change.edits ? 'misfit' : 'overwritten'
  return { change: left, told: toldOf(change, met) }
}

/** The file as the child left it, as if it was written. Edits that wait to be made are made. */
async function leftBy(
  content: Pick<Content, 'store'>,
  { change: { path }, read, thread }: Fitting,
  { key, bytes, executable, edits }: TreeFile,
): Promise<FileChange> {
  const written = { path, ...(executable ? { executable } : {}) }
  const made = edits.length === 0 ? null : await fileContent({ key, edits }, read)
  if (!made) return { ...written, key, bytes }
  return { ...written, ...(await stored(content, thread, made)) }
}

/** The same as an edit of the state that the child found. */
async function edited(
  content: Pick<Content, 'store'>,
  fitting: Fitting,
  left: FileChange,
): Promise<FileChange> {
  const { before } = fitting.change
  const joined = await editsOf(fitting)
  if (!joined || !before) return left
  const [key = ''] = await content.store(fitting.thread, [{ mime: json, bytes: joined }])
  return { ...left, edit: { key, since: before.state } }
}

/** The edits of the child, made again in what its parent has by now. Null: it has written the file, or one of them does not fit. */
async function mergedWith(
  content: Pick<Content, 'store'>,
  fitting: Fitting,
  now: TreeFile,
): Promise<FileChange | null> {
  const { change, above, thread } = fitting
  const joined = await editsOf(fitting)
  const there = joined && (await fileContent(now, above.read))
  const bytes = joined && there ? reapply(there, joined) : null
  if (!joined || !bytes || bytes.length > limits.toolResultBytesMax) return null
  const [key = ''] = await content.store(thread, [{ mime: json, bytes: joined }])
  return {
    path: change.path,
    ...(await stored(content, thread, bytes)),
    ...(now.executable ? { executable: true } : {}),
    edit: { key, since: now.state },
  }
}

/** All edits of the file as one list. Null: it was written, or one of them was erased. */
async function editsOf({ change, read }: Fitting): Promise<Uint8Array | null> {
  if (!change.edits) return null
  const lists: Uint8Array[] = []
  for (const key of change.edits) {
    const list = await read(key)
    if (!list) return null
    lists.push(list)
  }
  return joinEdits(lists)
}

async function stored(content: Pick<Content, 'store'>, thread: ThreadRef, bytes: Uint8Array) {
  const [key = ''] = await content.store(thread, [{ mime: binary, bytes }])
  return { key, bytes: bytes.length }
}

/** Why a run cannot take these changes over; null if it can. */
function whyRefused(tree: FileTree, list: readonly FileChange[]): string | null {
  if (list.length > limits.filesPerCallMax)
    return `it changed more than ${limits.filesPerCallMax} files`
  const sizes = new Map([...tree].map(([path, { bytes }]) => [path, bytes]))
  for (const { path, key, bytes } of list)
    if (key === null) sizes.delete(path)
    else sizes.set(path, bytes)
  const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0)
  return sizes.size > limits.filesMax || bytes > limits.filesBytesMax
    ? `there would be more than ${limits.filesMax} files, or more than ${limits.filesBytesMax} bytes`
    : null
}
