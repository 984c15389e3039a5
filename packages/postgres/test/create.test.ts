/** The codes of the port, one by one, on real Postgres. What a code means stands in `engine/src/ports.ts`. */
import { limits } from '@signalbox/core'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { creation, newRun, uuid7 } from './support/drafts.ts'
import { useRegister } from './support/register.ts'

const bench = useRegister()

describe('create', () => {
  it('writes run.created and leaves the run queued', async () => {
    const run = newRun()
    const result = await bench.register.append(creation(run, { metadata: { a: 1 } }))
    expect(result).toEqual({
      code: 'ok',
      runId: run.runId,
      admitted: false,
      seq: 1,
      facts: 1,
      decided: 0,
      factCodes: ['ok'],
      decisionCode: null,
      claims: [],
    })
    expect(await bench.register.head(run.runId)).toMatchObject({
      ...run,
      status: 'queued',
      stateName: 'queued',
      outcome: null,
      state: null,
      metadata: { a: 1 },
      cancelRequested: false,
      seq: 1,
    })
  })

  it('reads no other runs of its tenant, while the statistics know of none', async () => {
    const client = new pg.Client(bench.database.adminUrl)
    await client.connect()
    const create = () =>
      client.query('select signalbox.append($1::jsonb)', [
        JSON.stringify([{ ...creation(newRun()), admit: true }]),
      ])
    try {
      // Enough for Postgres to settle on a plan for good.
      for (let n = 0; n < 10; n += 1) await create()
      await bench.register.appendMany(Array.from({ length: 500 }, () => creation(newRun())))
      await client.query('begin')
      await create()
      const { rows } = await client.query<{ reads: number }>(
        `select (seq_tup_read + idx_tup_fetch)::int as reads from pg_stat_xact_user_tables
         where schemaname = 'signalbox' and relname = 'run'`,
      )
      expect(rows[0]?.reads).toBeLessThan(100)
      await client.query('commit')
    } finally {
      await client.end()
    }
  })

  it('repeated without an alias has no further effect (I3)', async () => {
    const item = creation(newRun())
    await bench.register.append(item)
    const again = await bench.register.append(item)
    expect(again).toMatchObject({ code: 'ok', factCodes: ['duplicate'], seq: 1, facts: 1 })
  })

  it('answers exists for an alias with the same body, conflict for another body', async () => {
    const [first, second] = [newRun(), newRun()]
    const alias = { key: `k-${first.runId}`, bodyHash: 'same' }
    await bench.register.append(creation(first, { alias }))
    expect(await bench.register.append(creation(second, { alias }))).toMatchObject({
      code: 'exists',
      runId: first.runId,
      seq: 1,
      factCodes: [],
    })
    expect(
      await bench.register.append(creation(second, { alias: { ...alias, bodyHash: 'other' } })),
    ).toMatchObject({ code: 'conflict', runId: first.runId })
    expect(await bench.register.head(second.runId)).toBeNull()
    // The run that has the alias is repeated, not refused.
    expect(await bench.register.append(creation(first, { alias }))).toMatchObject({
      code: 'ok',
      factCodes: ['duplicate'],
    })
  })

  it('keeps aliases of tenants apart', async () => {
    const alias = { key: uuid7(), bodyHash: 'b' }
    await bench.register.append(creation(newRun({ tenantId: 'a' }), { alias }))
    const other = await bench.register.append(creation(newRun({ tenantId: 'b' }), { alias }))
    expect(other.code).toBe('ok')
  })

  it('refuses a run id of another tenant, and a create without run.created', async () => {
    const run = newRun()
    await bench.register.append(creation(run))
    expect(await bench.register.append(creation({ ...run, tenantId: 'evil' }))).toMatchObject({
      code: 'no_run',
    })
    const bare = { ...creation(newRun()), facts: [] }
    expect(await bench.register.append(bare)).toMatchObject({
      code: 'rejected',
      detail: 'create_without_run_created',
    })
  })

  it(`refuses more than ${limits.queuedPerThreadMax} waiting runs on a thread`, async () => {
    const threadId = uuid7()
    const items = Array.from({ length: limits.queuedPerThreadMax }, () =>
      creation(newRun({ threadId })),
    )
    const results = await bench.register.appendMany(items)
    expect(results.every((result) => result.code === 'ok')).toBe(true)
    const run = newRun({ threadId })
    expect(await bench.register.append(creation(run))).toMatchObject({ code: 'thread_full' })
    expect(await bench.register.head(run.runId)).toBeNull()
  })
})
