/** The content of a file of a tree. */
import type { TreeFile } from '@signalbox/core'
import { reapply } from './text-edit.ts'

/**
 * Reads it, by `read` blob by blob; null if it was erased. Edits that were made beside the last writer are made again in what that one left,
 * or, where they do not fit, the later wins.
 */
export async function fileContent(
  { key, edits }: Pick<TreeFile, 'key' | 'edits'>,
  read: (key: string) => Promise<Uint8Array | null>,
): Promise<Uint8Array | null> {
  let bytes = await read(key)
  for (const edit of edits) {
    const stored = bytes && (await read(edit.key))
    const edited = bytes && stored ? reapply(bytes, stored) : null
    bytes = edited ?? (await read(edit.after))
  }
  return bytes
}
