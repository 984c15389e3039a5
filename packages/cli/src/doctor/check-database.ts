import { readMigrations } from '@signalbox/postgres'
import { readEnvironment } from '@signalbox/server'
import { Client } from 'pg'
import { findEmbedded } from '../local/embedded-place.ts'
import type { Shell } from '../shell.ts'
import { type Finding, fail, ok, reason, warn } from './finding.ts'

const connectMsMax = 5000

/** Does Postgres answer, is it new enough, and is its schema ours? */
export async function checkDatabase(shell: Shell): Promise<readonly Finding[]> {
  const { databaseUrl } = readEnvironment(shell.env)
  if (databaseUrl !== null) return checkUrl(databaseUrl)
  const { dir, exists, owner, url } = await findEmbedded(shell)
  if (!exists) return [ok('data', `${dir} is made at the first start, with an embedded Postgres`)]
  if (owner === null)
    return [ok('data', `${dir}: an embedded Postgres that starts with the server`)]
  const owned = ok('data', `${dir} is in use by process ${owner}`)
  if (url !== null) return [owned, ...(await checkUrl(url))]
  return [owned, warn('postgres', 'the embedded Postgres is not ready', 'Try again in a moment.')]
}

async function checkUrl(url: string): Promise<readonly Finding[]> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: connectMsMax,
    query_timeout: connectMsMax,
  })
  client.on('error', () => {
    // The next query says so.
  })
  const { host, pathname } = new URL(url)
  try {
    await client.connect()
    const { rows } = await client.query<{ number: string; name: string }>(
      `select current_setting('server_version_num') as number, current_setting('server_version') as name`,
    )
    const [{ number, name } = { number: '0', name: 'unknown' }] = rows
    const about = `${name} at ${host}${pathname}`
    return [
      Number(number) >= oldest
        ? ok('postgres', about)
        : fail('postgres', about, 'Use PostgreSQL 16 or newer.'),
      await checkSchema(client),
    ]
  } catch (error) {
    const fix = 'Check DATABASE_URL, and that the server runs; or unset it for the embedded one.'
    return [fail('postgres', `${host}${pathname}: ${reason(error)}`, fix)]
  } finally {
    await client.end().catch(() => {})
  }
}

const oldest = 160_000

async function checkSchema(client: Client): Promise<Finding> {
  const known = (await readMigrations()).length
  const there = await client.query(`select 1 where to_regclass('signalbox.migration') is not null`)
  if (there.rowCount === 0)
    return warn('schema', 'there is none yet; a server makes it', 'signalbox migrate')
  try {
    const { rows } = await client.query<{ version: number }>(
      'select coalesce(max(version), 0)::int as version from signalbox.migration',
    )
    const version = rows[0]?.version ?? 0
    if (version === known) return ok('schema', `version ${version}, the newest`)
    if (version > known)
      return fail('schema', `version ${version} is newer than this Signalbox`, 'Update signalbox.')
    const message = `version ${version} of ${known}; a server brings it up to date`
    return warn('schema', message, 'signalbox migrate')
  } catch (error) {
    return warn('schema', reason(error), 'Use the user that owns the database in DATABASE_URL.')
  }
}
