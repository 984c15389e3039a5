/**
 * The tally of what is open, and what it reads among runs, effects and approvals that are over. Would catch: a gauge that counts what
 * has ended, one that forgets a tenant, and one whose cost grows with the log.
 */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTallyReader, type Tally, tallyQuery, type TallyReader } from '../src/read/tally.ts'
import { about, admission, fact, fence, finalDecision, newRun } from './support/drafts.ts'
import { rowsRead } from './support/plans.ts'
import { useRegister } from './support/register.ts'
import { age, claimOf, ended, running, type Subject, withEffect } from './support/stories.ts'

const bench = useRegister()
let reader: TallyReader

beforeAll(() => {
  reader = createTallyReader({ engineUrl: bench.database.engineUrl })
})
afterAll(() => reader?.close())

const tally = (): Promise<Tally> => reader.read()
const queueOf = ({ queues }: Tally, name: string) => queues.find(({ queue }) => queue === name)
const runsOf = async () =>
  Object.fromEntries(
    (await tally()).runs.map((each) => [`${each.status} ${each.state}`, each.count]),
  )

/** A call that a worker took and never reported. */
async function unknown(subject: Subject): Promise<void> {
  await claimOf(bench, subject, { leaseMs: 1 })
  const lost = fact('tool.unknown', `result:${subject.id}`, {
    payload: { effectId: subject.id, reason: 'worker_lost' },
    fence: fence(subject.id, 'lost', { becomes: 'unknown' }),
  })
  await age(bench, subject.id, 1_000)
  await bench.register.append({ ...about(subject.run), facts: [lost] })
}

describe('a tally', () => {
  it('of an empty register is empty', async () => {
    expect(await tally()).toEqual({
      runs: [],
      queues: [],
      unknown: 0,
      approvals: { count: 0, oldestMs: null },
      inputs: { count: 0, oldestMs: null },
      pauses: [],
      openBreakers: [],
      feedDelayMs: 0,
    })
  })

  it('counts open runs of all tenants by status and state, and none that has ended', async () => {
    const before = await runsOf()
    await running(bench)
    await bench.register.append(admission(newRun({ tenantId: 'globex' })))
    await ended(bench)
    const after = await runsOf()
    const grown = Object.entries(after).map(([of, count]) => [of, count - (before[of] ?? 0)])
    expect(grown.filter(([, more]) => more !== 0)).toEqual([
      [expect.stringMatching(/^running /), 2],
    ])
  })

  it('has what waits in each queue, and since when the oldest of any tenant does', async () => {
    const { id } = await withEffect(bench, { queue: 'slow' })
    await withEffect(bench, { queue: 'slow' })
    await withEffect(bench, { queue: 'slow', delayMs: 60_000 })
    const taken = await withEffect(bench, { queue: 'slow' })
    await claimOf(bench, taken)
    await age(bench, id, 90_000)
    const slow = queueOf(await tally(), 'slow')
    expect(slow?.count).toBe(2)
    expect(slow?.oldestMs).toBeGreaterThanOrEqual(90_000)
    expect(slow?.oldestMs).toBeLessThan(150_000)
    await withEffect(bench, { queue: 'later', delayMs: 60_000 })
    expect(queueOf(await tally(), 'later')).toEqual({ queue: 'later', count: 0, oldestMs: null })
  })

  it('counts unknown outcomes until their run has ended', async () => {
    const subject = await withEffect(bench)
    await unknown(subject)
    expect((await tally()).unknown).toBe(1)
    const head = await bench.register.head(subject.run.runId)
    const last = finalDecision(head?.decided ?? 0, head?.seq ?? 0)
    await bench.register.append({ ...about(subject.run), decision: last })
    expect((await tally()).unknown).toBe(0)
  })

  it('names the models whose circuit is open', async () => {
    const breaker = { threshold: 1, openMs: 60_000 }
    await bench.register.reportCall('openai/gpt-x', 'failed', breaker)
    expect((await tally()).openBreakers).toEqual(['openai/gpt-x'])
    await bench.register.reportCall('openai/gpt-x', 'ok', breaker)
    expect((await tally()).openBreakers).toEqual([])
  })

  it('says how long the feed has been held back', async () => {
    const writer = new pg.Client(bench.database.adminUrl)
    await writer.connect()
    try {
      await writer.query('begin')
      await writer.query('select pg_current_xact_id()')
      await running(bench)
      await new Promise((resolve) => setTimeout(resolve, 300))
      const held = (await tally()).feedDelayMs
      expect(held).toBeGreaterThanOrEqual(250)
      expect(held).toBeLessThan(60_000)
      await writer.query('rollback')
      await expect.poll(async () => (await tally()).feedDelayMs).toBe(0)
    } finally {
      await writer.end()
    }
  })

  it('rejects when Postgres takes too long, and is well afterwards', async () => {
    const holder = new pg.Client(bench.database.adminUrl)
    await holder.connect()
    try {
      await holder.query('begin; lock table signalbox.breaker in access exclusive mode')
      await expect(tally()).rejects.toThrow(/statement timeout/)
    } finally {
      await holder.end()
    }
    await expect(tally()).resolves.toBeDefined()
  })
})

const seed = `
  set search_path = signalbox;
  create function pg_temp.id(n int) returns uuid language sql immutable
  return ('019ac000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid;
  insert into run (id, tenant_id, thread_id, agent, definition_hash, machine, machine_version, status, state_name,
    outcome, admitted, head_hash, metadata, created_at, updated_at, due_at, place, multitask)
  select pg_temp.id(n), 't' || n % 7, 't' || n, 'writer', 'd', 'run', 1, 'ended', 'completed', 'completed', true, '\\x00',
    '{}', now(), now(), now(), 1, 'enqueue'
  from generate_series(1, 30000) n;
  insert into effect (id, run_id, tenant_id, kind, queue, mode, tool, status, due, next_look, spec)
  select pg_temp.id(n) || '.1', pg_temp.id(n), 't' || n % 7, 'tool.call', 'default', 'once', 'pay', 'done', now(),
    'infinity', '{}'
  from generate_series(1, 30000) n;
  insert into approval (run_id, seq, tenant_id, id, call_id, at, waits)
  select pg_temp.id(n), 5, 't' || n % 7, 'a' || n, 'c' || n, now(), n <= 30 from generate_series(1, 20000) n;
  analyze run, effect, approval`

describe('among 30,000 runs that are over, a tally', () => {
  it('reads what is open, and no more', async () => {
    const admin = new pg.Client(bench.database.adminUrl)
    const engine = new pg.Client(bench.database.engineUrl)
    await admin.connect()
    await engine.connect()
    try {
      await admin.query(seed)
      expect((await tally()).approvals.count).toBe(30)
      for (const generic of [false, true])
        expect(await rowsRead(engine, tallyQuery(), { generic })).toBeLessThan(1_000)
    } finally {
      await engine.end()
      await admin.end()
    }
  })
})
