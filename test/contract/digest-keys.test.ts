/**
 * The keys of digests, in both registers. Would catch: two processes of a tenant with two keys, a key that is one for all
 * tenants, and a role that reads what it must not.
 */
import { type Register, systemClock, systemRandom } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { createRegister } from '@signalbox/postgres'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { uuid7 } from '../../packages/postgres/test/support/drafts.ts'
import { useRegister } from '../../packages/postgres/test/support/register.ts'

const bench = useRegister()
const memory = createMemoryRegister(systemClock)
const registers: readonly (readonly [string, () => Register])[] = [
  ['in memory', () => memory],
  ['in Postgres', () => bench.register],
]
const fresh = (): string => systemRandom.hex(32)

describe.each(registers)('keys %s', (_name, registerOf) => {
  it('are made once, and stand', async () => {
    const tenantId = uuid7()
    const key = fresh()
    expect(await registerOf().digestKey({ tenantId, key })).toBe(key)
    expect(await registerOf().digestKey({ tenantId, key: fresh() })).toBe(key)
  })

  it('are of one tenant', async () => {
    const [one, two] = [uuid7(), uuid7()]
    const key = fresh()
    await registerOf().digestKey({ tenantId: one, key })
    const second = fresh()
    expect(await registerOf().digestKey({ tenantId: two, key: second })).toBe(second)
  })

  it('are one, however many ask for the first time at once', async () => {
    const tenantId = uuid7()
    const asked = Array.from({ length: 20 }, () =>
      registerOf().digestKey({ tenantId, key: fresh() }),
    )
    expect(new Set(await Promise.all(asked)).size).toBe(1)
  })
})

it('of one database are the same for two processes', async () => {
  const second = createRegister({ engineUrl: bench.database.engineUrl })
  const tenantId = uuid7()
  const [one, two] = await Promise.all([
    bench.register.digestKey({ tenantId, key: fresh() }),
    second.digestKey({ tenantId, key: fresh() }),
  ])
  await second.close()
  expect(one).toBe(two)
})

/** The code of what the database says to a statement. */
const ask = async (url: string, text: string): Promise<string> => {
  const client = new pg.Client(url)
  await client.connect()
  const code = await client.query(text).then(
    () => 'answered',
    (error: unknown) => (error instanceof pg.DatabaseError ? String(error.code) : 'lost'),
  )
  await client.end()
  return code
}

it('are read from the table by no role, and asked for by the engine alone', async () => {
  const { engineUrl, appUrl, maintenanceUrl } = bench.database
  const forbidden = '42501'
  const call = `select signalbox.digest_key('t', decode(repeat('ab', 32), 'hex'))`
  for (const url of [engineUrl, appUrl, maintenanceUrl]) {
    expect(await ask(url, 'select key from signalbox.digest_key')).toBe(forbidden)
    expect(await ask(url, 'delete from signalbox.digest_key')).toBe(forbidden)
  }
  expect(await ask(engineUrl, call)).toBe('answered')
  expect(await ask(appUrl, call)).toBe(forbidden)
  expect(await ask(maintenanceUrl, call)).toBe(forbidden)
})
