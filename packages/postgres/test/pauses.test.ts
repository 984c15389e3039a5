/**
 * A pause against claims that race with it. Would catch: a pause that is confirmed while a claim that missed it may still be
 * committed; one that waits for readers, or for ever; a claim that waits for who lifts; an effect that is held by no pause.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { about, admission, claim, newRun, type RunIds, toolEffect } from './support/drafts.ts'
import { lifting, pausing } from './support/pauses.ts'
import { useRegister } from './support/register.ts'

const bench = useRegister()

async function begin(tenantId: string): Promise<RunIds> {
  const run = newRun({ tenantId })
  await bench.register.append(admission(run, { effects: [toolEffect(run, 1)] }))
  return run
}
const claimOf = (run: RunIds, over: Parameters<typeof claim>[1] = {}) => ({
  ...about(run),
  claims: [claim(`${run.runId}.1`, over)],
})

/** A transaction of an engine that is not over before the test says so. */
async function inTransaction<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query('begin')
    return await work(client)
  } finally {
    await client.end()
  }
}
const append = (client: pg.Client, item: object) =>
  client.query<{ answers: readonly { claims: readonly { code: string }[]; admitted: boolean }[] }>(
    'select signalbox.append($1::jsonb) as answers',
    [JSON.stringify([item])],
  )

const isSettled = async (promise: Promise<unknown>, ms: number): Promise<boolean> =>
  Promise.race([promise.then(() => true), setTimeout(ms, false)])

describe('a pause is confirmed', () => {
  it('when a claim that missed it is over, and not before', async () => {
    const tenantId = randomUUID()
    const run = await begin(tenantId)
    await inTransaction(bench.database.engineUrl, async (client) => {
      const { rows } = await append(client, claimOf(run))
      expect(rows[0]?.answers[0]?.claims[0]?.code).toBe('ok')
      const paused = bench.register.pause(pausing(tenantId))
      expect(await isSettled(paused, 500)).toBe(false)
      await client.query('commit')
      expect(await paused).toMatchObject({ code: 'created', confirmed: true })
    })
  })

  it('when an admission that missed it is over', async () => {
    const tenantId = randomUUID()
    const run = newRun({ tenantId })
    await inTransaction(bench.database.engineUrl, async (client) => {
      const { rows } = await append(client, admission(run))
      expect(rows[0]?.answers[0]?.admitted).toBe(true)
      const paused = bench.register.pause(pausing(tenantId))
      expect(await isSettled(paused, 300)).toBe(false)
      await client.query('rollback')
      expect(await paused).toMatchObject({ confirmed: true })
    })
  })

  it('whoever reads pauses for long, as a backup does', async () => {
    await inTransaction(bench.database.adminUrl, async (client) => {
      await client.query('select * from signalbox.pause')
      const paused = bench.register.pause(pausing(randomUUID()))
      expect(await isSettled(paused, 2_000)).toBe(true)
    })
  })

  it('not, if a writer never ends; to ask again waits again', async () => {
    const tenantId = randomUUID()
    const run = await begin(tenantId)
    const wanted = pausing(tenantId)
    await inTransaction(bench.database.engineUrl, async (client) => {
      await append(client, claimOf(run))
      expect(await bench.register.pause(wanted)).toMatchObject({
        code: 'created',
        confirmed: false,
      })
    })
    expect(await bench.register.pause(wanted)).toMatchObject({ code: 'unchanged', confirmed: true })
  }, 20_000)
})

it('starts nothing after it was confirmed, however many claim at that moment', async () => {
  const tenantId = randomUUID()
  const runs = await Promise.all(Array.from({ length: 60 }, () => begin(tenantId)))
  let confirmedAt = Infinity
  const late: string[] = []
  const claimAll = async () => {
    for (let n = 0; n < 6; n++)
      await Promise.all(
        runs.slice(n * 10, n * 10 + 10).map(async (run) => {
          const sentAt = performance.now()
          const { claims } = await bench.register.append(claimOf(run))
          if (claims[0]?.code === 'ok' && sentAt > confirmedAt) late.push(run.runId)
        }),
      )
  }
  const pause = async () => {
    const { confirmed } = await bench.register.pause(pausing(tenantId))
    confirmedAt = performance.now()
    expect(confirmed).toBe(true)
  }
  await Promise.all([claimAll(), pause()])
  expect(late).toEqual([])
})

it('makes no claim wait for whoever lifts it, and holds nothing then', async () => {
  const tenantId = randomUUID()
  const run = await begin(tenantId)
  const { pauseId } = await bench.register.pause(pausing(tenantId))
  await inTransaction(bench.database.engineUrl, async (client) => {
    const [, , told] = lifting(tenantId, pauseId)
    const lift = 'select signalbox.lift_pause($1, $2, $3)'
    await client.query(lift, [tenantId, pauseId, JSON.stringify(told)])
    const claiming = bench.register.append(claimOf(run))
    expect(await isSettled(claiming, 2_000)).toBe(true)
    expect((await claiming).claims[0]?.code).toBe('paused')
    await client.query('commit')
  })
  const { claims } = await bench.register.append(claimOf(run))
  expect(claims[0]?.code).toBe('ok')
})

it("is the tenant's: nobody sets or lifts one as another tenant, nor reads it", async () => {
  const tenantId = randomUUID()
  const { pauseId } = await bench.register.pause(pausing(tenantId))
  await inTransaction(bench.database.appUrl, async (client) => {
    await client.query("select set_config('signalbox.tenant', 'another', true)")
    expect((await client.query('select * from signalbox.pause')).rows).toEqual([])
    const lift = client.query("select signalbox.lift_pause($1, $2, '{}')", [tenantId, pauseId])
    await expect(lift).rejects.toThrow(/permission denied/)
  })
})
