/**
 * The files of a thread as the API shows them: the fold of what its conversation says, at its end or at a moment of it.
 *
 * F1 One round trip says what there is, and one more for each run above whose files the thread begins with; contents are read blob by blob, and
 *    only those that are shown.
 * F2 What belongs to another tenant is not there (I19): every read is of the caller's tenant.
 */
import { type FileTree, foldFiles, limits, type TreeFile } from '@signalbox/core'
import { beginningOf, fileContent, fileEvents } from '@signalbox/engine'
import type { FileFact, FilesThrough, ThreadFiles } from '@signalbox/postgres'
import type { ReadModel } from '../read-model.ts'

/** The part of the read model that files are read from. */
export type FileReads = Pick<ReadModel, 'threadFiles' | 'blob' | 'digests'>

/** Whose files, and up to which moment. Null: to the end of the conversation. */
export interface FilesPlace {
  readonly tenantId: string
  readonly threadId: string
  readonly through: FilesThrough | null
}

/** The files, and what is known of them. */
export interface FoundFiles {
  readonly isThere: boolean
  readonly isHeard: boolean
  readonly tree: FileTree
  /** In the order in which they were said. */
  readonly facts: readonly FileFact[]
  /** The content of a file of this tree; null if it was erased. */
  readonly content: (file: Pick<TreeFile, 'key' | 'edits'>) => Promise<Uint8Array | null>
  /** The digests of contents, by key, hex. Of what was erased there is none. */
  readonly digests: (keys: readonly string[]) => Promise<ReadonlyMap<string, string>>
  /** The files before a run changed any: those of what was said by others. */
  readonly before: (runId: string) => Promise<FileTree>
  /** The changes of files that a run made, each change of each file, in order. */
  readonly changes: (runId: string) => Promise<readonly OwnChange[]>
}

/** A change of a file by a run. */
export interface OwnChange {
  readonly path: string
  readonly seq: number
  readonly callId: string | null
}

/** Reads what the conversation says. */
export async function findFiles(read: FileReads, place: FilesPlace): Promise<FoundFiles> {
  const { tenantId, threadId } = place
  const { isThere, isHeard, facts } = await heardFacts(read, place)
  const threads = [...new Set([threadId, ...facts.map((fact) => fact.threadId)])]
  const blob = (key: string) => read.blob(tenantId, threads, key)
  const fold = async (said: readonly FileFact[]): Promise<FileTree> =>
    foldFiles(new Map(), await fileEvents(said.map(eventOf), blob))
  return {
    isThere,
    isHeard,
    tree: await fold(facts),
    facts,
    content: (file) => fileContent(file, blob),
    digests: async (keys) => {
      const made = keys.length === 0 ? [] : await read.digests(tenantId, threads, keys)
      return new Map(made.map(({ key, sha256 }) => [key, sha256]))
    },
    before: (runId) => fold(facts.filter((fact) => fact.runId !== runId)),
    changes: async (runId) => {
      const own = facts.filter((fact) => fact.runId === runId)
      const said = await fileEvents(own.map(eventOf), blob)
      return own.flatMap(({ seq, callId }, n) =>
        (said[n]?.changes ?? []).map(({ path }) => ({ path, seq, callId })),
      )
    },
  }
}

/** The facts of a conversation, behind those of the one with whose files it begins. Of a thread that is deleted for its users nothing is there. */
async function heardFacts(
  read: Pick<FileReads, 'threadFiles'>,
  { tenantId, threadId, through }: FilesPlace,
): Promise<ThreadFiles> {
  const { facts, ...found } = await read.threadFiles(tenantId, threadId, through)
  const whole: FileFact[] = []
  for (const fact of facts) {
    const from = beginningOf({ type: 'run.created', payload: { filesFrom: fact.filesFrom } })
    if (from) {
      const { threadId: other, runId, through: seq = 0 } = from
      const lent = await heardFacts(read, { tenantId, threadId: other, through: { runId, seq } })
      if (lent.isThere) whole.push(...lent.facts)
    }
    whole.push(fact)
  }
  return { ...found, facts: whole }
}

const eventOf = ({ runId, seq, files }: FileFact) => ({ runId, seq, payload: { files } })

/** The name of the event that changed a file last, as the fold keeps it. */
export const changeName = ({ runId, seq }: Pick<FileFact, 'runId' | 'seq'>): string =>
  `${runId}:${seq}`

/** Why a tree cannot take these files; null if it can. A path that it has already is replaced. */
export function whyFull(
  tree: FileTree,
  added: readonly { readonly path: string; readonly bytes: number }[],
): string | null {
  const sizes = new Map([...tree].map(([path, { bytes }]) => [path, bytes]))
  for (const { path, bytes } of added) sizes.set(path, bytes)
  const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0)
  if (sizes.size <= limits.filesMax && bytes <= limits.filesBytesMax) return null
  return `A thread holds at most ${limits.filesMax} files and ${limits.filesBytesMax} bytes. Delete some.`
}

/** The reason why no file can have this path: there is a file above it, or files below it. Null: there is none. */
export function inTheWay(tree: FileTree, path: string): string | null {
  const names = path.split('/')
  for (let length = 1; length < names.length; length += 1) {
    const above = names.slice(0, length).join('/')
    if (tree.has(above)) return `"${above}" is a file.`
  }
  const below = `${path}/`
  return [...tree.keys()].some((each) => each.startsWith(below))
    ? `"${path}" is a directory.`
    : null
}
