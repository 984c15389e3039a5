/**
 * What one call sees and changes: the tree it found, and over it what it changed itself, in memory until it is over.
 *
 * O1 The tree is read once, at the first use: a call sees no other call of its turn half done.
 * O2 A blob is read when its file is, so that a call pays for what it looks at.
 */
import { type FileTree, limits, type TreeFile } from '@signalbox/core'
import {
  type CallFiles,
  encodeEdits,
  fileContent,
  type FileDraft,
  type TextEdit,
} from '@signalbox/engine'
import { refuse, type WorkspaceRefusal } from './refusal.ts'

/** A file that the call changed. */
export interface Changed {
  readonly bytes: Uint8Array
  readonly executable: boolean
  /** All that was done to it, if that is only edits; null if it was written. */
  readonly edits: readonly TextEdit[] | null
}

/** A file as the call sees it: its own, or the tree's. */
export type Seen =
  | { readonly own: Changed; readonly tree: null }
  | { readonly own: null; readonly tree: TreeFile }

/** A tree and changes over it. Paths are names joined by `/`, checked by whoever brings them. */
export class Overlay {
  readonly #files: CallFiles
  #changed = new Map<string, Changed | null>()
  #tree: Promise<FileTree> | null = null
  #mine = none
  #all: Size | null = null

  constructor(files: CallFiles) {
    this.#files = files
  }

  /** The file at a path, null if there is none. */
  async at(path: string): Promise<Seen | null> {
    const own = this.#changed.get(path)
    if (own) return { own, tree: null }
    const tree = own === undefined ? (await this.#found()).get(path) : undefined
    return tree ? { own: null, tree } : null
  }

  /** All paths with a file, sorted. */
  async paths(): Promise<readonly string[]> {
    const paths = new Set((await this.#found()).keys())
    for (const [path, own] of this.#changed) {
      if (own) paths.add(path)
      else paths.delete(path)
    }
    return [...paths].sort()
  }

  /** The content of a file; null if it was erased. */
  async content(seen: Seen): Promise<Uint8Array | null> {
    if (seen.own) return seen.own.bytes
    return fileContent(seen.tree, (key) => this.#files.read(key))
  }

  /** Sets a file, or removes it; says why it may not be. */
  async set(path: string, changed: Changed | null): Promise<WorkspaceRefusal | null> {
    const tree = await this.#found()
    // From here on nothing waits: two changes at once count one after the other.
    const size = changed?.bytes.length ?? null
    const own = this.#changed.get(path)
    const seen = own === undefined ? tree.get(path)?.bytes : own?.bytes.length
    this.#all ??= sizeOf([...tree.values()].map(({ bytes }) => bytes))
    const all = exchanged(this.#all, seen ?? null, size)
    const mine = exchanged(
      this.#mine,
      own === undefined ? null : (own?.bytes.length ?? 0),
      size ?? 0,
    )
    const problem = changed ? excess(mine, all) : null
    if (problem) return problem
    this.#all = all
    this.#mine = mine
    this.#changed.set(path, changed)
    return null
  }

  /** Changes that belong together: if they are refused, none of them was made. */
  async together(change: () => Promise<WorkspaceRefusal | null>): Promise<WorkspaceRefusal | null> {
    const before = { changed: new Map(this.#changed), mine: this.#mine, all: this.#all }
    const problem = await change()
    if (!problem) return null
    this.#changed = before.changed
    this.#mine = before.mine
    this.#all = before.all
    return problem
  }

  /** What became of the files: what was made and removed again is not told. */
  async drafts(): Promise<readonly FileDraft[]> {
    if (this.#changed.size === 0) return []
    const tree = await this.#found()
    return [...this.#changed].flatMap(([path, changed]): FileDraft[] => {
      const since = tree.get(path)?.state
      if (!changed) return since === undefined ? [] : [{ path, bytes: null, executable: false }]
      const { bytes, executable, edits } = changed
      const edit =
        edits && since !== undefined ? { edit: { bytes: encodeEdits(edits), since } } : {}
      return [{ path, bytes, executable, ...edit }]
    })
  }

  #found(): Promise<FileTree> {
    this.#tree ??= this.#files.tree()
    return this.#tree
  }
}

/** How many files, and their bytes. */
interface Size {
  readonly files: number
  readonly bytes: number
}

const none: Size = { files: 0, bytes: 0 }

const sizeOf = (files: readonly number[]): Size => ({
  files: files.length,
  bytes: files.reduce((sum, bytes) => sum + bytes, 0),
})

/** With one file of another size; null is no file. */
const exchanged = (size: Size, before: number | null, after: number | null): Size => ({
  files: size.files - (before === null ? 0 : 1) + (after === null ? 0 : 1),
  bytes: size.bytes - (before ?? 0) + (after ?? 0),
})

function excess(mine: Size, all: Size): WorkspaceRefusal | null {
  const { filesMax, filesBytesMax, filesPerCallMax, filesPerCallBytesMax } = limits
  if (mine.files > filesPerCallMax || mine.bytes > filesPerCallBytesMax)
    return refuse(
      'full',
      `One call changes at most ${filesPerCallMax} files and ${filesPerCallBytesMax} bytes.`,
    )
  return all.files > filesMax || all.bytes > filesBytesMax
    ? refuse('full', `A workspace holds at most ${filesMax} files and ${filesBytesMax} bytes.`)
    : null
}
