/**
 * Threads with a ttl in the database. Would catch: a thread that is deleted while it is used, by two at once, or after its owner
 * said otherwise, one that is never looked at again, and a look that reads threads which are not due.
 */
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createReader, type Reader } from '../src/read/reader.ts'
import { createResources, type Resources } from '../src/resources/resources.ts'
import { createUpkeep, type Upkeep } from '../src/resources/upkeep.ts'
import {
  about,
  admission,
  decision,
  fact,
  finalDecision,
  newRun,
  type RunIds,
} from './support/drafts.ts'
import { useRegister } from './support/register.ts'

const bench = useRegister()
let upkeep: Upkeep
let reader: Reader
let resources: Resources
let admin: pg.Client

beforeAll(async () => {
  upkeep = createUpkeep({ engineUrl: bench.database.engineUrl })
  reader = createReader({ appUrl: bench.database.appUrl })
  resources = createResources({ appUrl: bench.database.appUrl })
  admin = new pg.Client(bench.database.adminUrl)
  await admin.connect()
})
afterAll(async () => {
  await admin?.end()
  await resources?.close()
  await reader?.close()
  await upkeep?.close()
})

const hourMs = 3_600_000

async function threadOf(ttlMinutes: number | null): Promise<RunIds> {
  const run = newRun()
  const contentKey = 'ab'.repeat(32)
  await bench.register.ensureThread({
    ...run,
    metadata: {},
    createdAt: Date.now(),
    contentKey,
    ttlMinutes,
  })
  return run
}

async function runOn(run: RunIds, state: 'running' | 'waiting' | 'ended'): Promise<void> {
  await bench.register.append(admission(run))
  if (state === 'running') return
  await bench.register.append({
    ...about(run),
    facts: [fact('x.done')],
    decision:
      state === 'ended'
        ? finalDecision(2, 4)
        : decision(2, 4, { status: 'waiting', stateName: 'approval' }),
  })
}

/** As if nobody had used the thread for two hours. */
async function age({ threadId }: RunIds): Promise<void> {
  const back = "now() - interval '2 hours'"
  await admin.query(
    `update signalbox.thread set ttl_since = ${back}, ttl_look_at = ${back}
    where thread_id = $1 and ttl_minutes is not null`,
    [threadId],
  )
  await admin.query(`update signalbox.run set updated_at = ${back} where thread_id = $1`, [
    threadId,
  ])
}

const takeIds = async (limit = 100) =>
  (await upkeep.takeExpired(limit)).map(({ threadId }) => threadId)

/** In how many minutes it is looked at; null if never. */
async function lookIn({ threadId }: RunIds): Promise<number | null> {
  const { rows } = await admin.query<{ minutes: number | null }>(
    `select round(extract(epoch from ttl_look_at - now()) / 60)::float8 as minutes
    from signalbox.thread where thread_id = $1`,
    [threadId],
  )
  return rows[0]?.minutes ?? null
}

it('is taken by one of many, once it has expired, and by nobody else for a minute', async () => {
  const old = await threadOf(60)
  await runOn(old, 'ended')
  const empty = await threadOf(60)
  const unlimited = await threadOf(null)
  const used = await threadOf(60)
  for (const thread of [old, empty, unlimited, used]) await age(thread)
  // Only its run says that somebody used it.
  await runOn(used, 'ended')
  const takes = await Promise.all([1, 2, 3, 4].map(() => upkeep.takeExpired(100)))
  const { threadId, tenantId, runId } = old
  expect(takes.flat()).toHaveLength(2)
  expect(takes.flat()).toContainEqual({ threadId, tenantId, lastRunId: runId })
  expect(takes.flat()).toContainEqual({
    threadId: empty.threadId,
    tenantId: empty.tenantId,
    lastRunId: null,
  })
  expect(await lookIn(old)).toBe(1)
  expect(await lookIn(used)).toBe(60)
  expect(await takeIds()).toEqual([])
})

it('is left to whoever is at it right now, without waiting for him', async () => {
  const thread = await threadOf(60)
  await age(thread)
  await admin.query('begin')
  try {
    const taken = await admin.query('select from signalbox.take_expired(100)')
    expect(taken.rows).toHaveLength(1)
    const late = new Promise((resolve) => setTimeout(() => resolve('it waits'), 5000).unref())
    expect(await Promise.race([takeIds(), late])).toEqual([])
  } finally {
    await admin.query('rollback')
  }
  expect(await takeIds()).toEqual([thread.threadId])
})

