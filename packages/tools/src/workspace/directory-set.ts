/**
 * The files of a thread's directory as one set. Their changes are written file by file: a crash or a refusal in between leaves
 * some of it, which is why commands over a directory are `once`. Sibling calls change the directory meanwhile: what they removed
 * is not there, and what cannot be read is not taken for that.
 */
import { lstat, readdir, unlink } from 'node:fs/promises'
import { limits } from '@signalbox/core'
import { entered } from './directory-files.ts'
import { isTemporary, readBytes, replaceBytes } from './file-access.ts'
import type { FileOfSet, FileSet } from './file-set.ts'
import type { OpenDirectory } from './open-directory.ts'
import { parsePath } from './path.ts'
import {
  systemCode,
  guarded,
  refuse,
  type WorkspaceRefusal,
  type WorkspaceResult,
} from './refusal.ts'

/** How the directory, and those below it, are reached. Throws like `open`. */
export interface DirectoryReach {
  readonly open: (names: readonly string[], create: boolean) => Promise<OpenDirectory>
}

/** Links, second names and whatever is no regular file are not in it. Refused with more files than a workspace holds. */
export const directorySet = ({ open }: DirectoryReach): FileSet => ({
  list: async () => {
    const files: FileOfSet[] = []
    await walk(await open([], true), '', files)
    return files.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  },
  read: async (path) => {
    const { above, name } = split(path)
    const read = await within({ open, names: above }, (directory) => readBytes(directory, name))
    if (!read.ok && read.code === 'io') throw new Error(read.message)
    return read.ok ? read.value.bytes : null
  },
  take: async (drafts) => {
    // The files that are gone are removed first: one may stand in the way of a file that came.
    for (const { path, bytes } of drafts) {
      const problem = bytes ? null : await remove(open, path)
      if (problem) return named(path, problem)
    }
    for (const { path, bytes, executable } of drafts) {
      const problem = bytes && (await write(open, path, { bytes, executable }))
      if (problem) return named(path, problem)
    }
    return null
  },
})

function split(path: string): { readonly above: readonly string[]; readonly name: string } {
  const parsed = parsePath(path)
  const names = parsed.ok ? parsed.value : []
  return { above: names.slice(0, -1), name: names.at(-1) ?? '' }
}

async function walk(directory: OpenDirectory, above: string, files: FileOfSet[]): Promise<void> {
  try {
    for (const name of await readdir(directory.at('.'))) {
      const path = `${above}${name}`
      if (isTemporary(name) || !parsePath(path).ok) continue
      const stat = await statOf(directory.at(name))
      const inner = stat?.isDirectory() === true ? await entered(directory, name) : null
      if (inner) await walk(inner, `${path}/`, files)
      if (!stat?.isFile() || stat.nlink > 1n || stat.size > BigInt(limits.toolResultBytesMax))
        continue
      if (files.length >= limits.filesMax)
        throw new Error(`the directory holds more than ${limits.filesMax} files`)
      const state = `${stat.ino}:${stat.ctimeNs}:${stat.size}`
      const executable = (stat.mode & 0o100n) !== 0n
      files.push({ path, bytes: Number(stat.size), executable, state })
    }
  } finally {
    await directory.close()
  }
}

/** Null: it was removed since its name was read. */
async function statOf(path: string) {
  try {
    return await lstat(path, { bigint: true })
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null
    throw error
  }
}

/** Uses a directory, and says what the file system refused. */
const within = <T>(
  {
    open,
    names,
    create = false,
  }: DirectoryReach & { readonly names: readonly string[]; readonly create?: boolean },
  use: (directory: OpenDirectory) => Promise<WorkspaceResult<T>>,
): Promise<WorkspaceResult<T>> =>
  guarded(async () => {
    const directory = await open(names, create)
    try {
      return await use(directory)
    } finally {
      await directory.close()
    }
  })

const named = (path: string, { code, message }: WorkspaceRefusal): WorkspaceRefusal =>
  refuse(code, `${path}: ${message}`)

async function write(
  open: DirectoryReach['open'],
  path: string,
  file: { readonly bytes: Uint8Array; readonly executable: boolean },
): Promise<WorkspaceRefusal | null> {
  const { above, name } = split(path)
  if (name === '') return refuse('bad_path', 'The path is none of a file.')
  const { bytes, executable } = file
  const mode = executable ? 0o755 : 0o644
  const use = (directory: OpenDirectory) => replaceBytes(directory, name, { bytes, mode })
  const written = await within({ open, names: above, create: true }, use)
  return written.ok ? null : written
}

/** A file that is gone already, or gave way to something else, is removed. */
async function remove(
  open: DirectoryReach['open'],
  path: string,
): Promise<WorkspaceRefusal | null> {
  const { above, name } = split(path)
  if (name === '') return null
  const removed = await within({ open, names: above }, async (directory) => {
    await directory.verify()
    await unlink(directory.at(name))
    return { ok: true, value: null }
  })
  return removed.ok || removed.code !== 'io' ? null : removed
}
