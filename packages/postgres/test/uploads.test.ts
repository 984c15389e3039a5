/**
 * Uploads in the register: content that arrives in pieces, and becomes a blob when a run is to name it. Would catch: half of a request that is
 * there, a tenant that reads, uses or removes what is another's, a sweep that removes what is young, or a blob.
 */
import { createHash } from 'node:crypto'
import { limits } from '@signalbox/core'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createReader, type Reader } from '../src/read/reader.ts'
import { createRegister } from '../src/register/register.ts'
import { createResources, type Resources } from '../src/resources/resources.ts'
import { createUpkeep, type Upkeep } from '../src/resources/upkeep.ts'
import type { StoredUpload } from '../src/resources/uploads.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'

let database: TestDatabase
let resources: Resources
let reader: Reader
let upkeep: Upkeep
let admin: pg.Client

beforeAll(async () => {
  database = await createTestDatabase()
  resources = createResources({ appUrl: database.appUrl })
  reader = createReader({ appUrl: database.appUrl })
  upkeep = createUpkeep({ engineUrl: database.engineUrl })
  admin = new pg.Client(database.adminUrl)
  await admin.connect()
  const register = createRegister({ engineUrl: database.engineUrl })
  for (const tenantId of ['a', 'b'])
    for (const threadId of ['t', 'other'])
      await register.ensureThread({
        tenantId,
        threadId,
        metadata: {},
        createdAt: 0,
        contentKey: '00'.repeat(32),
      })
  await register.close()
})
beforeEach(async () => {
  for (const table of ['upload', 'upload_part', 'blob'])
    await admin.query(`delete from signalbox.${table}`)
})
afterAll(async () => {
  await admin?.end()
  await upkeep?.close()
  await reader?.close()
  await resources?.close()
  await database?.drop()
})

const uploadOf = (id: string, content: string): StoredUpload => ({
  id,
  name: `${id}.txt`,
  mime: 'text/plain; charset=utf-8',
  bytes: Buffer.byteLength(content),
  sha256: createHash('sha256').update(content).digest('hex'),
  key: `key of ${content}`,
})

async function arrive(
  tenant: string,
  id: string,
  ...pieces: readonly string[]
): Promise<StoredUpload> {
  for (const [n, piece] of pieces.entries())
    await resources.uploads.putPart(tenant, { uploadId: id, n, bytes: Buffer.from(piece) })
  return uploadOf(id, pieces.join(''))
}

const count = async (table: 'upload' | 'upload_part' | 'blob'): Promise<number> =>
  (await admin.query(`select count(*)::int as n from signalbox.${table}`)).rows[0].n

const textOf = async (tenant: string, key: string): Promise<string | null> => {
  const bytes = await reader.blob(tenant, ['t'], key)
  return bytes && Buffer.from(bytes).toString()
}

