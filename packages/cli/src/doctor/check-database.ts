import {
  type Applied,
  appliedQuery,
  newestVersion,
  readMigrations,
  type Standing,
  standingOf,
} from '@signalbox/postgres'
import { readEnvironment } from '@signalbox/server'
import { Client } from 'pg'
import { findEmbedded } from '../local/embedded-place.ts'
import type { Shell } from '../shell.ts'
import { type DoctorFinding, failed, ok, errorLine, warn } from './finding.ts'

const connectMsMax = 5000

/** Does Postgres answer, is it new enough, and is its schema ours? */
export async function checkDatabase(shell: Shell): Promise<readonly DoctorFinding[]> {
  const { databaseUrl, loginUrls } = readEnvironment(shell.env)
  if (databaseUrl !== null) return checkUrl(databaseUrl)
  if (loginUrls.engine !== null) return checkUrl(loginUrls.engine, { isAdministrator: false })
  const { dir, exists, owner, url } = await findEmbedded(shell)
  if (!exists) return [ok('data', `${dir} is made at the first start, with an embedded Postgres`)]
  if (owner === null)
    return [ok('data', `${dir}: an embedded Postgres that starts with the server`)]
  const owned = ok('data', `${dir} is in use by process ${owner}`)
  if (url !== null) return [owned, ...(await checkUrl(url))]
  return [owned, warn('postgres', 'the embedded Postgres is not ready', 'Try again in a moment.')]
}

/** A process that is told its logins alone looks as one of them. */
async function checkUrl(
  url: string,
  as: { readonly isAdministrator: boolean } = { isAdministrator: true },
): Promise<readonly DoctorFinding[]> {
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
        : failed('postgres', about, 'Use PostgreSQL 16 or newer.'),
      ...(await checkSchema(client, as.isAdministrator)),
    ]
  } catch (error) {
    const fix = 'Check DATABASE_URL, and that the server runs; or unset it for the embedded one.'
    return [failed('postgres', `${host}${pathname}: ${errorLine(error)}`, fix)]
  } finally {
    await client.end().catch(() => {})
  }
}

const oldest = 160_000

async function checkSchema(
  client: Client,
  isAdministrator: boolean,
): Promise<readonly DoctorFinding[]> {
  const there = await client.query(`select 1 where to_regclass('signalbox.migration') is not null`)
  if (there.rowCount === 0)
    return [warn('schema', 'there is none yet; a server makes it', 'signalbox migrate')]
  try {
    if (isAdministrator) await client.query('set role signalbox_owner')
    const { rows } = await client.query<Applied>(appliedQuery)
    const known = await readMigrations()
    const finding = schemaFinding(
      newestVersion(rows),
      standingOf(rows, known),
      newestVersion(known),
    )
    return finding.status === 'ok' ? [finding, ...(await checkRegister(client))] : [finding]
  } catch (error) {
    return [
      warn('schema', errorLine(error), 'Use the user that owns the database in DATABASE_URL.'),
    ]
  }
}

function schemaFinding(version: number, standing: Standing, known: number): DoctorFinding {
  if (standing.kind === 'refused')
    return failed('schema', standing.why, 'Use the build that it asks for.')
  if (standing.kind === 'newer')
    return ok('schema', `version ${version}, newer than this build, which works with it`)
  if (standing.missing.length === 0) return ok('schema', `version ${version}, the newest`)
  const message = `version ${version} of ${known}; a server brings it up to date`
  return warn('schema', message, 'signalbox migrate')
}

/** Does the database take writes, and is its feed that of this cluster? */
async function checkRegister(client: Client): Promise<readonly DoctorFinding[]> {
  const writes = await client.query('select signalbox.probe_write()').then(
    () => ok('writes', 'the database takes them'),
    (error: unknown) => failed('writes', errorLine(error), fixForWrites(error)),
  )
  const { rows } = await client.query<{ ahead: boolean }>(
    'select signalbox.feed_is_ahead() as ahead',
  )
  const feed =
    rows[0]?.ahead === true
      ? failed(
          'feed',
          'the register was restored from a dump, and restored events are in no audit',
          'Stop all processes, then: signalbox migrate --restored',
        )
      : ok('feed', 'no event is ahead of this cluster')
  return [writes, feed]
}

function fixForWrites(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === '53100')
    return 'The disk of Postgres is full: give it room. Nothing is lost; work goes on by itself.'
  if (code === '25006')
    return 'DATABASE_URL leads to a replica, or to a server that was set read-only: let it lead to the primary.'
  return 'See the log of Postgres.'
}
