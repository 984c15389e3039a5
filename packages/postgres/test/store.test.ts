/**
 * The store: documents under namespaces, one tenant apart from the other. Would catch: a prefix that finds its neighbours, an
 * item of another tenant, one that is read after its time, a quota that two writers pass together.
 */
import { limits } from '@signalbox/core'
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { readRegister } from '../src/migrate/files.ts'
import { createResources, type Resources } from '../src/resources/resources.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'

let database: TestDatabase
let resources: Resources
let admin: pg.Client
let engine: pg.Client
let app: pg.Client

beforeAll(async () => {
  database = await createTestDatabase()
  resources = createResources({ appUrl: database.appUrl })
  admin = new pg.Client(database.adminUrl)
  engine = new pg.Client(database.engineUrl)
  app = new pg.Client(database.appUrl)
  for (const client of [admin, engine, app]) await client.connect()
})
afterAll(async () => {
  for (const client of [admin, engine, app]) await client?.end()
  await resources?.close()
  await database?.drop()
})

const put = (tenant: string, namespace: readonly string[], key = 'k', value = {}) =>
  resources.store.put(tenant, { namespace, key, value, ttlMinutes: null })
const found = async (tenant: string, prefix: readonly string[]) =>
  (await resources.store.items(tenant, { prefix, conditions: [] })).map((item) => item.namespace)
const used = async (tenant: string) =>
  (await admin.query('select items from signalbox.store_usage where tenant_id = $1', [tenant]))
    .rows[0]?.items

const age = (tenant: string) =>
  admin.query(
    `update signalbox.store_item set expires_at = now() - interval '1 second',
     created_at = now() - interval '1 day' where tenant_id = $1`,
    [tenant],
  )
const fill = (tenant: string, items: number) =>
  admin.query('update signalbox.store_usage set items = $2 where tenant_id = $1', [tenant, items])
const listed = async (search: object) =>
  (await resources.store.namespaces('n', { prefix: [], suffix: [], ...search })).map((each) =>
    each.join('.'),
  )

describe('namespaces', () => {
  it('a prefix finds what is under it and nothing else, whatever the labels', async () => {
    const label = fc.string({
      unit: fc.constantFrom('a', 'b', '😀'),
      minLength: 1,
      maxLength: 2,
    })
    const namespace = fc.array(label, { minLength: 1, maxLength: 3 })
    let n = 0
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(namespace, {
          minLength: 1,
          maxLength: 8,
          selector: (each) => each.join('.'),
        }),
        fc.array(label, { maxLength: 2 }),
        async (namespaces, prefix) => {
          const tenant = `p${n++}`
          for (const each of namespaces) await put(tenant, each)
          const expected = namespaces.filter((each) => prefix.every((one, at) => each[at] === one))
          expect((await found(tenant, prefix)).map(String).sort()).toEqual(
            expected.map(String).sort(),
          )
          expect(await used(tenant)).toBe(namespaces.length)
        },
      ),
      { numRuns: 40 },
    )
  })

  it('are listed by prefix, suffix and depth, each once', async () => {
    for (const each of ['a.x.1', 'a.x.2', 'a.y.1', 'b.x.1', 'b'].map((text) => text.split('.')))
      await put('n', each)
    expect(await listed({})).toEqual(['a.x.1', 'a.x.2', 'a.y.1', 'b', 'b.x.1'])
    expect(await listed({ prefix: ['a'], suffix: ['1'] })).toEqual(['a.x.1', 'a.y.1'])
    expect(await listed({ prefix: ['*', 'x'] })).toEqual(['a.x.1', 'a.x.2', 'b.x.1'])
    expect(await listed({ suffix: ['x', '*'] })).toEqual(['a.x.1', 'a.x.2', 'b.x.1'])
    expect(await listed({ maxDepth: 2 })).toEqual(['a.x', 'a.y', 'b', 'b.x'])
    expect(await listed({ maxDepth: 1, limit: 1, offset: 1 })).toEqual(['b'])
  })
})

describe('tenants', () => {
  it('see, write and delete only their own', async () => {
    await put('one', ['t'], 'k', { whose: 'one' })
    await put('two', ['t'], 'k', { whose: 'two' })
    const own = await resources.store.item('one', { namespace: ['t'], key: 'k' })
    expect(own?.value).toEqual({ whose: 'one' })
    await resources.store.delete('one', { namespace: ['t'], key: 'k' })
    expect(await found('one', [])).toEqual([])
    expect(await found('two', [])).toEqual([['t']])
    expect(await found('', [])).toEqual([])
  })

  it('nobody calls a writing function for another tenant, and nobody writes the tables', async () => {
    await app.query("select set_config('signalbox.tenant', 'one', false)")
    for (const statement of [
      "select signalbox.put_store_item('two', '{t}', 'k', '{}', null)",
      "select signalbox.delete_store_item('two', '{t}', 'k')",
      "select signalbox.prolong_store_items('two', '[]')",
      'select signalbox.sweep_store()',
      "select signalbox.sweep_tenant('one')",
      ...['store_item', 'store_usage'].flatMap((table) => [
        `insert into signalbox.${table} default values`,
        `update signalbox.${table} set tenant_id = 'x'`,
        `delete from signalbox.${table}`,
      ]),
    ])
      await expect(app.query(statement), statement).rejects.toMatchObject({ code: '42501' })
    await expect(engine.query('delete from signalbox.store_item')).rejects.toThrow('permission')
    const other = await app.query("select * from signalbox.store_usage where tenant_id = 'two'")
    expect(other.rowCount).toBe(0)
  })
})

