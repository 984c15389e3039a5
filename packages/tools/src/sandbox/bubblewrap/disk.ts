/** Work on many files: some at a time, and removal of whatever a command may have left. */
import { execFile } from 'node:child_process'
import { lstat, rm } from 'node:fs/promises'
import { promisify } from 'node:util'

const batch = 32

/** Does the work for each item, at most `batch` at a time. The first failure ends it, when what had begun is over. */
export async function inBatches<T>(
  items: readonly T[],
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  let next = 0
  const one = async (): Promise<void> => {
    while (next < items.length) {
      const item = items[next]
      next += 1
      if (item !== undefined) await work(item)
    }
  }
  const lane = (): Promise<void> =>
    one().catch((error: unknown) => {
      next = items.length
      throw error
    })
  const lanes = Array.from({ length: Math.min(batch, items.length) }, lane)
  await Promise.allSettled(lanes)
  await Promise.all(lanes)
}

/** Removes a tree, also one that is deeper than a path may be long, or whose directories may not be entered. */
export async function removeTree(path: string): Promise<void> {
  const isGone = await rm(path, { recursive: true, force: true }).then(
    () => true,
    () => false,
  )
  if (isGone) return
  // Programs that walk by descriptor know no longest path.
  await promisify(execFile)('chmod', ['-R', 'u+rwX', '--', path]).catch(() => undefined)
  await promisify(execFile)('rm', ['-rf', '--', path]).catch(() => undefined)
  const stat = await lstat(path).catch(() => null)
  if (stat) throw new Error('the directory of an earlier call cannot be removed')
}
