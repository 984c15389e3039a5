/**
 * Carrying content from the thread of one run to that of another: the rerun must go on although it hears nothing of the
 * thread that was repeated. Blobs keep their keys, which name what is in them, so that what was said of them stays true.
 */
import { type ContentPart, type FileChange, type FileChanges, FileManifest } from '@signalbox/core'
import type { Register, ThreadRef } from '../ports.ts'

/** From where to where. */
export interface Way {
  readonly register: Pick<Register, 'blob' | 'putBlob'>
  readonly from: ThreadRef
  readonly to: ThreadRef
}

/** The blobs that parts of a result name. */
export async function carryContent(way: Way, parts: readonly ContentPart[]): Promise<void> {
  for (const part of parts) if (part.type !== 'text') await carry(way, part.key)
}

/** The blobs of files that a call changed, and of the list of them. */
export async function carryFiles(way: Way, files: FileChanges): Promise<void> {
  if ('manifest' in files) {
    const list = await carry(way, files.manifest)
    const text = list ? Buffer.from(list).toString('utf8') : '[]'
    return carryChanges(way, FileManifest.parse(JSON.parse(text)))
  }
  return carryChanges(way, files)
}

async function carryChanges(way: Way, list: readonly FileChange[]): Promise<void> {
  for (const { key, edit } of list) {
    if (key !== null) await carry(way, key)
    if (edit) await carry(way, edit.key)
  }
}

/** Blobs by their keys, a few at a time: others want connections, too. */
export async function carryBlobs(way: Way, keys: readonly string[]): Promise<void> {
  const lane = async (first: number): Promise<void> => {
    for (let n = first; n < keys.length; n += lanes) await carry(way, keys[n] ?? '')
  }
  await Promise.all(Array.from({ length: lanes }, (_, n) => lane(n)))
}

const lanes = 4

/** Null if it was erased: then it is erased for the rerun, too. */
async function carry({ register, from, to }: Way, key: string): Promise<Uint8Array | null> {
  const there = await register.blob(to, key)
  if (there) return there.bytes
  const blob = await register.blob(from, key)
  if (!blob) return null
  await register.putBlob(to, { key, ...blob })
  return blob.bytes
}