describe('a time to live', () => {
  const key = { namespace: ['t'], key: 'k' }
  const live = (tenant: string, over = {}) =>
    resources.store.put(tenant, { ...key, value: {}, ttlMinutes: 5, ...over })

  it('ends what is not read, and a new item begins anew', async () => {
    await live('old')
    await age('old')
    expect(await resources.store.item('old', key)).toBeNull()
    expect(await found('old', [])).toEqual([])
    expect(await resources.store.namespaces('old', { prefix: [], suffix: [] })).toEqual([])
    await resources.store.prolong('old', [key])
    expect(await resources.store.item('old', key)).toBeNull()
    await live('old')
    const again = await resources.store.item('old', key)
    expect(again?.createdAt).toBe(again?.updatedAt)
    expect(await used('old')).toBe(1)
  })

  it('is given anew by a read, and taken away by a put without one', async () => {
    await live('read')
    const left = async () =>
      (
        await admin.query(
          `select round(extract(epoch from expires_at - now()) / 60)::int as minutes
           from signalbox.store_item where tenant_id = 'read'`,
        )
      ).rows[0].minutes
    await admin.query(
      `update signalbox.store_item set expires_at = now() + interval '1 minute' where tenant_id = 'read'`,
    )
    await resources.store.prolong('read', [key])
    expect(await left()).toBe(5)
    await live('read', { ttlMinutes: null })
    expect(await left()).toBeNull()
  })

  it('is swept, and what is left is counted', async () => {
    for (const n of ['1', '2', '3']) await live('swept', { key: n })
    await age('swept')
    await live('swept', { key: 'young' })
    await engine.query('select signalbox.sweep_store()')
    const rows = await admin.query("select key from signalbox.store_item where tenant_id = 'swept'")
    expect(rows.rows).toEqual([{ key: 'young' }])
    expect(await used('swept')).toBe(1)
  })

  it('is swept although that of another tenant cannot be', async () => {
    for (const tenant of ['a-bad', 'b-good']) {
      await live(tenant, { key: 'old' })
      await age(tenant)
    }
    // One less than this leaves the range of the column.
    await fill('a-bad', -2_147_483_648)
    await engine.query('select signalbox.sweep_store()')
    expect(await used('b-good')).toBe(0)
    await admin.query("delete from signalbox.store_item where tenant_id = 'a-bad'")
  })
})

describe('the quota', () => {
  it('lets exactly one of many writers have the last place, and all overwrite', async () => {
    await put('full', ['t'], 'first')
    await fill('full', limits.storeItemsMax - 1)
    const codes = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((key) => put('full', ['t'], key)))
    expect(codes.toSorted()).toEqual(['full', 'full', 'full', 'full', 'ok'])
    expect(await put('full', ['t'], 'first', { n: 1 })).toBe('ok')
    await resources.store.delete('full', { namespace: ['t'], key: 'first' })
    expect(await put('full', ['t'], 'again')).toBe('ok')
  })

  it('makes writers of one tenant wait for each other', async () => {
    await put('queue', ['t'], 'first')
    await fill('queue', limits.storeItemsMax - 1)
    await engine.query('begin')
    await engine.query("select signalbox.put_store_item('queue', '{t}', 'second', '{}', null)")
    const third = put('queue', ['t'], 'third')
    await vi.waitFor(async () => {
      const waits = await admin.query(
        `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      )
      expect(waits.rowCount).toBe(1)
    }, 10_000)
    await engine.query('commit')
    expect(await third).toBe('full')
  })

  it('counts nothing that has expired', async () => {
    await resources.store.put('gone', { namespace: ['t'], key: 'k', value: {}, ttlMinutes: 1 })
    // The store's clock counts milliseconds: a moment ago is over, now may not be.
    await admin.query(
      "update signalbox.store_item set expires_at = now() - interval '1 second' where tenant_id = 'gone'",
    )
    await fill('gone', limits.storeItemsMax)
    expect(await put('gone', ['t'], 'new')).toBe('ok')
    expect(await used('gone')).toBe(limits.storeItemsMax)
  })
})

it('refuses in the database what no boundary lets through', async () => {
  const long = 'x'.repeat(201)
  for (const [namespace, key, value, ttl] of [
    [[], 'k', '{}', null],
    [[''], 'k', '{}', null],
    [['a.b'], 'k', '{}', null],
    [['a\u0001'], 'k', '{}', null],
    [Array.from({ length: limits.storeDepthMax + 1 }, () => 'a'), 'k', '{}', null],
    [['x'.repeat(limits.storeNamespaceBytesMax + 1)], 'k', '{}', null],
    [['a'], long, '{}', null],
    [['a'], '', '{}', null],
    [['a'], 'k', '[]', null],
    [['a'], 'k', '{}', 0],
    [['a'], 'k', '{}', limits.storeTtlMinutesMax + 1],
  ])
    await expect(
      engine.query("select signalbox.put_store_item('bad', $1, $2, $3, $4)", [
        namespace,
        key,
        value,
        ttl,
      ]),
      JSON.stringify([namespace, key, value, ttl]).slice(0, 80),
    ).rejects.toMatchObject({ code: '22023' })
  const { sql } = await readRegister()
  expect(sql).toContain(`cardinality(n) <= ${limits.storeDepthMax} `)
  expect(sql).toContain(`<= ${limits.storeNamespaceBytesMax}\n`)
  expect(sql).toContain(`had >= ${limits.storeItemsMax} `)
  expect(sql).toContain(`<= ${limits.storeTtlMinutesMax})`)
})
