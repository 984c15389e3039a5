/**
 * The changes that several events make together: one change per file, for a run whose changes another one takes over.
 *
 * N1 A file that was only edited is told by its edits, in the order in which they were made, so that they can be made again in what somebody
 *    else left. One that was written at least once, or was not there before, is told by its content.
 * N2 What was changed and changed back is still a change, unless the file was not there and is not there: contents are not compared.
 */
import { type FileEvent, type FileTree, foldFiles, type TreeFile } from './tree.ts'

/** The change of one file. */
export interface NetChange {
  readonly path: string
  /** As it is afterwards; null if it is gone. */
  readonly file: TreeFile | null
  /** As it was before; null if it was not there. */
  readonly before: TreeFile | null
  /** The blobs of all edits that lead from one to the other, oldest first; null if it was written. */
  readonly edits: readonly string[] | null
}

/** The changes, removals first, each by path. */
export function netChanges(before: FileTree, events: Iterable<FileEvent>): readonly NetChange[] {
  /** Of each path that was changed: the edits so far, or null. */
  const ways = new Map<string, readonly string[] | null>()
  const after = foldFiles(before, events, ({ path, key, edit }, known) => {
    const way = ways.has(path) ? ways.get(path) : known && []
    ways.set(path, key !== null && edit && known && way ? [...way, edit.key] : null)
  })
  const paths = new Set([...before.keys(), ...after.keys()])
  return [...paths]
    .flatMap((path): readonly NetChange[] => {
      const [was, is] = [before.get(path) ?? null, after.get(path) ?? null]
      return was === is ? [] : [{ path, file: is, before: was, edits: editsOf(ways.get(path), is) }]
    })
    .toSorted(
      (a, b) => Number(a.file !== null) - Number(b.file !== null) || compare(a.path, b.path),
    )
}

const editsOf = (way: readonly string[] | null | undefined, is: TreeFile | null) =>
  is === null ? null : (way ?? null)

const compare = (a: string, b: string): number => (a < b ? -1 : 1)
