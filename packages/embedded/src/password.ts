import { randomBytes } from 'node:crypto'
import { chmod, readFile, rename, writeFile } from 'node:fs/promises'

import { EmbeddedPostgresError } from './errors.ts'
import { type Layout } from './layout.ts'

/**
 * The superuser's password: 256 random bits, made once, readable by the owner of the data directory only.
 *
 * @throws EmbeddedPostgresError `password_missing` if there is a cluster but no password for it
 */
export async function ensurePassword(layout: Layout, clusterExists: boolean): Promise<string> {
  const known = (await readFile(layout.password, 'utf8').catch(() => '')).trim()
  if (/^[A-Za-z0-9_-]{43}$/.test(known)) {
    await chmod(layout.password, 0o600)
    return known
  }
  if (clusterExists) {
    throw new EmbeddedPostgresError(
      'password_missing',
      `The password file ${layout.password} of the cluster is missing or damaged. Restore it from a ` +
        'backup, or move the data directory away to begin an empty one.',
    )
  }
  const password = randomBytes(32).toString('base64url')
  const draft = `${layout.password}.${process.pid}`
  await writeFile(draft, `${password}\n`, { mode: 0o600, flush: true })
  await rename(draft, layout.password)
  return password
}
