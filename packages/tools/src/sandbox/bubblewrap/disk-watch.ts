/**
 * Looks, while a command runs, how much it has put into its directory: the size of one file is bounded by the kernel, their
 * number is not. What is written between two looks is more than is allowed; the disk is not filled for as long as a command may run.
 */
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '@signalbox/core'
import { inBatches } from './disk.ts'

const everyMs = 1000
/** What is kept is bounded by `filesBytesMax`; a command may need as much again on the way. */
const bytesMax = 2 * limits.filesBytesMax
const blockBytes = 512

/** Calls back once if there is too much. Ends when `signal` aborts. */
export async function watchDisk(
  directory: string,
  signal: AbortSignal,
  onFull: () => void,
): Promise<void> {
  while (!signal.aborted) {
    const isOver = await sleep(everyMs, false, { signal, ref: false }).catch(() => true)
    if (isOver) return
    const size = { entries: 0, bytes: 0 }
    await measure(directory, size)
    if (size.entries <= limits.sandboxEntriesMax && size.bytes <= bytesMax) continue
    onFull()
    return
  }
}

/** It changes under our feet: what is not there any more does not count. */
async function measure(directory: string, size: { entries: number; bytes: number }): Promise<void> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => [])
  size.entries += entries.length
  if (size.entries > limits.sandboxEntriesMax || size.bytes > bytesMax) return
  await inBatches(
    entries.filter((entry) => entry.isFile()),
    async ({ name }) => {
      const stat = await lstat(join(directory, name)).catch(() => null)
      size.bytes += (stat?.blocks ?? 0) * blockBytes
    },
  )
  for (const entry of entries)
    if (entry.isDirectory()) await measure(join(directory, entry.name), size)
}
