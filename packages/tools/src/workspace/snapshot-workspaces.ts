/**
 * Workspaces as snapshots: the files are what the calls of the conversation left, kept with their results in the register.
 * Any worker on any machine sees the same, and what was rolled back, or never said in a fork, is not there.
 *
 * S1 What a call changes exists when its result does, and not before: a call that was lost, cut or failed changed nothing.
 * S2 Paths mean what they mean to directories; there are no links, and an empty directory is none.
 */
import { limits } from '@signalbox/core'
import { decodeText, type ToolRequest } from '@signalbox/engine'
import { checkOut, type CheckOutOptions } from './check-out.ts'
import { isTemporary } from './file-access.ts'
import { overlaySet } from './file-set.ts'
import { Overlay, type Seen } from './overlay.ts'
import { parsePath } from './path.ts'
import { applyEdit } from './text-edit.ts'
import { refuse, type WorkspaceResult } from './refusal.ts'
import {
  absentFiles,
  absentWorkspace,
  type OpenWorkspace,
  type Workspace,
  type WorkspaceEntry,
  type WorkspaceListing,
  type Workspaces,
} from './workspace.ts'

/** Workspaces in the register that the calls bring with them. */
export class SnapshotWorkspaces implements Workspaces {
  readonly #options: CheckOutOptions

  constructor(options: CheckOutOptions = {}) {
    this.#options = options
  }

