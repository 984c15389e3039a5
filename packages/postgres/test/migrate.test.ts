/** Migrations: the golden schema, what is refused, partitions, and a user who is no superuser. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { limits } from '@signalbox/core'
import { describeSchema } from '../src/migrate/describe-schema.ts'
import {
  type Migration,
  migrationsFolder,
  readMigrations,
  readRegister,
} from '../src/migrate/files.ts'
import { migrate, MigrationRefused } from '../src/migrate/migrate.ts'
import { ensurePartitions } from '../src/migrate/partitions.ts'
import { scramVerifier } from '../src/migrate/scram.ts'
import { newestVersion } from '../src/migrate/standing.ts'
import { ask } from './support/ask.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'

const databases: TestDatabase[] = []

async function emptyDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase(true)
  databases.push(database)
  return database
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
  const { version } = reports[0] ?? {}
  expect(await migrate(adminUrl)).toMatchObject({ version, applied: [], unknown: [] })
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

it('refuses an edited step, and undoes a failing one', async () => {
  const { adminUrl } = await emptyDatabase()
  const known = await readMigrations()
  await migrate(adminUrl)
  const edited = known.map((one) => ({ ...one, checksum: 'edited' }))
  await expect(migrate(adminUrl, { migrations: edited })).rejects.toThrow(MigrationRefused)
  const next = newestVersion(known) + 1
  const failures = [
    { sql: 'create table signalbox.half (n int); select 1 / 0', code: '22012' },
    // Done, but not to be recorded: the row is there.
    {
      sql: `create table signalbox.half (n int); insert into signalbox.migration values (${next}, 'x', 'x', now(), 1)`,
      code: '23505',
    },
  ]
  for (const { sql, code } of failures) {
    const migrations = [...known, step(next, sql)]
    await expect(migrate(adminUrl, { migrations })).rejects.toMatchObject({ code })
    const [half] = await ask<{ t: unknown }>(adminUrl, "select to_regclass('signalbox.half') as t")
    expect(half?.t).toBeNull()
  }
})

const step = (version: number, sql: string, needsCode?: number): Migration => ({
  version,
  name: `${String(version).padStart(4, '0')}_next.sql`,
  sql,
  checksum: `c${version}`,
  ...(needsCode === undefined ? {} : { needsCode }),
})

it('works with a newer schema as long as no step of it needs a newer build', async () => {
  const { adminUrl } = await emptyDatabase()
  const known = await readMigrations()
  const own = newestVersion(known)
  const additive = step(own + 1, 'create table signalbox.more (n int)', own)
  const later = step(own + 2, 'create table signalbox.most (n int)', own + 1)
  const removal = step(own + 3, 'drop table signalbox.more')
  // A process of the next release migrates; those of this one go on, and can be started again.
  await migrate(adminUrl, { migrations: [...known, additive] })
  expect(await migrate(adminUrl)).toEqual({
    version: own + 1,
    applied: [],
    unknown: [additive.name],
    feedIsAhead: false,
  })
  for (const breaking of [
    [additive, later],
    [additive, later, removal],
  ]) {
    await migrate(adminUrl, { migrations: [...known, ...breaking] })
    const refused = migrate(adminUrl)
    await expect(refused).rejects.toThrow(MigrationRefused)
    const needed = breaking.at(-1) === later ? own + 1 : own + 3
    await expect(refused).rejects.toThrow(
      `migrations up to ${own}, and one with ${needed} is needed`,
    )
    await expect(refused).rejects.toThrow(breaking.at(-1)?.name)
  }
  // The release between: it knows the step that was asked for.
  const between = [...known, additive, later]
  await expect(migrate(adminUrl, { migrations: between })).rejects.toThrow('does not know')
})

it('reads which build a step needs from its first line', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-migrations-'))
  const url = pathToFileURL(`${folder}/`)
  const read = async (first: string) => {
    await writeFile(join(folder, '0002_a.sql'), `${first}\nselect 1;`)
    return (await readMigrations(url))[0]?.needsCode
  }
  expect(await read('-- needs_code: 1')).toBe(1)
  expect(await read('-- Says nothing.')).toBeUndefined()
  for (const wrong of [
    '-- needs_code: 0',
    '-- needs_code: 3',
    '-- needs_code: x',
    '-- needs_code:',
  ])
    await expect(read(wrong)).rejects.toThrow('needs_code must be a number from 1 to 2')
  await rm(folder, { recursive: true })
})

it('has the limits of the core written into its functions', async () => {
  const { sql } = await readRegister()
  expect(sql).toContain(`char_length(t) between 1 and ${limits.idCharsMax}`)
  expect(sql).toContain(`jsonb_array_length(items) not between 1 and ${limits.batchItemsMax} `)
  expect(sql).toContain(
    `limit ${limits.queuedPerThreadMax}) waiting) >= ${limits.queuedPerThreadMax}`,
  )
})

it('has the limits of a history, and of a state, written into its functions', async () => {
  const { sql } = await readRegister()
  expect(sql).toContain(`return ${limits.eventsPerRunMax};`)
  expect(sql).toContain(`return ${limits.eventsKept} + ${limits.eventsKeptPerEffect} * open;`)
  expect(sql).toContain(`octet_length(d ->> 'state') > ${limits.stateBytesMax}\n`)
  expect(sql).toContain(`octet_length(d ->> 'state') > ${limits.finalStateBytesMax})`)
})

it('has the limits of what is said to a run written into its function', async () => {
  const { sql } = await readRegister()
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
  expect((await migrate(url.href)).applied).toEqual(['0001_register.sql'])
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
