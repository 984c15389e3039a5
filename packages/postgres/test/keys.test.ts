/**
 * Keys of the API in the database. Would catch: a tenant that sees, makes or revokes keys of another, a digest that somebody
 * can read, a write beside the functions, a revoked key that comes back.
 */
import { createHash, randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createKeyring, type KeyDraft, type Keyring } from '../src/keys/keyring.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'

let database: TestDatabase
let keys: Keyring
let app: pg.Client

beforeAll(async () => {
  database = await createTestDatabase()
  keys = createKeyring({ url: database.appUrl })
  app = new pg.Client(database.appUrl)
  await app.connect()
})
afterAll(async () => {
  await keys.close()
  await app.end()
  await database.drop()
})

const draft = (over: Partial<KeyDraft> = {}): KeyDraft => ({
  tenantId: 'acme',
  id: randomBytes(8).toString('hex'),
  name: 'ci',
  scopes: ['read', 'enqueue'],
  digest: createHash('sha256').update(randomBytes(8)).digest('hex'),
  by: 'key:boss',
  expiresAt: null,
  ...over,
})

describe('a key', () => {
  it('opens for who shows all of it, until it is revoked, and that once', async () => {
    expect(await keys.hasAny()).toBe(false)
    const wish = draft()
    const made = await keys.create(wish, 1000)
    const { digest: _, by, ...rest } = wish
    expect(made).toMatchObject({ ...rest, createdBy: by, status: 'live', lastUsedAt: null })
    const stands = { tenantId: 'acme', scopes: wish.scopes, isRevoked: false, leftMs: null }
    expect(await keys.shown(wish)).toEqual(stands)
    expect(await keys.shown({ ...wish, digest: '00'.repeat(32) })).toBeNull()
    expect(await keys.shown({ ...wish, id: 'other' })).toBeNull()

    const first = await keys.revoke('acme', { id: wish.id, by: 'key:one' })
    expect(first).toMatchObject({ status: 'revoked', revokedBy: 'key:one' })
    expect(await keys.revoke('acme', { id: wish.id, by: 'key:two' })).toEqual(first)
    expect(await keys.shown(wish)).toEqual({ ...stands, isRevoked: true })
    expect(await keys.hasAny()).toBe(true)
  })

  it('ends by the clock of the database', async () => {
    const soon = draft({ expiresAt: Date.now() + 60_000 })
    const late = draft({ expiresAt: Date.now() - 60_000 })
    await keys.create(soon, 1000)
    expect(await keys.create(late, 1000)).toMatchObject({ status: 'expired' })
    const left = (await keys.shown(soon))?.leftMs ?? 0
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThanOrEqual(60_000)
    expect((await keys.shown(late))?.leftMs).toBeLessThan(0)
  })

  it('is of one tenant: no other sees, revokes or makes it', async () => {
    const wish = draft({ tenantId: 'mine' })
    await keys.create(wish, 1000)
    expect(await keys.list('mine', {})).toHaveLength(1)
    expect(await keys.list('other', {})).toEqual([])
    expect(await keys.revoke('other', { id: wish.id, by: 'x' })).toBeNull()
    expect(await keys.list('mine', {})).toMatchObject([{ status: 'live' }])
    await app.query("select set_config('signalbox.tenant', 'other', false)")
    const foreign = JSON.stringify(draft({ tenantId: 'mine' }))
    for (const statement of [
      `select signalbox.create_api_key('${foreign}', 1000)`,
      `select signalbox.revoke_api_key('mine', '${wish.id}', 'x')`,
    ])
      await expect(app.query(statement)).rejects.toMatchObject({ code: '42501' })
    const found = await app.query('select id from signalbox.api_key')
    expect(found.rowCount).toBe(0)
  })

  it('is counted: a tenant has so many live ones, also if all are made at once', async () => {
    const tenantId = 'many'
    const wishes = Array.from({ length: 5 }, () => draft({ tenantId }))
    const made = await Promise.all(wishes.map((wish) => keys.create(wish, 2)))
    expect(made.filter((key) => key !== null)).toHaveLength(2)
    const [live] = await keys.list(tenantId, {})
    await keys.revoke(tenantId, { id: live?.id ?? '', by: 'x' })
    expect(await keys.create(draft({ tenantId }), 2)).not.toBeNull()
    expect(await keys.list(tenantId, { limit: 2, offset: 1 })).toHaveLength(2)
  })

  it('is noted as used, once a minute at most', async () => {
    const wish = draft({ tenantId: 'used' })
    await keys.create(wish, 1000)
    await keys.touch([wish.id, 'nobody'])
    const [first] = await keys.list('used', {})
    expect(first?.lastUsedAt).toBeGreaterThanOrEqual(first?.createdAt ?? 0)
    await keys.touch([wish.id])
    expect(await keys.list('used', {})).toEqual([first])
  })

  it.each([
    ['an unknown scope', { scopes: ['root'] }],
    ['a tenant that is none', { tenantId: 'a b' }],
    ['no name', { name: '' }],
    ['a digest of another kind', { digest: 'abcd' }],
  ])('is refused with %s', async (_, over) => {
    await expect(keys.create(draft(over), 1000)).rejects.toMatchObject({ code: '23514' })
  })
})

describe('the table', () => {
  it('is written by nobody, and shows its digests to nobody', async () => {
    const engine = new pg.Client(database.engineUrl)
    await engine.connect()
    for (const client of [app, engine])
      for (const statement of [
        'insert into signalbox.api_key default values',
        'update signalbox.api_key set revoked_at = null',
        'delete from signalbox.api_key',
        'truncate signalbox.api_key',
        'select digest from signalbox.api_key',
        'select * from signalbox.api_key',
      ])
        await expect(client.query(statement)).rejects.toMatchObject({ code: '42501' })
    for (const call of ['has_api_keys()', "touch_api_keys('{}')", "shown_api_key('a', 'b')"])
      await expect(engine.query(`select signalbox.${call}`)).rejects.toMatchObject({
        code: '42501',
      })
    await engine.end()
  })
})
