import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { promisify } from 'node:util'

import { EmbeddedPostgresError } from './errors.ts'

const run = promisify(execFile)

/** The user that Postgres runs as. */
export interface OsUser {
  readonly uid: number
  readonly gid: number
}

const ownName = 'signalbox'

/**
 * Postgres refuses to run as root. Null: run it as ourselves. As root: the owner of an existing cluster, else the user
 * `signalbox`, else `postgres`, else `signalbox` is created as a system user.
 *
 * @throws EmbeddedPostgresError `no_unprivileged_user`
 */
export async function chooseOsUser(cluster: string): Promise<OsUser | null> {
  if (process.getuid?.() !== 0) return null
  const owner = await stat(cluster).catch(() => null)
  if (owner !== null && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  const existing = (await findUser(ownName)) ?? (await findUser('postgres'))
  return existing ?? (await createUser())
}

async function findUser(name: string): Promise<OsUser | null> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])])
    const user = { uid: Number(uid.stdout), gid: Number(gid.stdout) }
    return user.uid > 0 && Number.isSafeInteger(user.gid) ? user : null
  } catch {
    return null
  }
}

async function createUser(): Promise<OsUser> {
  // The tools of shadow-utils and of BusyBox. Whichever is there and works.
  const commands: readonly (readonly [string, readonly string[]])[] = [
    ['useradd', ['--system', '--user-group', '--no-create-home', ownName]],
    ['adduser', ['-S', '-D', '-H', ownName]],
  ]
  for (const [command, args] of commands) {
    await run(command, args).catch(() => null)
    const user = await findUser(ownName)
    if (user !== null) return user
  }
  throw new EmbeddedPostgresError(
    'no_unprivileged_user',
    'Postgres refuses to run as root, and no other user could be created for it. Run this command as ' +
      `a normal user, create a system user named "${ownName}", or set DATABASE_URL.`,
  )
}
