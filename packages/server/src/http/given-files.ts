/**
 * The files that a run is given: uploads of its thread, which become files of the conversation with the event of the run.
 *
 * G1 Contents are blobs of the thread before the event that names them.
 * G2 A name that is taken gets a number: by a file that the conversation has, or by one that a run brings which waits.
 * G3 What waiting runs bring needs its room as well: it is not looked at again when their turn comes.
 */
import { type FileChange, limits } from '@signalbox/core'
import type { Caller, Moment } from '@signalbox/engine'
import type { StoredUpload } from '@signalbox/postgres'
import { freeName, nameKey } from '@signalbox/tools'
import { findFiles, inTheWay, whyFull } from '../files/thread-files.ts'
import type { Api } from './api.ts'
import { filesFull, notRecorded, pathTaken } from './file-problems.ts'
import { markImages } from './given-images.ts'
import { Problem } from './problem.ts'

/** Where users' files go. */
const uploadsFolder = 'uploads/'
const field = 'input.files'

/** Which uploads a run names, and where it stands. */
export interface NamedUploads {
  readonly threadId: string
  /** The moment that the run goes on from; null: the end of its thread. */
  readonly base: Moment | null
  readonly uploadIds: readonly string[]
  /** The idempotency key that names the run, if the request has one. */
  readonly key: string | null
  /** Does the text of a short one stand in its message? See `uploads.inline`. */
  readonly isInline: boolean
  /** Is the model shown images? */
  readonly seesImages: boolean
}

/** The files, in the order in which they were named. @throws Problem */
export async function givenFiles(
  api: Pick<Api, 'read' | 'resources' | 'directories'>,
  { tenantId }: Caller,
  { threadId, base, uploadIds, key, isInline, seesImages }: NamedUploads,
): Promise<readonly FileChange[]> {
  if (uploadIds.length === 0) return []
  if (api.directories) throw notRecorded(field)
  const used = await api.resources.uploads.use(tenantId, threadId, uploadIds)
  const byId = new Map(used.map((upload) => [upload.id, upload]))
  const missing = uploadIds.find((id) => !byId.has(id))
  if (missing !== undefined) {
    // A request that is repeated a day later means the run that it made: the register finds it, whatever it is given.
    if (key !== null && (await api.read.run(tenantId, key))) return []
    throw new Problem('unknown_upload', {
      detail: `${field}: the thread ${threadId} has no upload "${missing}"`,
      field,
    })
  }
  const { tree } = await findFiles(api.read, { tenantId, threadId, through: base })
  const waiting = await api.read.waitingFiles(tenantId, threadId)
  const files = placed(
    uploadIds.flatMap((id) => byId.get(id) ?? []),
    [...tree.keys(), ...waiting.map(({ path }) => path)],
  )
  const [first] = files
  const taken = first ? inTheWay(tree, first.path) : null
  if (first && taken !== null) throw pathTaken(first.path, taken, field)
  const full = whyFull(tree, [...waiting, ...files])
  if (full !== null) throw filesFull(full)
  const place = { tenantId, threadId }
  if (isInline && first && files.length === 1 && isText(first))
    return [await withText(api, place, first)]
  return seesImages ? markImages(api.read, place, files) : files
}

/** The most bytes that so many characters have as UTF-8. */
const inlineBytesMax = 3 * limits.inlineUploadCharsMax

const isText = ({ mime }: FileChange): boolean => mime?.startsWith('text/plain') === true

/** The file with the text that stands in it, if that is short. */
async function withText(
  { read }: Pick<Api, 'read'>,
  { tenantId, threadId }: Pick<Caller, 'tenantId'> & { readonly threadId: string },
  file: FileChange,
): Promise<FileChange> {
  if (file.key === null || file.bytes > inlineBytesMax) return file
  const bytes = await read.blob(tenantId, [threadId], file.key)
  const text = bytes ? new TextDecoder('utf-8', { ignoreBOM: false }).decode(bytes) : ''
  return text === '' || text.length > limits.inlineUploadCharsMax ? file : { ...file, text }
}

function placed(uploads: readonly StoredUpload[], known: readonly string[]): readonly FileChange[] {
  // A directory of the name is in the way as well.
  const names = known
    .filter((path) => path.startsWith(uploadsFolder))
    .map((path) => path.slice(uploadsFolder.length).split('/')[0] ?? '')
  const taken = new Set(names.map(nameKey))
  return uploads.map(({ name, key, bytes, mime }) => {
    const free = freeName(name, (named) => taken.has(named))
    taken.add(nameKey(free))
    return { path: `${uploadsFolder}${free}`, key, bytes, mime }
  })
}
