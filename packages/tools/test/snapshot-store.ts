/** Snapshots without a register: blobs and events in memory, kept as the engine keeps them. */
import { createHash } from 'node:crypto'
import { type FileChange, type FileEvent, foldFiles } from '@signalbox/core'
import type { CallFiles, FileDraft } from '@signalbox/engine'

export interface SnapshotStore {
  /** The files as a call after these events finds them. */
  files(events: readonly FileEvent[]): CallFiles
  /** What the event of a call says of its files. */
  keep(at: string, drafts: readonly FileDraft[]): FileEvent
  readonly blobs: Map<string, Uint8Array>
}

export function snapshotStore(): SnapshotStore {
  const blobs = new Map<string, Uint8Array>()
  const put = (bytes: Uint8Array): string => {
    const key = createHash('sha256').update(bytes).digest('hex')
    blobs.set(key, bytes)
    return key
  }
  return {
    blobs,
    files: (events) => ({
      tree: async () => foldFiles(new Map(), events),
      read: async (key) => blobs.get(key) ?? null,
    }),
    keep: (at, drafts) => ({
      at,
      changes: drafts.map(({ path, bytes, executable, edit }): FileChange => {
        return {
          path,
          key: bytes && put(bytes),
          bytes: bytes?.length ?? 0,
          ...(executable ? { executable } : {}),
          ...(edit ? { edit: { key: put(edit.bytes), since: edit.since } } : {}),
        }
      }),
    }),
  }
}
