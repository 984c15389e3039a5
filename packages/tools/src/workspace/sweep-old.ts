/** Removes the files that processes have left on this machine which died. */
import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'

/** No call lasts so long. */
const oldMs = 7 * 24 * 3_600_000
const swept = new Set<string>()

/** Removes old directories of ours whose names begin so, once for each place. Never what is not ours. */
export async function sweepOld(base: string, prefix: string): Promise<void> {
  const place = join(base, prefix)
  if (swept.has(place)) return
  swept.add(place)
  const names = await readdir(base).catch(() => [])
  for (const name of names.filter((each) => each.startsWith(prefix))) {
    const at = join(base, name)
    const stat = await lstat(at).catch(() => null)
    const isOurs = stat?.isDirectory() === true && stat.uid === process.getuid?.()
    if (isOurs && Date.now() - stat.mtimeMs > oldMs)
      await rm(at, { recursive: true, force: true }).catch(() => undefined)
  }
}
