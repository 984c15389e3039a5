import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'

import type { OsUser } from './os-user.ts'

/**
 * The first directory on the way to `path` (itself included) that `user` cannot enter, from the top; null if there is
 * none. `path` is absolute and without links. Access lists beyond the mode bits are not looked at.
 */
export async function firstBarrier(path: string, user: OsUser): Promise<string | null> {
  for (const directory of ancestors(path)) {
    const { mode, uid, gid } = await stat(directory)
    const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001
    if ((mode & bit) === 0) return directory
  }
  return null
}

function ancestors(path: string): readonly string[] {
  const parent = dirname(path)
  return parent === path ? [path] : [...ancestors(parent), path]
}