describe('an upload', () => {
  it('becomes a blob of its thread when a run names it, its pieces in order, and may be named again', async () => {
    const pieces = Array.from({ length: 12 }, (_, n) => `${n},`)
    const upload = await arrive('a', 'u1', ...pieces)
    expect(await resources.uploads.finish('a', 't', [upload])).toBe('ok')
    expect(await count('blob')).toBe(0)
    for (let n = 0; n < 2; n += 1)
      expect(await resources.uploads.use('a', 't', ['u1'])).toEqual([upload])
    expect(await textOf('a', upload.key)).toBe(pieces.join(''))
    expect(await count('blob')).toBe(1)
  })

  it('may be empty', async () => {
    const upload = await arrive('a', 'u1', '')
    expect(await resources.uploads.finish('a', 't', [upload])).toBe('ok')
    await resources.uploads.use('a', 't', ['u1'])
    expect(await textOf('a', upload.key)).toBe('')
  })

  it('is there with all of its request, or not at all', async () => {
    const whole = await arrive('a', 'u1', 'one')
    const short = { ...(await arrive('a', 'u2', 'two')), bytes: 4 }
    const never = uploadOf('u3', '')
    for (const broken of [short, never])
      await expect(resources.uploads.finish('a', 't', [whole, broken])).rejects.toThrow(
        'upload_incomplete',
      )
    expect(await count('upload')).toBe(0)
    expect(await resources.uploads.use('a', 't', ['u1'])).toEqual([])
    expect(await count('blob')).toBe(0)
  })

  it('makes no blob beside one that is missing', async () => {
    const upload = await arrive('a', 'u1', 'one')
    await resources.uploads.finish('a', 't', [upload])
    expect(await resources.uploads.use('a', 't', ['u1', 'nope'])).toEqual([upload])
    expect(await count('blob')).toBe(0)
  })

  it('needs a thread that its users see', async () => {
    const upload = await arrive('a', 'u1', 'one')
    expect(await resources.uploads.finish('a', 'nowhere', [upload])).toBe('no_thread')
    await admin.query(
      "update signalbox.thread set hidden_at = now() where tenant_id = 'a' and thread_id = 'other'",
    )
    expect(await resources.uploads.finish('a', 'other', [upload])).toBe('no_thread')
  })

  it(`is one of ${limits.uploadsPerThreadMax} of its thread at most`, async () => {
    await admin.query(
      `insert into signalbox.upload select 'a', 'old ' || n, 't', 'n', 'm', 0, sha256(''), 'k', now(), null
       from generate_series(1, $1::int) n`,
      [limits.uploadsPerThreadMax - 1],
    )
    const [first, second] = [await arrive('a', 'u1', 'one'), await arrive('a', 'u2', 'two')]
    expect(await resources.uploads.finish('a', 't', [first, second])).toBe('full')
    expect(await resources.uploads.finish('a', 't', [first])).toBe('ok')
    expect(await resources.uploads.finish('a', 't', [second])).toBe('full')
    // An upload that a run has named waits no more.
    await resources.uploads.use('a', 't', ['u1'])
    expect(await resources.uploads.finish('a', 't', [second])).toBe('ok')
  })

  it('is named by several at once, in whatever order: none of them waits for good', async () => {
    const ids = Array.from({ length: 10 }, (_, n) => `u${n}`)
    const uploads = []
    for (const id of ids) uploads.push(await arrive('a', id, id))
    await resources.uploads.finish('a', 't', uploads)
    const orders = Array.from({ length: 8 }, (_, n) => (n % 2 === 0 ? ids : ids.toReversed()))
    const used = await Promise.all(orders.map((order) => resources.uploads.use('a', 't', order)))
    expect(used.map(({ length }) => length)).toEqual(orders.map(() => 10))
    expect(await count('blob')).toBe(10)
  })

  it('has pieces of a size and a number, and no more than a request has files', async () => {
    const bytes = Buffer.alloc(limits.uploadPartBytesMax + 1)
    await expect(resources.uploads.putPart('a', { uploadId: 'u', n: 0, bytes })).rejects.toThrow(
      'upload_part_malformed',
    )
    const n = limits.toolResultBytesMax / limits.uploadPartBytesMax
    await expect(
      resources.uploads.putPart('a', { uploadId: 'u', n, bytes: Buffer.alloc(1) }),
    ).rejects.toThrow('upload_part_malformed')
    const many = Array.from({ length: limits.uploadFilesMax + 1 }, () => uploadOf('u', ''))
    await expect(resources.uploads.finish('a', 't', many)).rejects.toThrow('uploads_malformed')
  })

  it('of one tenant is nothing to another (I19)', async () => {
    const upload = await arrive('a', 'u1', 'one')
    await resources.uploads.finish('a', 't', [upload])
    expect(await resources.uploads.use('b', 't', ['u1'])).toEqual([])
    await resources.uploads.drop('b', ['u1'])
    expect(await count('upload_part')).toBe(1)
    const theirs = await arrive('b', 'u1', 'theirs')
    await resources.uploads.finish('b', 't', [theirs])
    await resources.uploads.use('b', 't', ['u1'])
    expect([await textOf('b', theirs.key), await textOf('a', theirs.key)]).toEqual(['theirs', null])
    expect(await reader.digests('a', ['t'], [theirs.key])).toEqual([])
    const app = new pg.Client(database.appUrl)
    await app.connect()
    await expect(app.query('select * from signalbox.upload')).rejects.toThrow('permission denied')
    await expect(app.query('select * from signalbox.upload_part')).rejects.toThrow(
      'permission denied',
    )
    await expect(app.query("select signalbox.drop_uploads('a', '{u1}')")).rejects.toThrow(
      'not the current one',
    )
    await app.end()
  })

  it('of another thread is nothing to a run of this one', async () => {
    const upload = await arrive('b', 'u1', 'one')
    await resources.uploads.finish('b', 'other', [upload])
    expect(await resources.uploads.use('b', 't', ['u1'])).toEqual([])
    expect(await count('blob')).toBe(0)
  })
})

describe('a sweep', () => {
  it('removes what is a day old, whole or not, and leaves what is younger, and every blob', async () => {
    const used = await arrive('a', 'used', 'used')
    const old = await arrive('a', 'old', 'o', 'ld')
    const young = await arrive('a', 'young', 'young')
    await resources.uploads.finish('a', 't', [used, old, young])
    await resources.uploads.use('a', 't', ['used'])
    await arrive('a', 'broken off', 'half')
    await admin.query(
      "update signalbox.upload_part set created_at = now() - interval '24 hours 1 minute' where upload_id <> 'young'",
    )
    expect(await upkeep.sweepUploads()).toBe(3)
    expect(await upkeep.sweepUploads()).toBe(0)
    const { rows } = await admin.query('select id from signalbox.upload')
    expect(rows).toEqual([{ id: 'young' }])
    expect(await count('upload_part')).toBe(1)
    expect(await textOf('a', used.key)).toBe('used')
  })

  it('removes a piece that came when its upload was dropped already, and of many some at a time', async () => {
    await resources.uploads.putPart('a', { uploadId: 'late', n: 7, bytes: Buffer.from('x') })
    for (let n = 0; n < 150; n += 1) await arrive('a', `one of many ${n}`, 'x')
    await arrive('a', 'young', 'young')
    await admin.query(
      "update signalbox.upload_part set created_at = now() - interval '25 hours' where upload_id <> 'young'",
    )
    const swept: number[] = []
    do swept.push(await upkeep.sweepUploads())
    while (swept.at(-1) !== 0)
    expect(swept).toEqual([100, 51, 0])
    expect(await count('upload_part')).toBe(1)
  })

  it('is made by one at a time: two of them at once remove everything, and neither fails', async () => {
    for (let n = 0; n < 40; n += 1) await arrive('a', `many pieces ${n}`, 'x', 'y', 'z')
    await admin.query("update signalbox.upload_part set created_at = now() - interval '25 hours'")
    const swept = await Promise.all(Array.from({ length: 6 }, () => upkeep.sweepUploads()))
    while ((await upkeep.sweepUploads()) > 0) swept.push(0)
    expect(await count('upload_part')).toBe(0)
    expect(Math.max(...swept)).toBeGreaterThan(0)
  })
})
