/** A database of one's own, on the one server of the test run. */
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { oncePerRun } from '../../../../test/support/once-per-run.ts'
import { factsFile, rootDatabase, ServerFacts, templateName } from './server-facts.ts'

export interface TestDatabase {
  readonly name: string
  /** As a superuser: the `DATABASE_URL` of a server. */
  readonly adminUrl: string
  readonly engineUrl: string
  readonly appUrl: string
  readonly maintenanceUrl: string
  /**
   * Waits until the audit's feed shows what is written: it shows nothing that is younger than the oldest transaction of the
   * whole server, which the databases of other tests share.
   */
  settled(): Promise<void>
  /** Ends what is still connected. */
  drop(): Promise<void>
}

/**
 * A database as a server leaves it at its first start, within a tenth of a second: a copy. `empty` starts from nothing
 * instead, for tests of the migration itself.
 */
export async function createTestDatabase(empty = false): Promise<TestDatabase> {
  const folder = await oncePerRun('postgres', new URL('server-process.ts', import.meta.url))
  const facts = ServerFacts.parse(JSON.parse(await readFile(join(folder, factsFile), 'utf8')))
  const name = `t_${randomBytes(6).toString('hex')}`
  const root = at(facts.admin, rootDatabase)
  // Copied file by file: the other strategy writes every block to the log as well.
  const template = empty ? 'template0' : `${templateName} strategy file_copy`
  await once(root, `create database ${name} encoding 'UTF8' template ${template}`)
  const adminUrl = at(facts.admin, name)
  return {
    name,
    adminUrl,
    engineUrl: at(facts.engine, name),
    appUrl: at(facts.app, name),
    maintenanceUrl: at(facts.maintenance, name),
    settled: () => settled(adminUrl),
    drop: () => once(root, `drop database ${name} with (force)`),
  }
}

function at(url: string, database: string): string {
  const other = new URL(url)
  other.pathname = `/${database}`
  return other.href
}

const once = (url: string, statement: string): Promise<void> =>
  connected(url, async (client) => void (await client.query(statement)))

export const settled = (url: string): Promise<void> =>
  connected(url, async (client) => {
    const { rows } = await client.query<{ xid: string }>('select pg_current_xact_id()::text as xid')
    const isPast = `select 1 where pg_snapshot_xmin(pg_current_snapshot()) > $1::xid8`
    while ((await client.query(isPast, [rows[0]?.xid])).rowCount === 0) await setTimeout(20)
  })

async function connected(url: string, ask: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await ask(client)
  } finally {
    await client.end()
  }
}
