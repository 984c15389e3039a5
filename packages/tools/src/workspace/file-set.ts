/**
 * The files of a thread as one set, for what works on all of them at once: a sandbox. It finds them all, and hands back
 * what became of them, which is taken as a whole or refused as a whole.
 */
import { createHash } from 'node:crypto'
import type { FileDraft } from '@signalbox/engine'
import type { Overlay, Seen } from './overlay.ts'
import type { WorkspaceRefusal } from './refusal.ts'

/** A file of the set. */
export interface FileOfSet {
  /** Relative, `/` between names. */
  readonly path: string
  readonly bytes: number
  readonly executable: boolean
  /** Names the content: equal states of one path are equal bytes. */
  readonly state: string
}

/** All files that a call works on. */
export interface FileSet {
  /** Sorted by path. Files whose content was erased are left out. */
  list(): Promise<readonly FileOfSet[]>
  /** The bytes of a file; null if there is none, or it was erased. Rejects if that cannot be said. */
  read(path: string): Promise<Uint8Array | null>
  /** Takes over what became of the files. Refused: none of it was taken; of a directory, maybe some. */
  take(drafts: readonly FileDraft[]): Promise<WorkspaceRefusal | null>
}

/** The set of a call, and whatever else its thread holds. */
export interface CallFileSet extends FileSet {
  /** The bytes that the thread holds under a key, of a file as it was or of an image; null if it holds none, or they were erased. */
  kept(key: string): Promise<Uint8Array | null>
}

/** The set of a tree and of what the call itself changed in it. */
export const overlaySet = (overlay: Overlay): FileSet => ({
  list: async () => {
    const files: FileOfSet[] = []
    for (const path of await overlay.paths()) {
      const seen = await overlay.at(path)
      const file = seen && (await describe(overlay, path, seen))
      if (file) files.push(file)
    }
    return files
  },
  read: async (path) => {
    const seen = await overlay.at(path)
    return seen && overlay.content(seen)
  },
  take: (drafts) =>
    overlay.together(async () => {
      for (const { path, bytes, executable } of drafts) {
        const problem = await overlay.set(path, bytes && { bytes, executable, edits: null })
        if (problem) return problem
      }
      return null
    }),
})

async function describe(overlay: Overlay, path: string, seen: Seen): Promise<FileOfSet | null> {
  if (seen.own) {
    const { bytes, executable } = seen.own
    const state = createHash('sha256').update(bytes).digest('hex')
    return { path, bytes: bytes.length, executable, state: `own:${state}` }
  }
  const { key, bytes, executable, edits } = seen.tree
  if (edits.length === 0) return { path, bytes, executable, state: key }
  // Only what was edited by two at once has to be read to know how long it is.
  const content = await overlay.content(seen)
  const state = [key, ...edits.map((edit) => edit.key)].join('+')
  return content && { path, bytes: content.length, executable, state }
}
