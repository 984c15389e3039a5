/**
 * Making the cluster.
 *
 * C1 `initdb` works in a directory of its own that is renamed when complete: a cluster that is there is whole, and one
 *    that was cut short is thrown away at the next start.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, mkdir, open, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

import type { Binaries } from './binaries.ts'
import { ownSession } from './child-env.ts'
import { EmbeddedPostgresError } from './errors.ts'
import type { Layout } from './layout.ts'
import type { OsUser } from './os-user.ts'

/** Major version of the cluster format that the programs understand. */
const majorVersion = '18'

/** Name of the superuser and of the database that is always there. */
export const superuser = 'postgres'

/**
 * Is there a cluster?
 *
 * @throws EmbeddedPostgresError `data_dir_invalid` if something else stands in its place
 */
export async function hasCluster(layout: Layout): Promise<boolean> {
  const entries = await readdir(layout.cluster).catch((cause: unknown) => {
    if (isMissing(cause)) return []
    throw new EmbeddedPostgresError(
      'data_dir_invalid',
      `The cluster ${layout.cluster} cannot be read; it seems to belong to another user. Run this command as that ` +
        'user, or choose another data directory.',
      { cause },
    )
  })
  if (entries.length === 0) return false
  const version = await readFile(join(layout.cluster, 'PG_VERSION'), 'utf8').catch(() => '')
  if (version.trim() === majorVersion) return true
  throw new EmbeddedPostgresError(
    'data_dir_invalid',
    version === ''
      ? `${layout.cluster} is not empty and not a PostgreSQL cluster. Move it away or choose another data directory.`
      : `${layout.cluster} was made by PostgreSQL ${version.trim()}, the embedded server is ${majorVersion}. ` +
          'Dump it with the old version and load it here, or choose another data directory.',
  )
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

/** Throws away what an interrupted `initdb` left. */
export async function removeDrafts(layout: Layout): Promise<void> {
  const prefix = `${basename(layout.cluster)}.new-`
  for (const name of await readdir(layout.dir)) {
    // An `initdb` whose parent was killed may still be writing; what it leaves goes the next time.
    if (name.startsWith(prefix)) {
      await rm(join(layout.dir, name), { recursive: true, force: true }).catch(() => undefined)
    }
  }
}

/**
 * Makes a cluster: UTF-8, C locale, data checksums, SCRAM for everybody.
 *
 * @throws EmbeddedPostgresError `initdb_failed`; the reason of the signal if that broke it off
 */
export async function makeCluster(
  layout: Layout,
  binaries: Binaries,
  access: {
    readonly user: OsUser | null
    readonly password: string
    readonly signal?: AbortSignal | undefined
  },
): Promise<void> {
  const { user, password, signal } = access
  const draft = `${layout.cluster}.new-${randomBytes(4).toString('hex')}`
  const passwordFile = `${draft}.password`
  await mkdir(draft, { mode: 0o700 })
  await writeFile(passwordFile, password, { mode: 0o600 })
  if (user !== null) {
    await chown(draft, user.uid, user.gid)
    await chown(passwordFile, user.uid, user.gid)
  }
  try {
    await runInitdb(binaries, { user, signal }, [
      `--pgdata=${draft}`,
      `--username=${superuser}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--data-checksums',
      '--no-instructions',
    ])
    await rename(draft, layout.cluster)
    await syncDir(layout.dir)
  } finally {
    await removeDrafts(layout)
  }
}

async function runInitdb(
  binaries: Binaries,
  { user, signal }: { readonly user: OsUser | null; readonly signal: AbortSignal | undefined },
  args: readonly string[],
): Promise<void> {
  signal?.throwIfAborted()
  // A Ctrl-C at the terminal is for the owner to handle.
  const child = spawn(binaries.initdb, args, {
    ...user,
    ...ownSession(),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4000)
  })
  const end = () => endGroup(child)
  signal?.addEventListener('abort', end)
  const code = await new Promise<number | string | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (exit, ended) => resolve(exit ?? ended))
  }).catch((error: unknown) => String(error))
  signal?.removeEventListener('abort', end)
  signal?.throwIfAborted()
  if (code === 0) return
  throw new EmbeddedPostgresError('initdb_failed', `initdb failed (${code}): ${said.trim()}`)
}

/** Ends `initdb` with the server that it runs: they are a group of their own. */
function endGroup({ pid }: { readonly pid?: number | undefined }): void {
  if (pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGTERM')
  } catch {
    // It has just ended.
  }
}

async function syncDir(dir: string): Promise<void> {
  // Windows cannot sync a directory, and does not need to.
  if (process.platform === 'win32') return
  const handle = await open(dir, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
