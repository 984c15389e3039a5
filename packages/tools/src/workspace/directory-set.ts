/**
 * The files of a thread's directory as one set. What became of them is written file by file: a crash in between leaves
 * some of it, which is why commands over a directory are `once`.
 */
import { lstat, readdir, unlink } from 'node:fs/promises'
import { limits } from '@signalbox/core'
import { isTemporary, readBytes, replaceBytes } from './file-access.ts'
import type { FileOfSet, FileSet } from './file-set.ts'
import type { OpenDirectory } from './open-directory.ts'
import { parsePath } from './path.ts'
import { refuse, type WorkspaceRefusal } from './refusal.ts'

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
    const directory = await open(above, false)
    try {
      const read = await readBytes(directory, name)
      return read.ok ? read.value.bytes : null
    } finally {
      await directory.close()
    }
  },
  take: async (drafts) => {
    // The files that are gone are removed first: one may stand in the way of a file that came.
    for (const { path, bytes } of drafts) if (!bytes) await remove(open, path)
    for (const { path, bytes, executable } of drafts) {
      const problem = bytes && (await write(open, path, { bytes, executable }))
      if (problem) return problem
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
      const stat = await lstat(directory.at(name), { bigint: true })
      if (stat.isDirectory()) await walk(await directory.enter(name), `${path}/`, files)
      if (!stat.isFile() || stat.nlink > 1n || stat.size > BigInt(limits.toolResultBytesMax))
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

async function write(
  open: DirectoryReach['open'],
  path: string,
  file: { readonly bytes: Uint8Array; readonly executable: boolean },
): Promise<WorkspaceRefusal | null> {
  const { above, name } = split(path)
  if (name === '') return refuse('bad_path', 'The path is none of a file.')
  const directory = await open(above, true)
  try {
    const { bytes, executable } = file
    const mode = executable ? 0o755 : 0o644
    const written = await replaceBytes(directory, name, { bytes, mode })
    return written.ok ? null : written
  } finally {
    await directory.close()
  }
}

async function remove(open: DirectoryReach['open'], path: string): Promise<void> {
  const { above, name } = split(path)
  const directory = await open(above, false).catch(() => null)
  if (!directory || name === '') return
  try {
    await directory.verify()
    await unlink(directory.at(name)).catch(() => undefined)
  } finally {
    await directory.close()
  }
}
