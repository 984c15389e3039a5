import { createHash } from 'node:crypto'
import { chmod, mkdir, realpath } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'

import { EmbeddedPostgresError } from './errors.ts'
import type { OsUser } from './os-user.ts'
import { firstBarrier } from './reach.ts'

/**
 * Makes the data directory and answers its path without links. Where root's Postgres user cannot enter it, a directory
 * below `fallbackDir` named after it is taken instead.
 *
 * @throws EmbeddedPostgresError `data_dir_unreachable` if that is not possible either
 */
export async function prepareDataDir(
  dataDir: string,
  user: OsUser | null,
  fallbackDir: string | null,
): Promise<string> {
  const dir = await makeDir(resolve(dataDir), user)
  if (user === null) return dir
  const barrier = await firstBarrier(dir, user)
  if (barrier === null) return dir
  if (fallbackDir !== null) {
    const name = `${basename(dir)}-${createHash('sha256').update(dir).digest('hex').slice(0, 12)}`
    const other = await makeDir(join(resolve(fallbackDir), name), user)
    if ((await firstBarrier(other, user)) === null) return other
  }
  throw new EmbeddedPostgresError(
    'data_dir_unreachable',
    `Started by root, Postgres runs as user ${user.uid}, who cannot enter ${barrier} and so cannot reach ` +
      `the data directory ${dir}. Run this command as a normal user, choose a data directory below a ` +
      `directory that everybody can enter (such as /var/lib/signalbox), or: chmod o+x ${barrier}`,
  )
}

async function makeDir(dir: string, user: OsUser | null): Promise<string> {
  try {
    await mkdir(dir, { recursive: true })
    // Root's Postgres user has to pass through; everything in it but the cluster stays root's.
    await chmod(dir, user === null ? 0o700 : 0o711)
    return await realpath(dir)
  } catch (cause) {
    throw new EmbeddedPostgresError(
      'data_dir_unreachable',
      `The data directory ${dir} cannot be made or entered (${cause instanceof Error ? cause.message : 'unknown'}). ` +
        'Choose one that this user may write, or run this command as its owner.',
      { cause },
    )
  }
}
