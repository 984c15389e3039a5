/** The two ways to the newest schema: of a new database, and of a register that the build before wrote. */
import { createHash } from 'node:crypto'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { checkSchema, SchemaOutdated } from '../src/migrate/check-schema.ts'
import { describeSchema } from '../src/migrate/describe-schema.ts'
import {
  filesNamedIn,
  migrationsFolder,
  readMigrations,
  readRegister,
} from '../src/migrate/files.ts'
import { migrate, MigrationRefused } from '../src/migrate/migrate.ts'
import { newestVersion } from '../src/migrate/standing.ts'
import { migrateAsBefore, readBefore, versionBefore } from './support/before.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { Hold, kill9, startMigrating } from './support/held-migration.ts'
import { ask } from './support/ask.ts'

const databases: TestDatabase[] = []

async function emptyDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase(true)
  databases.push(database)
  return database
}

afterAll(async () => {
  for (const database of databases) await database.drop()
})

const golden = () => readFile(new URL('schema.sql', migrationsFolder), 'utf8')

const functions = (adminUrl: string) =>
  ask<{ name: string; text: string }>(
    adminUrl,
    `select oid::regprocedure::text as name, pg_get_functiondef(oid) as text from pg_proc
     where pronamespace = 'signalbox'::regnamespace order by 1`,
  )

/** The upgrade alone, without the steps that came after it. */
const upgradeOf = async (adminUrl: string) =>
  migrate(adminUrl, { migrations: (await readMigrations()).slice(0, 1) })

it('upgrades the last schema before to the one of a new database', async () => {
  const { adminUrl } = await emptyDatabase()
  await migrateAsBefore(adminUrl)
  await expect(checkSchema(adminUrl)).rejects.toThrow(SchemaOutdated)
  const steps = await readMigrations()
  expect(await migrate(adminUrl)).toEqual({
    version: newestVersion(steps),
    applied: steps.map(({ name }) => name),
    unknown: [],
    feedIsAhead: false,
  })
  expect(await describeSchema(adminUrl)).toBe(await golden())
  expect(await migrate(adminUrl)).toMatchObject({ applied: [] })
})

it('upgrades without another text of any function: an append costs what it did', async () => {
  const { adminUrl } = await emptyDatabase()
  await migrateAsBefore(adminUrl)
  const before = await functions(adminUrl)
  expect(before.length).toBeGreaterThan(100)
  await upgradeOf(adminUrl)
  expect(await functions(adminUrl)).toEqual(before)
})

it('leaves a build of before its way back: it works with the upgraded schema, and starts on it', async () => {
  const { adminUrl } = await emptyDatabase()
  await migrateAsBefore(adminUrl)
  const { applied } = await upgradeOf(adminUrl)
  const migrations = await readBefore()
  expect(await migrate(adminUrl, { migrations })).toMatchObject({ applied: [], unknown: applied })
  // As its health check asks: the newest migration that a build must know is none that it does not.
  const [row] = await ask(
    adminUrl,
    `select max(version)::int as version, max(coalesce(needs_code, version))::int as needs
     from signalbox.migration where version > ${versionBefore}`,
  )
  expect(row?.['version']).toBeGreaterThan(versionBefore)
  expect(row?.['needs']).toBeLessThanOrEqual(versionBefore)
})

it('records what a new database stands for, as an upgraded one does', async () => {
  const [upgraded, fresh] = [await emptyDatabase(), await emptyDatabase()]
  await migrateAsBefore(upgraded.adminUrl)
  await migrate(upgraded.adminUrl)
  await migrate(fresh.adminUrl)
  const rows = `select version, name, checksum, needs_code from signalbox.migration where version > ${versionBefore} order by version`
  const steps = (await readMigrations()).map(({ version, name, checksum, needsCode }) => ({
    version,
    name,
    checksum,
    needs_code: needsCode ?? version,
  }))
  expect(await ask(upgraded.adminUrl, rows)).toEqual(steps)
  expect(await ask(fresh.adminUrl, rows)).toEqual(steps)
  const ofBefore = `select version from signalbox.migration where version <= ${versionBefore}`
  expect(await ask(upgraded.adminUrl, ofBefore)).toHaveLength(versionBefore)
  expect(await ask(fresh.adminUrl, ofBefore)).toEqual([{ version: 1 }])
})