it('is postponed while a run is under way or waits for a human, and a batch has its limit', async () => {
  const open = [await threadOf(30), await threadOf(30)] as const
  await runOn(open[0], 'running')
  await runOn(open[1], 'waiting')
  for (const thread of open) await age(thread)
  expect(await takeIds()).toEqual([])
  for (const thread of open) expect(await lookIn(thread)).toBe(30)
  const three = [await threadOf(30), await threadOf(30), await threadOf(30)]
  for (const thread of three) await age(thread)
  expect(await takeIds(2)).toHaveLength(2)
  expect(await takeIds(2)).toHaveLength(1)
})

it('is hidden as expired only if nothing came since', async () => {
  const { register } = bench
  const thread = await threadOf(60)
  expect(await register.hideThread(thread, { lastRunId: null })).toBe('busy')
  await runOn(thread, 'ended')
  await age(thread)
  const lastRunId = thread.runId
  expect(await register.hideThread(thread, { lastRunId: null })).toBe('busy')
  const newer = newRun({ tenantId: thread.tenantId, threadId: thread.threadId })
  await runOn(newer, 'running')
  expect(await register.hideThread(thread, { lastRunId: newer.runId })).toBe('busy')
  await register.append({ ...about(newer), facts: [fact('x.done')], decision: finalDecision(2, 4) })
  expect(await register.hideThread(thread, { lastRunId })).toBe('busy')
  await register.changeThread(thread, { metadata: {}, ttlMinutes: null })
  expect(await register.hideThread(thread, { lastRunId: newer.runId })).toBe('busy')
  await register.changeThread(thread, { metadata: {}, ttlMinutes: 60 })
  await age(thread)
  expect(await register.hideThread(thread, { lastRunId: newer.runId })).toBe('ok')
  expect(await lookIn(thread)).toBeNull()
})

it('is changed by its owner alone, and counts from then', async () => {
  const thread = await threadOf(60)
  const { tenantId, threadId } = thread
  const ttl = async () => (await reader.thread(tenantId, threadId))?.ttl ?? null
  const { expiresAt = 0 } = (await ttl()) ?? {}
  expect(Math.abs(expiresAt - Date.now() - hourMs)).toBeLessThan(60_000)
  await bench.register.ensureThread({
    threadId,
    tenantId,
    metadata: {},
    createdAt: 1,
    contentKey: 'cd'.repeat(32),
    ttlMinutes: 1,
  })
  expect((await ttl())?.minutes).toBe(60)
  await age(thread)
  expect((await ttl())?.expiresAt).toBeLessThan(Date.now())
  const change = (ttlMinutes?: number | null, of = tenantId) =>
    bench.register.changeThread(
      { threadId, tenantId: of },
      { metadata: { a: 1 }, ...(ttlMinutes === undefined ? {} : { ttlMinutes }) },
    )
  expect(await change(5, 'somebody else')).toBe('no_thread')
  await change()
  expect(await lookIn(thread)).toBe(60)
  expect((await ttl())?.expiresAt).toBeGreaterThan(Date.now())
  await change(2.5)
  expect((await ttl())?.minutes).toBe(2.5)
  for (const wrong of [0, -1, 6_000_000]) await expect(change(wrong)).rejects.toThrow('malformed')
  expect((await ttl())?.minutes).toBe(2.5)
  await change(null)
  expect(await ttl()).toBeNull()
  expect(await lookIn(thread)).toBeNull()
})

it('takes the crons of the thread with it, and no others', async () => {
  const thread = await threadOf(null)
  const { tenantId } = thread
  const cronOf = async (threadId: string | null) => {
    const cronId = crypto.randomUUID()
    await resources.crons.create({
      cronId,
      tenantId,
      threadId,
      assistant: 'clerk',
      schedule: '* * * * *',
      timezone: null,
      endAt: null,
      enabled: true,
      body: {},
      metadata: {},
      maker: { actor: 'api' },
      nextAt: Date.now() + hourMs,
    })
    return cronId
  }
  const [own, free, other] = [
    await cronOf(thread.threadId),
    await cronOf(null),
    await cronOf('another'),
  ]
  await bench.register.hideThread(thread)
  expect(await resources.crons.cron(tenantId, own)).toBeNull()
  expect(await resources.crons.cron(tenantId, free)).not.toBeNull()
  expect(await resources.crons.cron(tenantId, other)).not.toBeNull()
})

it('is found by its index', async () => {
  await admin.query(`insert into signalbox.thread (thread_id, tenant_id, metadata, created_at, content_key)
    select 'many-' || n, 'many', '{}', now(), decode(repeat('ab', 32), 'hex') from generate_series(1, 5000) n`)
  await admin.query('analyze signalbox.thread')
  const { rows } = await admin.query<{ 'QUERY PLAN': string }>(
    'explain select from signalbox.thread where ttl_look_at <= now() order by ttl_look_at limit 10',
  )
  expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('thread_ttl')
})
