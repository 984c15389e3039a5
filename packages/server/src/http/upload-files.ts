/**
 * Receiving uploads: the files of a multipart body become content that a run may name.
 *
 * U1 All files of a request are there, or none: what was refused, or broke off, is removed.
 * U2 Of a body one piece is held at a time; what is larger than it may be is refused when that is known, and nothing of the rest is kept.
 */
import { limits } from '@signalbox/core'
import type { Caller } from '@signalbox/engine'
import type { StoredUpload } from '@signalbox/postgres'
import { fileName } from '@signalbox/tools'
import type { IncomingBody } from '../files/incoming.ts'
import { boundaryOf, MalformedMultipart, type FilePart, readMultipart } from '../files/multipart.ts'
import { receive, type Receiver } from '../files/receive.ts'
import type { Api, Identified } from './api.ts'
import { notRecorded } from './file-problems.ts'
import { unknownThread } from './find.ts'
import { newThread } from './new-thread.ts'
import { Problem } from './problem.ts'

/** The parts of the API that uploads use. */
export type UploadDeps = Pick<
  Api,
  'threads' | 'resources' | 'directories' | 'read' | 'random' | 'now' | 'log'
>

/** A body that is files, or one. Whoever refuses it need not read it: see `file-bodies.ts`. */
export type FileBody = Pick<IncomingBody, 'headers' | 'pieces'>

/** The same, and where its files go. */
export interface Brought extends FileBody {
  readonly threadId: string
}

/** Receives the files of a request, in order. @throws Problem */
export async function uploadFiles(
  api: UploadDeps,
  caller: Identified,
  { threadId, headers, pieces }: Brought,
): Promise<readonly StoredUpload[]> {
  await insistOnRecord(api, caller, threadId)
  return allOrNone(api, caller, async (begun) => {
    const parts = partsOf({ headers, pieces })
    const receiver = await receiverOf(api, caller, threadId)
    const uploads: StoredUpload[] = []
    let left: number = limits.uploadBytesMax
    for await (const part of parts) {
      const n = uploads.length
      if (n === limits.uploadFilesMax) throw tooMany()
      const name = nameOf(part, n)
      const id = begun()
      const bytesMax = Math.min(limits.toolResultBytesMax, left)
      const received = await receive(receiver, part.content, { id, bytesMax })
      if (!received) throw tooLarge(`files[${n}]`)
      left -= received.bytes
      uploads.push({ ...received, name })
    }
    if (uploads.length === 0)
      throw new Problem('invalid_request', {
        detail: 'files: takes at least one file',
        field: 'files',
      })
    await finish(api, caller, { threadId, uploads })
    return uploads
  })
}

/** Receives a body that is one file. Its upload is there to be used, and dropped then. @throws Problem */
export async function uploadFile(
  api: UploadDeps,
  caller: Identified,
  { threadId, name, headers, pieces }: Brought & { readonly name: string },
): Promise<StoredUpload> {
  return allOrNone(api, caller, async (begun) => {
    refuseAtOnce(headers, limits.toolResultBytesMax)
    const receiver = await receiverOf(api, caller, threadId)
    const about = { id: begun(), bytesMax: limits.toolResultBytesMax }
    const received = await receive(receiver, pieces, about)
    if (!received) throw tooLarge('body')
    const upload = { ...received, name }
    await finish(api, caller, { threadId, uploads: [upload] })
    return upload
  })
}