  open({ files }: Pick<ToolRequest, 'files'>): OpenWorkspace {
    if (!files) return { workspace: absentWorkspace, files: absentFiles, close: async () => [] }
    const overlay = new Overlay(files)
    let isOver = false
    let last: Promise<unknown> = Promise.resolve()
    const guarded = async <T>(use: () => Promise<WorkspaceResult<T>>) => {
      if (isOver) return over
      return use()
    }
    /** Changes wait for each other, or one of two parallel replacements would be lost. */
    const inTurn = <T>(use: () => Promise<WorkspaceResult<T>>): Promise<WorkspaceResult<T>> => {
      const mine = last.then(() => guarded(use))
      last = mine.catch(() => undefined)
      return mine
    }
    const workspace: Workspace = {
      ls: (path) => guarded(() => list(overlay, path)),
      readFile: (path) => guarded(() => read(overlay, path)),
      writeFile: (path, text) => inTurn(() => write(overlay, path, text)),
      replace: (path, oldText, newText) =>
        inTurn(() => replace(overlay, path, { oldText, newText })),
      inDirectory: (use) => guarded(() => checkOut(overlay, { ...this.#options, inTurn }, use)),
    }
    const set = overlaySet(overlay)
    return {
      workspace,
      // The files of a command that outlived its call are not taken.
      files: {
        ...set,
        kept: (key) => files.read(key),
        take: async (drafts) => (isOver ? over : set.take(drafts)),
      },
      close: async () => {
        isOver = true
        return overlay.drafts()
      },
    }
  }
}

const over = refuse('no_workspace', 'The call is over.')
const noFile = refuse('not_found', 'There is no such file or directory.')
const isDirectory = refuse('not_a_file', 'That is a directory.')
const belowFile = refuse('not_a_directory', 'A part of the path is not a directory.')

/** A file by its path: the path, and the file if it is there. */
async function find(
  overlay: Overlay,
  path: string,
): Promise<WorkspaceResult<{ readonly path: string; readonly seen: Seen | null }>> {
  const names = parsePath(path)
  if (!names.ok) return names
  const name = names.value.at(-1)
  if (name === undefined) return refuse('not_a_file', 'That is the workspace itself.')
  if (isTemporary(name)) return refuse('bad_path', 'Names of this form are reserved.')
  const whole = names.value.join('/')
  const seen = await overlay.at(whole)
  if (seen) return { ok: true, value: { path: whole, seen } }
  const problem = await inTheWay(overlay, names.value)
  return problem ?? { ok: true, value: { path: whole, seen: null } }
}

/** Why there can be no file of this path: one above it is a file, or it is a directory. */
async function inTheWay(overlay: Overlay, names: readonly string[]) {
  for (let length = 1; length < names.length; length++)
    if (await overlay.at(names.slice(0, length).join('/'))) return belowFile
  const below = `${names.join('/')}/`
  return (await overlay.paths()).some((path) => path.startsWith(below)) ? isDirectory : null
}

async function list(overlay: Overlay, path: string): Promise<WorkspaceResult<WorkspaceListing>> {
  const names = parsePath(path)
  if (!names.ok) return names
  const prefix = names.value.map((name) => `${name}/`).join('')
  if (prefix !== '' && (await overlay.at(prefix.slice(0, -1)))) return belowFile
  const kinds = new Map<string, WorkspaceEntry['kind']>()
  for (const file of await overlay.paths()) {
    if (!file.startsWith(prefix)) continue
    const [name = '', ...rest] = file.slice(prefix.length).split('/')
    kinds.set(name, rest.length > 0 ? 'directory' : 'file')
  }
  if (kinds.size === 0 && prefix !== '') {
    const problem = await inTheWay(overlay, names.value)
    return problem ?? noFile
  }
  const sorted = [...kinds].sort(([a], [b]) => (a < b ? -1 : 1))
  const entries: WorkspaceEntry[] = []
  for (const [name, kind] of sorted.slice(0, limits.pageMax)) {
    const seen = kind === 'file' ? await overlay.at(`${prefix}${name}`) : null
    entries.push({ name, kind, bytes: seen ? await sizeOf(overlay, seen) : 0 })
  }
  return { ok: true, value: { entries, more: Math.max(0, sorted.length - limits.pageMax) } }
}

/** Only what was edited by two at once has to be read to know how long it is. */
async function sizeOf(overlay: Overlay, seen: Seen): Promise<number> {
  if (seen.own) return seen.own.bytes.length
  if (seen.tree.edits.length === 0) return seen.tree.bytes
  return (await overlay.content(seen))?.length ?? 0
}

async function read(overlay: Overlay, path: string): Promise<WorkspaceResult<string>> {
  const found = await find(overlay, path)
  if (!found.ok) return found
  const { seen } = found.value
  return seen ? readSeen(overlay, seen) : noFile
}

async function readSeen(overlay: Overlay, seen: Seen): Promise<WorkspaceResult<string>> {
  const bytes = await overlay.content(seen)
  if (!bytes) return refuse('gone', 'The content of the file was erased.')
  const text = decodeText(bytes)
  return text === null
    ? refuse('not_text', 'The file is not UTF-8 text.')
    : { ok: true, value: text }
}

async function write(
  overlay: Overlay,
  path: string,
  text: string,
): Promise<WorkspaceResult<{ readonly bytes: number; readonly created: boolean }>> {
  const found = await find(overlay, path)
  if (!found.ok) return found
  const { seen } = found.value
  const bytes = Buffer.from(text.toWellFormed(), 'utf8')
  if (bytes.length > limits.toolResultBytesMax) return tooLarge
  const changed = { bytes, executable: isExecutable(seen), edits: null }
  const problem = await overlay.set(found.value.path, changed)
  return problem ?? { ok: true, value: { bytes: bytes.length, created: seen === null } }
}

async function replace(
  overlay: Overlay,
  path: string,
  edit: { readonly oldText: string; readonly newText: string },
): Promise<WorkspaceResult<{ readonly line: number }>> {
  const found = await find(overlay, path)
  if (!found.ok) return found
  const { seen } = found.value
  if (!seen) return noFile
  const text = await readSeen(overlay, seen)
  if (!text.ok) return text
  const edited = applyEdit(text.value, edit)
  if (!edited.ok) return edited
  const bytes = Buffer.from(edited.value.text.toWellFormed(), 'utf8')
  if (bytes.length > limits.toolResultBytesMax) return tooLarge
  const before = seen.own ? seen.own.edits : []
  const changed = { bytes, executable: isExecutable(seen), edits: before && [...before, edit] }
  const problem = await overlay.set(found.value.path, changed)
  return problem ?? { ok: true, value: { line: edited.value.line } }
}

const tooLarge = refuse('too_large', `The file is larger than ${limits.toolResultBytesMax} bytes.`)

const isExecutable = (seen: Seen | null): boolean => (seen?.own ?? seen?.tree)?.executable === true
