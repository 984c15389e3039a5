/** Migrations: the golden schema, what is refused, partitions, and a user who is no superuser. */
import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { afterAll, expect, it } from 'vitest'
import { limits } from '@signalbox/core'
import { describeSchema } from '../src/migrate/describe-schema.ts'
import { migrationsFolder, readMigrations } from '../src/migrate/files.ts'
import { migrate, MigrationRefused } from '../src/migrate/migrate.ts'
import { ensurePartitions } from '../src/migrate/partitions.ts'
import { scramVerifier } from '../src/migrate/scram.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'

const databases: TestDatabase[] = []

async function emptyDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase(true)
  databases.push(database)
  return database
}

async function ask<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

afterAll(async () => {
  for (const database of databases) await database.drop()
})

it('makes the golden schema', async () => {
  const { adminUrl } = await emptyDatabase()
  await migrate(adminUrl)
  const golden = await readFile(new URL('schema.sql', migrationsFolder), 'utf8')
  expect(await describeSchema(adminUrl)).toBe(golden)
})

it('changes nothing when repeated, even by several at once', async () => {
  const { adminUrl } = await emptyDatabase()
  const reports = await Promise.all([1, 2, 3].map(() => migrate(adminUrl)))
  expect(reports.filter((report) => report.applied.length > 0)).toHaveLength(1)
  expect(await migrate(adminUrl)).toEqual({ version: reports[0]?.version, applied: [] })
})

it('is done by registers of one cluster at the same moment, although they share the roles', async () => {
  const registers = await Promise.all([1, 2, 3].map(() => createTestDatabase()))
  databases.push(...registers)
  const starts = registers.map(async ({ adminUrl, engineUrl }) => {
    // The one it has: others log in meanwhile.
    const { password } = new URL(engineUrl)
    for (let n = 0; n < 20; n += 1) await migrate(adminUrl, { passwords: { engine: password } })
    return ask(engineUrl, 'select')
  })
  expect(await Promise.all(starts)).toHaveLength(3)
})

it('refuses an edited step and a database from the future, and undoes a failing step', async () => {
  const { adminUrl } = await emptyDatabase()
  const known = await readMigrations()
  const next = (sql: string) => [
    ...known,
    { version: known.length + 1, name: 'next.sql', sql, checksum: 'c' },
  ]
  await migrate(adminUrl)
  const edited = known.map((one) => ({ ...one, checksum: 'edited' }))
  await expect(migrate(adminUrl, { migrations: edited })).rejects.toThrow(MigrationRefused)
  const failing = next('create table signalbox.half (n int); select 1 / 0;')
  await expect(migrate(adminUrl, { migrations: failing })).rejects.toMatchObject({ code: '22012' })
  const [half] = await ask<{ t: unknown }>(adminUrl, "select to_regclass('signalbox.half') as t")
  expect(half?.t).toBeNull()
  await migrate(adminUrl, { migrations: next('create table signalbox.whole (n int)') })
  await expect(migrate(adminUrl)).rejects.toThrow(/does not know/)
})

it('has the limits of the core written into its functions', async () => {
  const sql = await readFile(new URL('0001_register.sql', migrationsFolder), 'utf8')
  expect(sql).toContain(`octet_length(d ->> 'state') > ${limits.stateBytesMax}`)
  expect(sql).toContain(`char_length(t) between 1 and ${limits.idCharsMax}`)
  expect(sql).toContain(`r.seq + item_events(item) > ${limits.eventsPerRunMax} `)
  expect(sql).toContain(`jsonb_array_length(items) not between 1 and ${limits.batchItemsMax} `)
  expect(sql).toContain(
    `limit ${limits.queuedPerThreadMax}) waiting) >= ${limits.queuedPerThreadMax}`,
  )
})

it('has the limits of what is said to a run written into its function', async () => {
  const sql = await readFile(new URL('0009_injected_input.sql', migrationsFolder), 'utf8')
  expect(sql).toContain(`> ${limits.injectedMessagesMax}\n`)
  expect(sql).toContain(`> ${limits.injectedBytesMax}\n`)
})

it('makes partitions three months ahead, and moves late rows out of the default one', async () => {
  const { adminUrl, maintenanceUrl } = await emptyDatabase()
  await migrate(adminUrl)
  const partitions = () =>
    ask<{ name: string }>(
      adminUrl,
      "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'signalbox.event'::regclass order by 1",
    )
  expect(await partitions()).toHaveLength(5)
  expect(await ensurePartitions(maintenanceUrl)).toBe(0)
  const [last] = (await partitions()).slice(-2)
  const name = last?.name ?? ''
  await ask(adminUrl, `drop table ${name}`)
  const row = `insert into signalbox.event
    select (lpad(to_hex(signalbox.to_ms(now() + interval '3 months')), 12, '0') || '7000800000000000beef')::uuid,
      1, 1, '3', now(), 't', 't', 'x', 1, 'a', null, null, null, '{}', '\\x00', '\\x00', '\\x00', '\\x00'
    returning tableoid::regclass::text as name`
  expect(await ask(adminUrl, row)).toEqual([{ name: 'signalbox.event_default' }])
  expect(await ensurePartitions(maintenanceUrl)).toBe(1)
  expect(
    await ask(adminUrl, 'select tableoid::regclass::text as name from signalbox.event'),
  ).toEqual([{ name }])
})

it('is done by a user with CREATEROLE who owns the database', async () => {
  const { adminUrl, name } = await emptyDatabase()
  await migrate(adminUrl)
  const manager = `manager_${name}`
  const password = scramVerifier('secret')
  await ask(adminUrl, `create role ${manager} login createrole password '${password}'`)
  await ask(adminUrl, `grant signalbox_owner to ${manager}`)
  const mine = await emptyDatabase()
  await ask(mine.adminUrl, `alter database ${mine.name} owner to ${manager}`)
  const url = new URL(mine.adminUrl)
  url.username = manager
  url.password = 'secret'
  const steps = await readMigrations()
  expect((await migrate(url.href)).applied).toHaveLength(steps.length)
  expect(await describeSchema(mine.adminUrl)).toBe(await describeSchema(adminUrl))
})

it('never sends a password as it is', () => {
  // RFC 7677, section 3: the example's password and salt; its server signature follows from this server key.
  const verifier = scramVerifier('pencil', Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64'))
  expect(verifier).toBe(
    'SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=',
  )
  expect(() => scramVerifier('pässword')).toThrow(/ASCII/)
})
