/**
 * Writing and deleting files of a thread by hand: each is an edit, a run that asks no model, so a file belongs to the conversation from
 * there on, a fork before it does not see it, and going back takes it back. Where the files stand in a directory, it is done there.
 */
import { createHash } from 'node:crypto'
import type { FileChange } from '@signalbox/core'
import { canonical, type RunHead } from '@signalbox/engine'
import type { ThreadView } from '@signalbox/postgres'
import { filePath } from '@signalbox/tools'
import { typeOf } from '../files/media-type.ts'
import { findFiles, inTheWay, whyFull } from '../files/thread-files.ts'
import { inputCheckpoint } from '../wires/langgraph/moments.ts'
import type { Api, Identified } from './api.ts'
import { readIdempotencyKey } from './create-run.ts'
import { enterEdit, waits } from './edit-thread.ts'
import { filesFull, pathTaken, refused, unknownFile } from './file-problems.ts'
import { unknownThread } from './find.ts'
import { Problem } from './problem.ts'
import { type FileBody, readFile, uploadFile } from './upload-files.ts'
import type { WrittenFile } from './wire/file-view.ts'

/** Which file, by whose request. */
export interface FilePlace {
  readonly threadId: string
  readonly path: string
  /** The Idempotency-Key header as it came. */
  readonly idempotencyKey: string | undefined
}

/** Writes a file whole. @throws Problem */
export async function writeFile(
  api: Api,
  caller: Identified,
  { place, brought }: { readonly place: FilePlace; readonly brought: FileBody },
): Promise<{ readonly file: WrittenFile; readonly created: boolean }> {
  const { tenantId } = caller
  const { threadId } = place
  const thread = await threadOf(api, caller, threadId)
  const good = goodPath(place.path)
  if (api.directories) return writeToDirectory(api, { tenantId, threadId, path: good }, brought)
  const { tree } = await findFiles(api.read, { tenantId, threadId, through: null })
  // A call may have given the file its name in another form: it is that file which is read at this path, and written.
  const path = tree.has(place.path) ? place.path : good
  const isRepeated = await isKnownKey(api, caller, place)
  const taken = isRepeated ? null : (kept(path) ?? inTheWay(tree, path))
  if (taken !== null) throw pathTaken(path, taken)
  const name = path.slice(path.lastIndexOf('/') + 1)
  const { headers, pieces } = brought
  const upload = await uploadFile(api, caller, { threadId, headers, pieces, name })
  try {
    const { key, bytes, mime, sha256 } = upload
    const full = isRepeated ? null : whyFull(tree, [{ path, bytes }])
    if (full !== null) throw filesFull(full)
    await api.resources.uploads.use(tenantId, threadId, [upload.id])
    const change = { path, key, bytes, mime }
    const head = await edit(api, caller, { thread, place, change })
    const edited = {
      run_id: head.runId,
      checkpoint_id: await inputCheckpoint(api.read, head),
    }
    const file = { path, mime, bytes, sha256, key, ...edited }
    return { file, created: !tree.has(path) }
  } finally {
    // It has become a file, or nothing; the sweep removes what stays.
    await api.resources.uploads
      .drop(tenantId, [upload.id])
      .catch((error: unknown) =>
        api.log.debug('an upload stays for its day', { error: String(error) }),
      )
  }
}

/** Deletes a file. @throws Problem */
export async function deleteFile(api: Api, caller: Identified, place: FilePlace): Promise<void> {
  const { tenantId } = caller
  const { threadId } = place
  const thread = await threadOf(api, caller, threadId)
  if (api.directories) {
    const removed = await api.directories.files({ tenantId, threadId }).remove(place.path)
    if (!removed.ok) throw refused(removed, place)
    return
  }
  const { tree } = await findFiles(api.read, { tenantId, threadId, through: null })
  // Asked once more, it is gone already.
  const isRepeated = await isKnownKey(api, caller, place)
  const path = isRepeated ? meantPath(place.path) : knownPath(tree, place)
  await edit(api, caller, { thread, place, change: { path, key: null, bytes: 0 } })
}

/** Was the request made before? Whether it is the same one, the create says. */
async function isKnownKey(
  api: Pick<Api, 'read'>,
  { tenantId }: Identified,
  { idempotencyKey }: Pick<FilePlace, 'idempotencyKey'>,
): Promise<boolean> {
  const key = readIdempotencyKey(idempotencyKey)
  return key !== null && (await api.read.run(tenantId, key)) !== null
}

/** Why nobody writes a file at this path by hand; null: somebody may. */
const kept = (path: string): string | null =>
  path === 'skills' || path.startsWith('skills/')
    ? '"skills/" is kept for what agents are given by their configuration.'
    : null

/** The path as the files have it: as it was given, or in NFC. @throws Problem `unknown_file`, `bad_file_name` */
export function knownPath(
  files: { readonly has: (path: string) => boolean },
  { threadId, path }: Pick<FilePlace, 'threadId' | 'path'>,
): string {
  const given = [path, path.normalize('NFC')].find((each) => files.has(each))
  if (given !== undefined) return given
  const good = goodPath(path)
  if (files.has(good)) return good
  throw unknownFile(threadId, good)
}

/** Which path a request means, whether or not there is such a file: one that calls made may have a name that users cannot give. */
function meantPath(given: string): string {
  const path = filePath(given)
  return path.ok ? path.value : given
}

function goodPath(given: string): string {
  const path = filePath(given)
  if (path.ok) return path.value
  throw new Problem('bad_file_name', { detail: `path: ${path.message}`, field: 'path' })
}

async function threadOf(
  api: Pick<Api, 'read'>,
  { tenantId }: Identified,
  threadId: string,
): Promise<ThreadView> {
  const thread = await api.read.thread(tenantId, threadId)
  if (thread) return thread
  throw unknownThread(threadId)
}

async function edit(
  api: Api,
  caller: Identified,
  {
    thread,
    place,
    change,
  }: { readonly thread: ThreadView; readonly place: FilePlace; readonly change: FileChange },
): Promise<RunHead> {
  const key = readIdempotencyKey(place.idempotencyKey)
  const { user } = caller
  const file = { ...change, path: meantPath(place.path) }
  const bodyHash = createHash('sha256')
    // The user is part of what a request means.
    .update(canonical({ threadId: place.threadId, file, ...(user ? { user: user.id } : {}) }))
    .digest('hex')
  const alias = key === null ? null : { key, bodyHash }
  const head = await enterEdit(api, caller, {
    thread,
    alias,
    change: { edit: { messages: [] }, files: [change] },
  })
  if (head.status !== 'ended') throw waits(head)
  return head
}

async function writeToDirectory(
  api: Pick<Api, 'directories'>,
  place: { readonly tenantId: string; readonly threadId: string; readonly path: string },
  brought: FileBody,
): Promise<{ readonly file: WrittenFile; readonly created: boolean }> {
  const bytes = await readFile(brought)
  const written = await api.directories?.files(place).write(place.path, bytes)
  if (!written) throw new Error('unreachable: the files stand in a directory')
  if (!written.ok) throw refused(written, place)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const about = { mime: typeOf(bytes), bytes: bytes.length, sha256 }
  const file = { path: place.path, ...about, key: null, run_id: null, checkpoint_id: null }
  return { file, created: written.value.created }
}
