/**
 * The files of threads, kept as their messages are: what a call changed, or a run was given, stands in its event, contents in blobs, and what a
 * call finds is the fold of its run's lineage. The engine knows no path's meaning.
 *
 * F1 Blobs are stored before the event that names them; without the event they say nothing.
 * F2 A call is all or nothing: what it changed exists with its `tool.completed`, so an attempt that was lost, failed or was
 *    cut changed nothing, and the next one finds what it found.
 * F3 A blob that was erased reads as gone; an erased event changed nothing.
 * F4 Of another thread a run reads no content but those of the files that it has from there.
 */
import {
  type FileChange,
  FileChanges,
  type FileEvent,
  FileManifest,
  type FileTree,
  foldFiles,
  limits,
} from '@signalbox/core'
import type { CallFiles, EffectRow, FileDraft, Register, StoredEvent, ThreadRef } from '../ports.ts'
import type { Content } from './content.ts'
import { heardFiles } from './heard-files.ts'

export interface Files {
  /** The files as a call of this run finds them. Nothing is read before they are asked for. */
  of(row: Pick<EffectRow, 'tenantId' | 'threadId' | 'runId'>): CallFiles
  /** Stores what a call changed, and answers what its event says of it. `refused`: more than a call may change. */
  keep(thread: ThreadRef, drafts: readonly FileDraft[]): Promise<Kept>
}

export type Kept =
  | { readonly code: 'ok'; readonly files: FileChanges | null }
  | { readonly code: 'refused'; readonly message: string }

export function createFiles(deps: {
  readonly register: Pick<Register, 'changedFiles' | 'blob'>
  readonly content: Pick<Content, 'store'>
}): Files {
  const { register, content } = deps
  return {
    of: ({ tenantId, threadId, runId }) => {
      /** Where the contents of files stand that the run has from another one, by their keys. */
      let lent: ReadonlyMap<string, string> = new Map()
      return {
        read: (key) => readBlob(register, { tenantId, threadIds: [threadId, lent.get(key)] }, key),
        tree: async (): Promise<FileTree> => {
          const events = await heardFiles(register, { threadId, runId })
          const threadIds = [threadId, ...threadsOf(events)]
          const said = await fileEvents(events, (key) =>
            readBlob(register, { tenantId, threadIds }, key),
          )
          lent = new Map(
            said.flatMap(({ changes: list }, n) =>
              keysOf(list).map((key) => [key, events[n]?.threadId ?? threadId]),
            ),
          )
          return foldFiles(new Map(), said)
        },
      }
    },
    keep: async (thread, drafts) => {
      const message = excess(drafts)
      if (message !== null) return { code: 'refused', message }
      return { code: 'ok', files: await keep(content, thread, drafts) }
    },
  }
}

/** The threads on which the contents stand that events name. */
export const threadsOf = (events: readonly StoredEvent[]): readonly string[] => [
  ...new Set(events.map(({ threadId }) => threadId)),
]

/** The keys of all blobs that changes name. */
export const keysOf = (list: readonly FileChange[]): readonly string[] =>
  list.flatMap(({ key, edit }) => [...(key === null ? [] : [key]), ...(edit ? [edit.key] : [])])

/** A blob of the first of these threads that has it; null if none has, or it was erased. */
export async function readBlob(
  register: Pick<Register, 'blob'>,
  where: { readonly tenantId: string; readonly threadIds: readonly (string | undefined)[] },
  key: string,
): Promise<Uint8Array | null> {
  const { tenantId } = where
  for (const threadId of new Set(where.threadIds)) {
    const found = threadId === undefined ? null : await register.blob({ tenantId, threadId }, key)
    if (found) return found.bytes
  }
  return null
}

/** The changes of files that events record, in the same order: those of calls, and those of runs that were given some. */
export const fileEvents = (
  events: readonly Told[],
  read: CallFiles['read'],
): Promise<readonly FileEvent[]> => Promise.all(events.map((event) => changes(event, read)))

type Told = Pick<StoredEvent, 'runId' | 'seq' | 'payload'>

/** A list that was erased says nothing any more. */
async function changes(event: Told, read: CallFiles['read']): Promise<FileEvent> {
  const at = `${event.runId}:${event.seq}`
  const said = FileChanges.safeParse(event.payload['files'])
  if (!said.success) return { at, changes: [] }
  if (Array.isArray(said.data)) return { at, changes: said.data }
  const list = await read(said.data.manifest)
  const text = list ? Buffer.from(list).toString('utf8') : '[]'
  return { at, changes: FileManifest.parse(JSON.parse(text)) }
}

function excess(drafts: readonly FileDraft[]): string | null {
  const bytes = drafts.reduce((sum, draft) => sum + (draft.bytes?.length ?? 0), 0)
  if (drafts.length > limits.filesPerCallMax)
    return `The call changed more than ${limits.filesPerCallMax} files; none of it was kept.`
  if (bytes > limits.filesPerCallBytesMax)
    return `The call wrote more than ${limits.filesPerCallBytesMax} bytes; none of it was kept.`
  const bad = drafts.some(
    ({ path, bytes: file }) =>
      path.length > limits.filePathCharsMax || (file?.length ?? 0) > limits.toolResultBytesMax,
  )
  return bad ? 'The call changed a file that is too large, or has too long a path.' : null
}

/** The media types of stored contents, and of stored edits and lists. */
export const binary = 'application/octet-stream'
export const json = 'application/json'

async function keep(
  content: Pick<Content, 'store'>,
  thread: ThreadRef,
  drafts: readonly FileDraft[],
): Promise<FileChanges | null> {
  if (drafts.length === 0) return null
  const blobs = drafts.flatMap(({ bytes, edit }) => [
    ...(bytes ? [{ mime: binary, bytes }] : []),
    ...(edit ? [{ mime: json, bytes: edit.bytes }] : []),
  ])
  const keys = (await content.store(thread, blobs)).values()
  const next = (): string => keys.next().value ?? ''
  const list = drafts.map(({ path, bytes, executable, edit }): FileChange => {
    const key = bytes ? next() : null
    return {
      path,
      key,
      bytes: bytes?.length ?? 0,
      ...(executable ? { executable } : {}),
      ...(edit ? { edit: { key: next(), since: edit.since } } : {}),
    }
  })
  return listed(content, thread, list)
}

/** The changes as an event says them: of many, the blob that lists them. */
export async function listed(
  content: Pick<Content, 'store'>,
  thread: ThreadRef,
  list: FileChange[],
): Promise<FileChanges> {
  if (list.length <= limits.inlineFilesMax) return list
  const bytes = Buffer.from(JSON.stringify(list))
  const [manifest = ''] = await content.store(thread, [{ mime: json, bytes }])
  return { manifest, count: list.length }
}
