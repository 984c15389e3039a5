/** A query leaves nothing behind: `pg` keeps a query until the next full collection of V8, with all it holds (decision 0056). */
import { sql } from 'kysely'
import type { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openPool } from '../src/pool.ts'
import { compile, fetchRows, statement } from '../src/query.ts'
import { createRegister } from '../src/register/register.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { admission, newRun } from './support/drafts.ts'

let database: TestDatabase
let pool: Pool

beforeAll(async () => {
  database = await createTestDatabase()
  pool = openPool(database.engineUrl, { max: 1, name: 'query-test' })
})

afterAll(async () => {
  await pool.end()
  await database.drop()
})

/** The queries that `work` gave to `pg`, and its answers. */
async function heldAfter(work: () => Promise<unknown>) {
  const query = vi.spyOn(pool, 'query')
  try {
    await work()
    const results: readonly unknown[] = await Promise.all(
      query.mock.results.map(({ value }) => Promise.resolve(value).catch(() => null)),
    )
    return { configs: query.mock.calls.map(([config]): unknown => config), results }
  } finally {
    query.mockRestore()
  }
}

const long = 'x'.repeat(1_000)

describe('a query that is answered', () => {
  it('holds neither its values nor its rows', async () => {
    const raw = compile(sql<{ text: string }>`select ${long}::text as text`)
    const held = await heldAfter(async () =>
      expect(await fetchRows(pool, raw)).toEqual([{ text: long }]),
    )
    expect(held.configs).toMatchObject([{ values: [] }])
    expect(held.results).toMatchObject([{ rows: [], fields: [] }])
  })

  it('can be sent again', async () => {
    const echo = statement('echo', compile(sql<{ text: string }>`select ${''}::text as text`))
    expect(await echo(pool, ['one'])).toEqual([{ text: 'one' }])
    expect(await echo(pool, ['two'])).toEqual([{ text: 'two' }])
  })

  it('is what an append is', async () => {
    const register = createRegister({ pool })
    const held = await heldAfter(() => register.append(admission(newRun())))
    expect(held.configs).toMatchObject([{ name: 'signalbox.append', values: [] }])
    expect(held.results).toMatchObject([{ rows: [] }])
  })
})

it('a query that fails holds no values', async () => {
  const raw = compile(sql<{ n: number }>`select ${long}::int as n`)
  const held = await heldAfter(() => expect(fetchRows(pool, raw)).rejects.toThrow('invalid input'))
  expect(held.configs).toMatchObject([{ values: [] }])
})