it('refuses a schema that is older than the last before, and says the way', async () => {
  const { adminUrl } = await emptyDatabase()
  await migrateAsBefore(adminUrl, 15)
  const refused = migrate(adminUrl)
  await expect(refused).rejects.toThrow(MigrationRefused)
  await expect(refused).rejects.toThrow(
    `it has the schema of version 15, and this build upgrades from version ${versionBefore}. ` +
      `Run "signalbox migrate" of a build that knows version ${versionBefore}, then that of this build`,
  )
  await expect(checkSchema(adminUrl)).rejects.toThrow('the schema of version 15')
  expect(await ask(adminUrl, 'select version from signalbox.migration')).toHaveLength(15)
})

it('has each table and function in one file, which the register names once', async () => {
  const named = filesNamedIn(await readFile(new URL('0001_register.sql', migrationsFolder), 'utf8'))
  expect(new Set(named).size).toBe(named.length)
  const there = (await readdir(migrationsFolder, { recursive: true }))
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.sql') && !/^(\d{4}_|schema)/.test(path))
  expect(named.toSorted()).toEqual(there.toSorted())
  for (const file of there.filter((path) => path.startsWith('functions/'))) {
    const sql = await readFile(new URL(file, migrationsFolder), 'utf8')
    const made = [...sql.matchAll(/^create (?:or replace )?function (\w+)/gm)].map(([, of]) => of)
    expect(made, file).toEqual([file.slice('functions/'.length, -'.sql'.length)])
    // Executed once more by a step, it leaves nothing but the function.
    expect(sql, file).toMatch(/^create or replace function/m)
    expect(sql, file).toContain(`\nrevoke execute on function ${made[0]} from public;\n`)
  }
})

it('brings a function with the last step that names its file, and only the text that it was made with', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-migrations-'))
  const url = pathToFileURL(`${folder}/`)
  const write = (name: string, text: string) => writeFile(join(folder, name), text)
  // printf 'select 1;' | sha256sum
  const one = 'sha256:354b7196c9ba5fb4'
  try {
    await mkdir(join(folder, 'functions'))
    await write('functions/wall.sql', 'select 1;')
    await write('0026_a.sql', `select 0;\n\\ir functions/wall.sql ${one}\n`)
    const [alone] = await readMigrations(url)
    expect(alone?.sql).toBe('select 0;\nselect 1;\n')
    // Edited without a step: nothing would bring it to a database that has this one.
    await write('functions/wall.sql', 'select 2;')
    const [, two = ''] =
      /must say: \\ir functions\/wall\.sql (sha256:[0-9a-f]{16})$/.exec(
        await readMigrations(url).then(String, String),
      ) ?? []
    await write('0027_b.sql', `\\ir functions/wall.sql ${two}\n`)
    const [first, second] = await readMigrations(url)
    expect(first?.sql).toBe('select 0;\n\n')
    expect(first?.checksum).toBe(alone?.checksum)
    expect(second?.sql).toBe('select 2;\n')
    await write('0027_b.sql', '\\ir functions/wall.sql\n')
    await expect(readMigrations(url)).rejects.toThrow(
      'migration 0027_b.sql: functions/wall.sql has another text than this step brings',
    )
    await write('0027_b.sql', '\\ir functions/none.sql\n')
    await expect(readMigrations(url)).rejects.toThrow(
      'migration 0027_b.sql: it names functions/none.sql, which cannot be read',
    )
    await write('0027_b.sql', '\\ir ../secret.sql\n')
    await expect(readMigrations(url)).rejects.toThrow(
      'migration 0027_b.sql: \\ir takes a file like functions/append.sql, not "../secret.sql"',
    )
  } finally {
    await rm(folder, { recursive: true })
  }
})

