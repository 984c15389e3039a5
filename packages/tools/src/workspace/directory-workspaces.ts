/**
 * Workspaces as directories: `<root>/<tenant>/<thread>`.
 *
 * Every path is walked from the root by `open-directory.ts`; no operation of this file gives the system a path with a
 * directory in it that was not opened, or verified, by itself.
 */
import { lstat, mkdir, readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { limits } from '@signalbox/core'
import type { TextEdit, ToolRequest } from '@signalbox/engine'
import { type DirectoryFiles, listBelow, removeFile } from './directory-files.ts'
import { directorySet } from './directory-set.ts'
import { isTemporary, readBytes, readFileText, replaceBytes, replaceText } from './file-access.ts'
import { defaultWalk, openRoot, type OpenDirectory, type Walk } from './open-directory.ts'
import { directoryName, parsePath } from './path.ts'
import { applyEdit } from './text-edit.ts'
import { systemCode, guarded, refuse, type WorkspaceResult } from './refusal.ts'
import type {
  OpenWorkspace,
  Workspace,
  WorkspaceEntry,
  WorkspaceListing,
  Workspaces,
} from './workspace.ts'

/** Whose workspace. */
export interface WorkspaceOwner {
  readonly tenantId: string
  readonly threadId: string
}

/** Workspaces of all threads below one root, which is created when it is first needed. */
export class DirectoryWorkspaces implements Workspaces {
  readonly #root: string
  readonly #walk: Walk
  readonly #queues = new Map<string, Promise<unknown>>()

  constructor(root: string, walk: Walk = defaultWalk) {
    this.#root = root
    this.#walk = walk
  }

  /** The workspace of a thread. Nothing is touched before the first operation. */
  of(owner: WorkspaceOwner): Workspace {
    const home = [directoryName(owner.tenantId), directoryName(owner.threadId)]
    const within = <T>(path: string, use: Use<T>, create = false): Promise<WorkspaceResult<T>> =>
      this.#within({ home, path, create }, use)
    return {
      ls: (path) => this.#list(home, path),
      readFile: (path) =>
        within(path, async (directory, name) => {
          const read = await readFileText(directory, name)
          return read.ok ? { ok: true, value: read.value.text } : read
        }),
      writeFile: (path, text) =>
        this.#inTurn([...home, path].join('/'), () =>
          within(path, (directory, name) => replaceText(directory, name, { text }), true),
        ),
      replace: (path, oldText, newText) =>
        this.#inTurn([...home, path].join('/'), () =>
          within(path, (directory, name) => replaceOnce(directory, name, { oldText, newText })),
        ),
      inDirectory: (use) => this.#whole(home, use),
    }
  }

  /** The files of a thread for those who are no tool. */
  files(owner: WorkspaceOwner): DirectoryFiles {
    const home = [directoryName(owner.tenantId), directoryName(owner.threadId)]
    const within = <T>(path: string, use: Use<T>, create = false): Promise<WorkspaceResult<T>> =>
      this.#within({ home, path, create }, use)
    const inTurn = <T>(path: string, change: () => Promise<T>) =>
      this.#inTurn([...home, path].join('/'), change)
    return {
      list: async () => {
        const found = await guarded(async () => listBelow(await this.#open(home, false)))
        return !found.ok && found.code === 'not_found' ? { ok: true, value: [] } : found
      },
      read: (path) =>
        within(path, async (directory, name) => {
          const read = await readBytes(directory, name)
          return read.ok ? { ok: true, value: read.value.bytes } : read
        }),
      write: (path, bytes) =>
        inTurn(path, () =>
          within(path, (directory, name) => replaceBytes(directory, name, { bytes }), true),
        ),
      remove: (path) => inTurn(path, () => within(path, removeFile)),
    }
  }

  /** Nothing is stored with the result of a call: what it did is in the directory. */
  open(request: ToolRequest): OpenWorkspace {
    const home = [directoryName(request.tenantId), directoryName(request.threadId)]
    const reach = {
      open: (names: readonly string[], create: boolean) => this.#open([...home, ...names], create),
    }
    const kept = async (key: string) => (await request.files?.read(key)) ?? null
    return {
      workspace: this.of(request),
      files: { ...directorySet(reach), kept },
      close: async () => [],
    }
  }

  async #whole<T>(
    home: readonly string[],
    use: (directory: string) => Promise<T>,
  ): Promise<WorkspaceResult<T>> {
    const path = await guarded(async () => {
      const directory = await this.#open(home, true)
      await directory.close()
      return { ok: true, value: join(await realpath(this.#root), ...home) }
    })
    return path.ok ? { ok: true, value: await use(path.value) } : path
  }

  async #list(home: readonly string[], path: string): Promise<WorkspaceResult<WorkspaceListing>> {
    const names = parsePath(path)
    if (!names.ok) return names
    return guarded(async () => {
      const directory = await this.#open([...home, ...names.value], names.value.length === 0)
      try {
        return { ok: true, value: await list(directory) }
      } finally {
        await directory.close()
      }
    })
  }

  /** Uses the last name of a path in the directory above it. */
  async #within<T>(target: Target, use: Use<T>): Promise<WorkspaceResult<T>> {
    const names = parsePath(target.path)
    if (!names.ok) return names
    const name = names.value.at(-1)
    if (name === undefined) return refuse('not_a_file', 'That is the workspace itself.')
    if (isTemporary(name)) return refuse('bad_path', 'Names of this form are reserved.')
    return guarded(async () => {
      const above = [...target.home, ...names.value.slice(0, -1)]
      const directory = await this.#open(above, target.create)
      try {
        return await use(directory, name)
      } finally {
        await directory.close()
      }
    })
  }

  async #open(names: readonly string[], create: boolean): Promise<OpenDirectory> {
    if (create) await mkdir(this.#root, { recursive: true })
    let directory = await openRoot(await realpath(this.#root), this.#walk)
    for (const name of names) {
      const above = directory
      try {
        if (create) await makeDirectory(above, name)
        directory = await above.enter(name)
      } finally {
        await above.close()
      }
    }
    return directory
  }

  /** Changes of one file wait for each other, or one of two parallel replacements would be lost. */
  async #inTurn<T>(key: string, change: () => Promise<T>): Promise<T> {
    const before = this.#queues.get(key) ?? Promise.resolve()
    const mine = before.then(change)
    const settled = mine.catch(() => undefined)
    this.#queues.set(key, settled)
    try {
      return await mine
    } finally {
      if (this.#queues.get(key) === settled) this.#queues.delete(key)
    }
  }
}

interface Target {
  readonly home: readonly string[]
  readonly path: string
  readonly create: boolean
}

type Use<T> = (directory: OpenDirectory, name: string) => Promise<WorkspaceResult<T>>

async function makeDirectory(above: OpenDirectory, name: string): Promise<void> {
  try {
    await above.verify()
    await mkdir(above.at(name))
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error
  }
}

async function list(directory: OpenDirectory): Promise<WorkspaceListing> {
  const names = (await readdir(directory.at('.'))).filter((name) => !isTemporary(name)).sort()
  const entries: WorkspaceEntry[] = []
  for (const name of names.slice(0, limits.pageMax)) {
    try {
      const stat = await lstat(directory.at(name))
      const kind = stat.isFile()
        ? 'file'
        : stat.isDirectory()
          ? 'directory'
          : stat.isSymbolicLink()
            ? 'link'
            : 'other'
      entries.push({ name, kind, bytes: kind === 'file' ? stat.size : 0 })
    } catch (error) {
      // Removed since the names were read.
      if (systemCode(error) !== 'ENOENT') throw error
    }
  }
  await directory.verify()
  return { entries, more: Math.max(0, names.length - limits.pageMax) }
}

async function replaceOnce(
  directory: OpenDirectory,
  name: string,
  change: TextEdit,
): Promise<WorkspaceResult<{ readonly line: number }>> {
  const read = await readFileText(directory, name)
  if (!read.ok) return read
  const { text, stamp } = read.value
  const edited = applyEdit(text, change)
  if (!edited.ok) return edited
  const { line } = edited.value
  const written = await replaceText(directory, name, { text: edited.value.text, expected: stamp })
  return written.ok ? { ok: true, value: { line } } : written
}
