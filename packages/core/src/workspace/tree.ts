/**
 * The files of a conversation: a fold over what its calls changed, as its messages are a fold over what was said. So a
 * rollback, a fork and a copy of a thread need no code here: what is not in the lineage was never folded.
 *
 * F1 The same changes in the same order make the same tree, on every machine.
 * F2 Calls of one turn may run side by side, each on the tree it found. Of two that write one file the later event wins; what
 *    the later one only edited is edited in what the earlier one left, so that neither edit is lost.
 * F3 No path is a file and a directory at once: what is set later removes what stands in its way.
 */
import type { FileChange } from './file-change.ts'

/** A file: the blob of its content, and edits that somebody beside its writer made, in order. */
export interface TreeFile {
  readonly key: string
  readonly bytes: number
  readonly executable: boolean
  /** Which state of the file this is: who changed it last. */
  readonly state: string
  readonly edits: readonly TreeEdit[]
}

/** Edits to apply; where they no longer fit, the file is what their author had, under `after`. */
export interface TreeEdit {
  readonly key: string
  readonly after: string
}

/** Files by path. */
export type FileTree = ReadonlyMap<string, TreeFile>

/** What one event says of files; `at` names the event. */
export interface FileEvent {
  readonly at: string
  readonly changes: readonly FileChange[]
}

/** The tree after more events, in order. `watch` is told of each change, with the file as it is before that. */
export function foldFiles(
  before: FileTree,
  events: Iterable<FileEvent>,
  watch?: (change: FileChange, known: TreeFile | undefined) => void,
): FileTree {
  const tree = new Map(before)
  // Every path that was ever above a file: whoever stands in one of them may have something below.
  const above = new Set([...tree.keys()].flatMap(pathsAbove))
  for (const { at, changes } of events)
    for (const change of changes) {
      if (!tree.has(change.path) && change.key !== null) clearWay(tree, above, change.path)
      watch?.(change, tree.get(change.path))
      take(tree, at, change)
    }
  return tree
}

function take(tree: Map<string, TreeFile>, at: string, change: FileChange): void {
  const { path, key, bytes, edit } = change
  const known = tree.get(path)
  if (key === null) {
    tree.delete(path)
    return
  }
  const executable = change.executable === true
  if (edit && known && known.state !== edit.since) {
    const edits = [...known.edits, { key: edit.key, after: key }]
    tree.set(path, { ...known, state: at, edits })
    return
  }
  tree.set(path, { key, bytes, executable, state: at, edits: [] })
}

/** Makes it so that nothing above a new path is a file, and nothing is below it (F3). `above`: every path that was ever above a file of the tree. */
export function clearWay<File>(tree: Map<string, File>, above: Set<string>, path: string): void {
  for (const directory of pathsAbove(path)) {
    tree.delete(directory)
    above.add(directory)
  }
  if (!above.has(path)) return
  const below = `${path}/`
  for (const other of tree.keys()) if (other.startsWith(below)) tree.delete(other)
}

/** `a/b/c` stands below `a` and `a/b`. */
function pathsAbove(path: string): string[] {
  const names = path.split('/')
  return names.slice(1).map((_, n) => names.slice(0, n + 1).join('/'))
}
