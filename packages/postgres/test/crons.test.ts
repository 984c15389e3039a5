/**
 * Crons in the database. Would catch: a cron that moves on twice from one time, an owner's change that undoes a firing, a
 * tenant who reaches another's.
 */
import { limits } from '@signalbox/core'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readRegister } from '../src/migrate/files.ts'
import type { NewCron } from '../src/resources/cron.ts'
import { createResources, type Resources } from '../src/resources/resources.ts'
import { createUpkeep, type Upkeep } from '../src/resources/upkeep.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'

let database: TestDatabase
let resources: Resources
let upkeep: Upkeep
let app: pg.Client

beforeAll(async () => {
  database = await createTestDatabase()
  resources = createResources({ appUrl: database.appUrl })
  upkeep = createUpkeep({ engineUrl: database.engineUrl })
  app = new pg.Client(database.appUrl)
  await app.connect()
})
afterAll(async () => {
  await app?.end()
  await upkeep?.close()
  await resources?.close()
  await database?.drop()
})

const newCron = (over: Partial<NewCron> = {}): NewCron => ({
  cronId: crypto.randomUUID(),
  tenantId: 'one',
  threadId: null,
  assistant: 'clerk',
  schedule: '* * * * *',
  timezone: null,
  endAt: null,
  enabled: true,
  body: { input: 'x' },
  metadata: {},
  maker: { actor: 'api' },
  nextAt: Date.now() - 60_000,
  ...over,
})

it('exactly one of many moves a cron on from a time', async () => {
  const cron = newCron()
  await resources.crons.create(cron)
  const [due] = (await upkeep.dueCrons(10)).filter(({ cronId }) => cronId === cron.cronId)
  expect(due).toMatchObject({ ...cron, revision: 1, lastAt: null })
  if (!due) throw new Error('it is due')
  const next = Date.now() + 60_000
  const moved = await Promise.all(
    ['a', 'b', 'c', 'd'].map((run) => upkeep.advanceCron(due, { next, run, problem: null })),
  )
  expect(moved.filter(Boolean)).toHaveLength(1)
  const after = await resources.crons.cron('one', cron.cronId)
  expect(after).toMatchObject({ nextAt: next, lastAt: due.nextAt, revision: 1 })
  const wait = await upkeep.nextCron()
  expect(wait).toBeGreaterThan(0)
  expect(wait).toBeLessThanOrEqual(60_000)
})

it('what its owner changes leaves the time that is fired, unless the times change', async () => {
  const cron = newCron()
  await resources.crons.create(cron)
  const seen = await resources.crons.cron('one', cron.cronId)
  if (!seen) throw new Error('it was made')
  const next = Date.now() + 3_600_000
  await upkeep.advanceCron(
    { cronId: cron.cronId, nextAt: cron.nextAt ?? 0 },
    { next, run: 'r', problem: null },
  )
  expect(await resources.crons.update({ ...seen, metadata: { a: 1 }, nextAt: 5 }, false)).toBe(true)
  expect(await resources.crons.cron('one', cron.cronId)).toMatchObject({
    nextAt: next,
    metadata: { a: 1 },
    revision: 2,
  })
  expect(await resources.crons.update({ ...seen, nextAt: 5 }, true)).toBe(false)
  expect(
    await resources.crons.update({ ...seen, revision: 2, enabled: false, nextAt: null }, true),
  ).toBe(true)
  expect(await resources.crons.cron('one', cron.cronId)).toMatchObject({
    nextAt: null,
    enabled: false,
  })
})

it('tenants reach only their own, and nobody but the engine moves a cron on', async () => {
  const cron = newCron({ tenantId: 'two' })
  await resources.crons.create(cron)
  const { cronId } = cron
  expect(await resources.crons.cron('one', cronId)).toBeNull()
  expect(await resources.crons.delete('one', cronId)).toBe(false)
  expect((await resources.crons.crons('one', {})).map((each) => each.cronId)).not.toContain(cronId)
  expect(await resources.crons.update({ ...cron, tenantId: 'one', revision: 1 }, true)).toBe(false)
  await app.query("select set_config('signalbox.tenant', 'one', false)")
  const text = JSON.stringify({ ...cron, revision: 1 })
  for (const [statement, values] of [
    ['select signalbox.create_cron($1)', [text]],
    ['select signalbox.update_cron($1, true)', [text]],
    ["select signalbox.delete_cron('two', $1)", [cronId]],
    ["select signalbox.advance_cron($1, 1, 1, 'r', null)", [cronId]],
    ["update signalbox.cron set tenant_id = 'one'", []],
    ['insert into signalbox.cron default values', []],
    ['delete from signalbox.cron', []],
  ] as const)
    await expect(app.query(statement, [...values]), statement).rejects.toMatchObject({
      code: '42501',
    })
  expect(await resources.crons.delete('two', cronId)).toBe(true)
  expect(await resources.crons.cron('two', 'no-uuid')).toBeNull()
})

it('has the limits of the core written into its functions', async () => {
  const { sql } = await readRegister()
  expect(sql).toContain(`tenant_id = tenant) >= ${limits.cronsMax} `)
  expect(sql).toContain(`between 1 and ${limits.scheduleCharsMax}`)
})
