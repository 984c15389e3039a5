/**
 * Files that stand in a message itself, as the messages of some wires have them: uploads of its thread that its run names.
 *
 * B1 A message that is sent again brings the same files: a request means their names and contents, never the ids of their uploads.
 * B2 An upload that was made for a message is removed when its run is there, or is not to be: what the run was given is a blob by then.
 * B3 Only contents are taken. What stands at an address is not fetched.
 */
import { createHash, createHmac } from 'node:crypto'
import { limits } from '@signalbox/core'
import type { Caller } from '@signalbox/engine'
import type { StoredUpload } from '@signalbox/postgres'
import { fileName } from '@signalbox/tools'
import { typeOf } from '../files/media-type.ts'
import { receive } from '../files/receive.ts'
import { notRecorded } from './file-problems.ts'
import { Problem } from './problem.ts'
import { finish, receiverOf, type UploadDeps } from './upload-files.ts'
import type { InputFile } from './wire/run-create.ts'

/** A file of a message. */
export interface BroughtFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/** A file of a message as it was sent. */
export interface SentFile {
  /** Empty or absent: it is named by what is in it. */
  readonly filename: string | undefined
  readonly bytes: Uint8Array
  /** Where in the request it stands. */
  readonly at: string
}

/** The extensions for files that came without a name, by the type of their content. */
const extensions: Readonly<Record<string, string>> = {
  'application/gzip': '.gz',
  'application/pdf': '.pdf',
  'application/zip': '.zip',
  'audio/mpeg': '.mp3',
  'audio/wav': '.wav',
  'image/gif': '.gif',
  'image/jpeg': '.jpg',
  'image/png': '.png',
  'image/webp': '.webp',
  'text/plain; charset=utf-8': '.txt',
  'video/mp4': '.mp4',
}

/** The files of a message, named. @throws Problem `bad_file_name`, `invalid_request` for too many */
export function broughtFiles(sent: readonly SentFile[]): readonly BroughtFile[] {
  const over = sent[limits.uploadFilesMax]
  if (over)
    throw new Problem('invalid_request', {
      detail: `${over.at}: a message takes at most ${limits.uploadFilesMax} files. Upload the others before, and name them in the input of a run.`,
      field: over.at,
    })
  return sent.map(({ filename = '', bytes, at }) => {
    if (filename === '') return { name: `file${extensions[typeOf(bytes)] ?? ''}`, bytes }
    const named = fileName(filename)
    if (named.ok) return { name: named.value, bytes }
    const field = `${at}.filename`
    throw new Problem('bad_file_name', { detail: `${field}: ${named.message}`, field })
  })
}

/** The files that stand in the messages of an input. @throws Problem for one that is elsewhere, and as `broughtFiles` */
export const filesOfInput = (files: readonly InputFile[]): readonly BroughtFile[] =>
  broughtFiles(
    files.map(({ filename, bytes, at }) => {
      if (bytes) return { filename, bytes, at }
      throw new Problem('not_available', {
        detail: `${at}: takes what is in the file, as base64 or as a data: address; nothing is fetched here`,
        field: at,
      })
    }),
  )

/** The bytes of a base64 text, with either alphabet, padded or not; null if it is none. */
export function fromBase64(text: string): Uint8Array | null {
  const bare = text.replace(/={1,2}$/, '')
  return /^[\w+/-]*$/.test(bare) && bare.length % 4 !== 1 ? Buffer.from(bare, 'base64') : null
}

/** The bytes of a `data:` address (RFC 2397); null if it is none. */
export function fromDataUrl(url: string): Uint8Array | null {
  const comma = url.indexOf(',')
  if (!/^data:/i.test(url) || comma < 0) return null
  const isBase64 = /;\s*base64\s*$/i.test(url.slice(0, comma))
  // As browsers read it: percent-encoding first.
  const bytes = percentDecoded(url.slice(comma + 1))
  if (!bytes || !isBase64) return bytes
  return fromBase64(bytes.toString('latin1').replaceAll(/[\t\n\f\r ]/g, ''))
}

const percent = 0x25

/** The bytes of the text. Characters that are not encoded are taken as UTF-8. Null: a percent sign begins no byte. */
function percentDecoded(text: string): Buffer | null {
  const written = Buffer.from(text)
  const decoded = Buffer.alloc(written.length)
  let length = 0
  for (let at = 0; at < written.length; at += 1, length += 1) {
    decoded[length] = written[at] ?? 0
    if (written[at] !== percent) continue
    const digits = written.toString('latin1', at + 1, at + 3)
    if (!/^[0-9a-f]{2}$/i.test(digits)) return null
    decoded[length] = Number.parseInt(digits, 16)
    at += 2
  }
  return decoded.subarray(0, length)
}

/** The files in the digest of a request that brings them, by which it is recognised when it is repeated. */
export const meaningOfFiles = (files: readonly BroughtFile[]): readonly object[] =>
  files.map(({ name, bytes }) => ({
    name,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  }))

/** Files that are brought need no log: the sweep removes uploads that stay. */
export type BringDeps = Omit<UploadDeps, 'log'>

/** Where files are brought. */
interface Brought {
  readonly threadId: string
  readonly files: readonly BroughtFile[]
}

/** Makes uploads of the files, all or none, and hands them to `act`. They are gone after it. @throws Problem */
export async function withBrought<T>(
  api: BringDeps,
  caller: Caller,
  { threadId, files, act }: Brought & { readonly act: (ids: readonly string[]) => Promise<T> },
): Promise<T> {
  if (files.length === 0) return act([])
  if (api.directories) throw notRecorded()
  const ids = files.map(() => `upload_${api.random.uuid()}`)
  const { tenantId } = caller
  try {
    const receiver = await receiverOf(api, caller, threadId)
    const uploads: StoredUpload[] = []
    for (const [n, { name, bytes }] of files.entries()) {
      const about = { id: ids[n] ?? '', bytesMax: limits.toolResultBytesMax }
      const received = await receive(receiver, inPieces(bytes), about)
      if (!received) throw new Error('unreachable: a body is smaller than a file may be')
      uploads.push({ ...received, name })
    }
    await finish(api, caller, { threadId, uploads })
    return await act(ids)
  } finally {
    await api.resources.uploads.drop(tenantId, ids).catch(() => undefined)
  }
}

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes
}

/** The keys that the contents have in a thread, in order. @throws Problem `unknown_thread` */
export async function keysOf(
  api: BringDeps,
  caller: Caller,
  { threadId, files }: Brought,
): Promise<readonly string[]> {
  if (files.length === 0) return []
  const { contentKey } = await receiverOf(api, caller, threadId)
  const key = Buffer.from(contentKey, 'hex')
  return files.map(({ bytes }) => createHmac('sha256', key).update(bytes).digest('hex'))
}
