/** The files of a directory workspace, whole and as bytes: for those who are no tool. Links are never followed. */
import { lstat, readdir, unlink } from 'node:fs/promises'
import { limits } from '@signalbox/core'
import { isTemporary } from './file-access.ts'
import type { OpenDirectory } from './open-directory.ts'
import { parsePath } from './path.ts'
import { systemCode, refuse, type WorkspaceResult } from './refusal.ts'

/** A file as it is listed. */
export interface DirectoryFile {
  /** Relative, `/` between names. */
  readonly path: string
  readonly bytes: number
}

/** The files of one thread. Paths as in `Workspace`. */
export interface DirectoryFiles {
  /** Regular files, sorted by path. Refuses with `full` where there are more than `limits.filesMax`. */
  list(): Promise<WorkspaceResult<readonly DirectoryFile[]>>
  read(path: string): Promise<WorkspaceResult<Uint8Array>>
  /** Replaces the file as a whole, or creates it with the directories above it. */
  write(
    path: string,
    bytes: Uint8Array,
  ): Promise<WorkspaceResult<{ readonly bytes: number; readonly created: boolean }>>
  remove(path: string): Promise<WorkspaceResult<null>>
}

/** Lists what is below a directory, and closes it. */
export async function listBelow(
  directory: OpenDirectory,
): Promise<WorkspaceResult<readonly DirectoryFile[]>> {
  const files: DirectoryFile[] = []
  const isWhole = await collect(directory, '', files)
  if (!isWhole) return refuse('full', `The directory holds more than ${limits.filesMax} files.`)
  return { ok: true, value: files.sort((a, b) => (a.path < b.path ? -1 : 1)) }
}

/** False: there are too many. What no tool could name is left out, as are links. */
async function collect(
  directory: OpenDirectory,
  above: string,
  files: DirectoryFile[],
): Promise<boolean> {
  try {
    for (const name of await readdir(directory.at('.'))) {
      const path = `${above}${name}`
      if (isTemporary(name) || !parsePath(path).ok) continue
      // Removed, or something else by now: no reason to show nothing of the others.
      const stat = await lstat(directory.at(name)).catch(() => null)
      const inner = stat?.isDirectory() === true ? await entered(directory, name) : null
      if (inner && !(await collect(inner, `${path}/`, files))) return false
      if (!stat?.isFile()) continue
      if (files.length >= limits.filesMax) return false
      files.push({ path, bytes: stat.size })
    }
    await directory.verify()
    return true
  } finally {
    await directory.close()
  }
}

/** Null: it is not there any more, or no directory. */
export async function entered(above: OpenDirectory, name: string): Promise<OpenDirectory | null> {
  try {
    return await above.enter(name)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(systemCode(error))) return null
    throw error
  }
}

/** Removes a regular file, and nothing else. */
export async function removeFile(
  directory: OpenDirectory,
  name: string,
): Promise<WorkspaceResult<null>> {
  const stat = await lstat(directory.at(name))
  if (stat.isDirectory()) return refuse('not_a_file', 'That is a directory.')
  if (stat.isSymbolicLink()) return refuse('link', 'That is a link; links are not followed.')
  if (!stat.isFile()) return refuse('not_a_file', 'That is not a regular file.')
  await directory.verify()
  await unlink(directory.at(name))
  return { ok: true, value: null }
}
