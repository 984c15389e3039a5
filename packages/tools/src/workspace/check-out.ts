/**
 * A snapshot as a directory of this machine, for programs that need one: written out, used, compared, removed.
 *
 * C1 The directory is private and used once: calls that run at the same time share none, whoever's thread they work on.
 * C2 What is there afterwards is read without following a link: a program may have left one, and may still be running.
 * C3 What was removed in a crash is removed later: by whoever first writes out another one, once it is old enough.
 */
import { createHash } from 'node:crypto'
import { lstat, mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { readBytes } from './file-access.ts'
import { defaultWalk, openRoot, type OpenDirectory } from './open-directory.ts'
import type { Overlay } from './overlay.ts'
import { parsePath } from './path.ts'
import { refuse, type WorkspaceRefusal, type WorkspaceResult } from './refusal.ts'
import { sweepOld } from './sweep-old.ts'

/** Where directories are made. Default: that of the system for temporary files. */
export interface CheckOutOptions {
  readonly base?: string
}

interface Using extends CheckOutOptions {
  /** Runs changes of the overlay one after the other, while the call lasts. */
  readonly inTurn: <T>(use: () => Promise<WorkspaceResult<T>>) => Promise<WorkspaceResult<T>>
}

/** What was written out: path, digest of content and mode. Null: its content was erased, so it was not. */
type Written = ReadonlyMap<string, string | null>

/** Hands `use` a directory with the files, and takes over what it changed. Nothing, if it throws. */
export async function checkOut<T>(
  overlay: Overlay,
  { base = tmpdir(), inTurn }: Using,
  use: (directory: string) => Promise<T>,
): Promise<WorkspaceResult<T>> {
  await sweepOld(base, prefix)
  const directory = await mkdtemp(join(await realpath(base), prefix))
  try {
    const written = await writeOut(overlay, directory)
    const value = await use(directory)
    const taken = await inTurn(async () => {
      const problem = await overlay.together(() => takeOver(overlay, directory, written))
      return problem ?? { ok: true, value }
    })
    return taken
  } finally {
    // What a program that still runs adds meanwhile, a later sweep removes.
    await rm(directory, { recursive: true, force: true }).catch(() => undefined)
  }
}

async function writeOut(overlay: Overlay, directory: string): Promise<Written> {
  const written = new Map<string, string | null>()
  for (const path of await overlay.paths()) {
    const seen = await overlay.at(path)
    if (!seen || !parsePath(path).ok) throw new Error('a tree with a path that is none')
    const bytes = await overlay.content(seen)
    const executable = (seen.own ?? seen.tree).executable
    written.set(path, bytes && digest(bytes, executable))
    if (!bytes) continue
    const place = join(directory, path)
    await mkdir(dirname(place), { recursive: true })
    await writeFile(place, bytes, { flag: 'wx', mode: executable ? 0o755 : 0o644 })
  }
  return written
}

/** Answers the first thing that may not be kept. */
async function takeOver(
  overlay: Overlay,
  directory: string,
  written: Written,
): Promise<WorkspaceRefusal | null> {
  const left = new Set([...written].flatMap(([path, was]) => (was === null ? [] : [path])))
  const root = await openRoot(directory, defaultWalk)
  const problem = await walk(root, '', async (above, name, path) => {
    const read = await readBytes(above, name)
    // A second name of a file may be outside: as little kept as a link.
    if (!read.ok) return read.code === 'link' ? null : named(path, read)
    const { bytes, executable } = read.value
    left.delete(path)
    if (written.get(path) === digest(bytes, executable)) return null
    const full = await overlay.set(path, { bytes, executable, edits: null })
    return full && named(path, full)
  })
  if (problem) return problem
  for (const path of left) await overlay.set(path, null)
  return null
}

type Visit = (above: OpenDirectory, name: string, path: string) => Promise<WorkspaceRefusal | null>

/** Visits the regular files, and closes the directory. */
async function walk(
  directory: OpenDirectory,
  above: string,
  visit: Visit,
): Promise<WorkspaceRefusal | null> {
  try {
    for (const name of (await readdir(directory.at('.'))).sort()) {
      const path = `${above}${name}`
      const stat = await lstat(directory.at(name))
      if (!stat.isDirectory() && !stat.isFile()) continue
      const parsed = parsePath(path)
      if (!parsed.ok) return named(path, parsed)
      const problem = stat.isFile()
        ? await visit(directory, name, path)
        : await walk(await directory.enter(name), `${path}/`, visit)
      if (problem) return problem
    }
    return null
  } finally {
    await directory.close()
  }
}

const named = (path: string, { code, message }: WorkspaceRefusal): WorkspaceRefusal =>
  refuse(code, `${path.slice(0, 200).toWellFormed()}: ${message}`)

const digest = (bytes: Uint8Array, executable: boolean): string =>
  `${createHash('sha256').update(bytes).digest('hex')}${executable ? 'x' : ''}`

const prefix = 'signalbox-files-'