/** Reads a body that is one file, for a place that records nothing. @throws Problem */
export async function readFile({ headers, pieces }: FileBody): Promise<Uint8Array> {
  refuseAtOnce(headers, limits.toolResultBytesMax)
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of pieces) {
    bytes += chunk.length
    if (bytes > limits.toolResultBytesMax) throw tooLarge('body')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** The thread must be there, and its files recorded. @throws Problem */
async function insistOnRecord(
  api: Pick<Api, 'read' | 'directories'>,
  { tenantId }: Identified,
  threadId: string,
): Promise<void> {
  if (!(await api.read.thread(tenantId, threadId))) throw unknownThread(threadId)
  if (api.directories) throw notRecorded()
}

/** The uploads that were begun are removed if `act` throws. */
async function allOrNone<T>(
  api: UploadDeps,
  { tenantId }: Identified,
  act: (begun: () => string) => Promise<T>,
): Promise<T> {
  const ids: string[] = []
  const begun = (): string => {
    const id = `upload_${api.random.uuid()}`
    ids.push(id)
    return id
  }
  try {
    return await act(begun)
  } catch (error) {
    // The sweep removes what stays.
    if (ids.length > 0)
      await api.resources.uploads
        .drop(tenantId, ids)
        .catch((left: unknown) =>
          api.log.debug('uploads that were refused stay for their day', { error: String(left) }),
        )
    if (error instanceof MalformedMultipart)
      throw new Problem('malformed_multipart', { detail: error.message, headers: unread })
    throw error
  }
}

/** The parts of a multipart body. @throws Problem for another one, and where the headers say that it is too large */
function partsOf({ headers, pieces }: FileBody): ReturnType<typeof readMultipart> {
  const boundary = boundaryOf(headers.get('content-type') ?? '')
  if (boundary === null)
    throw refusedType(
      'Send Content-Type: multipart/form-data with a boundary, a part for each file.',
    )
  refuseAtOnce(headers, limits.uploadBytesMax + limits.uploadHeadBytesMax)
  return readMultipart(pieces, boundary)
}

/** Where contents of a thread go; the thread is made if it is not there. @throws Problem `unknown_thread` */
export async function receiverOf(
  api: Omit<UploadDeps, 'log'>,
  caller: Caller,
  threadId: string,
): Promise<Receiver> {
  const thread = await api.threads.ensureThread(newThread(api, caller, { threadId, metadata: {} }))
  if (!thread) throw unknownThread(threadId)
  const { contentKey } = thread
  return { uploads: api.resources.uploads, tenantId: caller.tenantId, contentKey }
}

/** All of them are there from now on. @throws Problem */
export async function finish(
  api: Pick<UploadDeps, 'resources'>,
  { tenantId }: Caller,
  { threadId, uploads }: { readonly threadId: string; readonly uploads: readonly StoredUpload[] },
): Promise<void> {
  const done = await api.resources.uploads.finish(tenantId, threadId, uploads)
  if (done === 'ok') return
  if (done === 'no_thread') throw unknownThread(threadId)
  throw new Problem('too_many_uploads', {
    detail: `${limits.uploadsPerThreadMax} uploads of the thread ${threadId} may wait to be named; with these there would be more.`,
  })
}

function nameOf({ filename }: FilePart, n: number): string {
  const field = `files[${n}].filename`
  if (filename === null)
    throw new Problem('bad_file_name', {
      detail: `${field}: every part must be a file, with a file name`,
      field,
      headers: unread,
    })
  const named = fileName(filename)
  if (named.ok) return named.value
  throw new Problem('bad_file_name', {
    detail: `${field}: ${named.message}`,
    field,
    headers: unread,
  })
}

/** The rest of the body may not have been read, so the connection cannot carry another request. */
const unread = { connection: 'close' }

const tooLarge = (field: string): Problem =>
  new Problem('file_too_large', {
    detail: `${field}: a file has at most ${limits.toolResultBytesMax} bytes, and all files of a request ${limits.uploadBytesMax}.`,
    field,
    headers: unread,
  })

const tooMany = (): Problem =>
  new Problem('invalid_request', {
    detail: `files: takes at most ${limits.uploadFilesMax} files`,
    field: 'files',
    headers: unread,
  })

const refusedType = (detail: string): Problem =>
  new Problem('unsupported_media_type', { detail, field: 'content-type', headers: unread })

/** Refuses a body whose headers already say that it cannot be taken. @throws Problem */
function refuseAtOnce(headers: Headers, bytesMax: number): void {
  for (const [field, plain] of [
    ['content-encoding', 'identity'],
    ['transfer-encoding', 'chunked'],
  ] as const) {
    const encoding = (headers.get(field) ?? '').trim().toLowerCase()
    if (encoding === plain || encoding === '') continue
    throw new Problem('unsupported_encoding', {
      detail: 'Files are taken as they are, not compressed on their way.',
      field,
      headers: { ...unread, 'accept-encoding': 'identity' },
    })
  }
  if (Number(headers.get('content-length') ?? 0) > bytesMax) throw tooLarge('body')
}