it('changes a function by a step that names its file, and nothing else', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-migrations-'))
  const step = '0026_one_file_per_function.sql'
  try {
    const kept = await readFile(new URL('functions/kept.sql', migrationsFolder), 'utf8')
    const text = kept.replace('return 100 + 4 * open', 'return 101 + 4 * open')
    expect(text).not.toBe(kept)
    await mkdir(join(folder, 'functions'))
    await writeFile(join(folder, 'functions/kept.sql'), text)
    await copyFile(new URL(step, migrationsFolder), join(folder, step))
    const pin = createHash('sha256').update(text).digest('hex').slice(0, 16)
    const head = 'set local role signalbox_owner;\nset local search_path = signalbox, pg_catalog;\n'
    await writeFile(join(folder, '0027_more.sql'), `${head}\\ir functions/kept.sql sha256:${pin}\n`)
    const migrations = await readMigrations(pathToFileURL(`${folder}/`))
    const { adminUrl } = await emptyDatabase()
    await migrateAsBefore(adminUrl)
    await upgradeOf(adminUrl)
    const before = await describeSchema(adminUrl)
    expect(await migrate(adminUrl, { migrations })).toMatchObject({ applied: ['0027_more.sql'] })
    expect(await describeSchema(adminUrl)).toBe(
      before.replace('(100 + (4 * open))', '(101 + (4 * open))'),
    )
  } finally {
    await rm(folder, { recursive: true })
  }
})

it('tells a new database by its register, whatever text that has', async () => {
  const { adminUrl } = await emptyDatabase()
  await migrate(adminUrl)
  const register = await readRegister()
  const [row] = await ask(
    adminUrl,
    'select name, checksum from signalbox.migration where version = 1',
  )
  expect(row).toEqual({ name: '0001_register.sql', checksum: register.checksum })
  // The files go on, so the next build has another text.
  await ask(
    adminUrl,
    "set role signalbox_owner; update signalbox.migration set checksum = 'x' where version = 1",
  )
  expect(await migrate(adminUrl)).toMatchObject({ applied: [] })
})

const inTheMiddle = [
  { of: 'a new database', command: 'CREATE TABLE', object: 'signalbox.event' },
  {
    of: 'a new database',
    command: 'CREATE FUNCTION',
    object: 'signalbox.append_item(pg_catalog.jsonb)',
  },
  { of: 'a new database', command: 'CREATE POLICY', object: 'app_read on signalbox.feed_stretch' },
  { of: 'a register of before', command: 'ALTER TABLE', object: 'signalbox.migration' },
] as const

it.each(inTheMiddle)('is all or nothing for $of, killed behind $command $object', async (at) => {
  const { adminUrl } = await emptyDatabase()
  if (at.of === 'a register of before') await migrateAsBefore(adminUrl)
  const state = () =>
    at.of === 'a register of before'
      ? describeSchema(adminUrl)
      : ask(adminUrl, "select to_regnamespace('signalbox') as there")
  const before = await state()
  const hold = await Hold.at(adminUrl, at.command, at.object)
  const killed = startMigrating(adminUrl)
  await expect.poll(() => hold.waiting()).toBe(1)
  await kill9(killed)
  await hold.release()
  await expect.poll(() => hold.sessions()).toBe(0)
  expect(await state()).toEqual(before)
  // The next start goes on.
  expect((await migrate(adminUrl)).applied).not.toEqual([])
  expect(await describeSchema(adminUrl)).toBe(await golden())
})

it.each(['is done', 'is killed'])('lets a second process wait until the first %s', async (end) => {
  const { adminUrl } = await emptyDatabase()
  await migrateAsBefore(adminUrl)
  const hold = await Hold.at(adminUrl, 'ALTER TABLE', 'signalbox.migration')
  const first = startMigrating(adminUrl)
  await expect.poll(() => hold.waiting()).toBe(1)
  const second = startMigrating(adminUrl)
  await expect.poll(() => hold.waiting()).toBe(2)
  if (end === 'is killed') await kill9(first)
  await hold.release()
  const names = (await readMigrations()).map(({ name }) => name)
  expect(await first.applied).toEqual(end === 'is done' ? names : null)
  expect(await second.applied).toEqual(end === 'is done' ? [] : names)
  expect(await describeSchema(adminUrl)).toBe(await golden())
})
