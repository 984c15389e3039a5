/** Reading and replacing one file in a directory that is already held. */
import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, open, rename, unlink, type FileHandle } from 'node:fs/promises'
import { limits } from '@signalbox/core'
import { decodeText } from '@signalbox/engine'
import { noFollow, type OpenDirectory } from './open-directory.ts'
import { refuse, type WorkspaceRefusal, type WorkspaceResult } from './refusal.ts'

/** Largest file that is read or written. Bytes. */
export const fileBytesMax = limits.toolResultBytesMax
const temporary = /^\.signalbox-[0-9a-f]{16}\.tmp$/

/** Is this the name of a write that is under way, or was cut by a crash? */
export function isTemporary(name: string): boolean {
  return temporary.test(name)
}

/** Which version of a file was read. */
export interface FileStamp {
  readonly ino: bigint
  readonly mtimeNs: bigint
  readonly size: bigint
}

/** A file's text, and which version of it. */
export interface ReadText {
  readonly text: string
  readonly stamp: FileStamp
}

/** A file's bytes, whether it is a program, and which version of it. */
export interface ReadFile {
  readonly bytes: Buffer
  readonly executable: boolean
  readonly stamp: FileStamp
}

/** Reads a text, as `readBytes` does. */
export async function readFileText(
  directory: OpenDirectory,
  name: string,
): Promise<WorkspaceResult<ReadText>> {
  const read = await readBytes(directory, name)
  if (!read.ok) return read
  const { bytes, stamp } = read.value
  const text = decodeText(bytes)
  if (text === null) return refuse('not_text', 'The file is not UTF-8 text.')
  return { ok: true, value: { text, stamp } }
}

/** Reads a regular file that has one name only: a second name may be outside. */
export async function readBytes(
  directory: OpenDirectory,
  name: string,
): Promise<WorkspaceResult<ReadFile>> {
  await directory.verify()
  const handle = await open(directory.at(name), constants.O_RDONLY | noFollow)
  try {
    const stat = await handle.stat({ bigint: true })
    const problem = unreadable(stat)
    if (problem !== null) return problem
    await directory.verify()
    const bytes = await readBounded(handle)
    if (bytes === null) return tooLarge()
    const executable = (Number(stat.mode) & 0o100) !== 0
    return { ok: true, value: { bytes, executable, stamp: stat } }
  } finally {
    await handle.close()
  }
}

/**
 * Replaces a file by a rename in its directory: readers see the old or the new text, never a part; a link or a second
 * name in its place is replaced, not written through. With `expected`, only if the file is still that version; with `mode`, with another mode
 * than that of the file that is there.
 */
export async function replaceBytes(
  directory: OpenDirectory,
  name: string,
  change: { readonly bytes: Uint8Array; readonly mode?: number; readonly expected?: FileStamp },
): Promise<WorkspaceResult<{ readonly bytes: number; readonly created: boolean }>> {
  const { bytes } = change
  if (bytes.length > fileBytesMax) return tooLarge()
  const before = await existing(directory, name)
  if (before?.isDirectory() === true) return refuse('not_a_file', 'That is a directory.')
  const mode = change.mode ?? (before?.isFile() === true ? Number(before.mode) & 0o777 : 0o644)

  await directory.verify()
  const path = directory.at(`.signalbox-${randomBytes(8).toString('hex')}.tmp`)
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow
  const handle = await open(path, flags, mode)
  try {
    await handle.writeFile(bytes)
    await handle.sync()
    await handle.close()
    const changed = change.expected && !same(change.expected, await existing(directory, name))
    if (changed === true) {
      await unlink(path)
      return refuse('changed', 'The file was changed meanwhile. Read it again.')
    }
    await directory.verify()
    await rename(path, directory.at(name))
  } catch (error) {
    await handle.close().catch(() => undefined)
    await unlink(path).catch(() => undefined)
    throw error
  }
  await directory.verify()
  return { ok: true, value: { bytes: bytes.length, created: before === null } }
}

/** The same of a text, as UTF-8. */
export const replaceText = (
  directory: OpenDirectory,
  name: string,
  { text, ...rest }: { readonly text: string; readonly expected?: FileStamp },
): ReturnType<typeof replaceBytes> =>
  replaceBytes(directory, name, { ...rest, bytes: Buffer.from(text.toWellFormed(), 'utf8') })

type Stat = Awaited<ReturnType<FileHandle['stat']>>
type BigStat = FileStamp & Pick<Stat, 'isFile' | 'isDirectory'> & { readonly mode: bigint }

async function existing(directory: OpenDirectory, name: string): Promise<BigStat | null> {
  try {
    return await lstat(directory.at(name), { bigint: true })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

function same(a: FileStamp, b: FileStamp | null): boolean {
  return b !== null && a.ino === b.ino && a.mtimeNs === b.mtimeNs && a.size === b.size
}

function unreadable(
  stat: FileStamp & Pick<Stat, 'isFile' | 'isDirectory'> & { readonly nlink: bigint },
): WorkspaceRefusal | null {
  if (stat.isDirectory()) return refuse('not_a_file', 'That is a directory.')
  if (!stat.isFile()) return refuse('not_a_file', 'That is not a regular file.')
  if (stat.nlink > 1n) {
    return refuse('link', 'The file has a second name, which may be outside of the workspace.')
  }
  return stat.size > BigInt(fileBytesMax) ? tooLarge() : null
}

/** Null: it has grown beyond the limit since it was looked at. */
async function readBounded(handle: FileHandle): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of handle.createReadStream({ autoClose: false })) {
    if (!Buffer.isBuffer(chunk)) continue
    bytes += chunk.length
    if (bytes > fileBytesMax) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, bytes)
}

function tooLarge(): WorkspaceRefusal {
  return refuse('too_large', `The file is larger than ${fileBytesMax} bytes.`)
}
