/** Threads as readers see them: how they are, which a search finds, what was said in them, and what each read costs. */
import type { Outcome } from '@signalbox/core'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runsQuery } from '../src/read/listings.ts'
import { createReader, type Reader } from '../src/read/reader.ts'
import {
  threadCountQuery,
  threadEventsQuery,
  threadQuery,
  threadsQuery,
} from '../src/read/threads.ts'
import {
  about,
  admission,
  decision,
  fact,
  finalDecision,
  newRun,
  type RunIds,
  uuid7,
} from './support/drafts.ts'
import { rowsRead } from './support/plans.ts'
import { useRegister } from './support/register.ts'

const bench = useRegister()
let reader: Reader

beforeAll(() => {
  reader = createReader({ appUrl: bench.database.appUrl })
})
afterAll(() => reader.close())

let made = 0

async function threadOf(tenantId: string, metadata = {}): Promise<string> {
  made += 1
  const threadId = `thread-${uuid7()}`
  const contentKey = 'ab'.repeat(32)
  await bench.register.ensureThread({ threadId, tenantId, metadata, createdAt: made, contentKey })
  return threadId
}

/** A run of the thread that was admitted; with an outcome, one that has ended so. */
async function runOf(thread: Pick<RunIds, 'tenantId' | 'threadId'>, outcome?: Outcome) {
  const run = newRun(thread)
  await bench.register.append(admission(run))
  if (outcome === undefined) return run
  await bench.register.append({
    ...about(run),
    facts: [fact('x.done')],
    decision: finalDecision(2, 4, { outcome }),
  })
  return run
}

const waiting = { status: 'waiting', stateName: 'approval' } as const

describe('a thread', () => {
  it.each([
    ['idle', []],
    ['idle', ['completed']],
    ['idle', ['failed', 'cancelled']],
    ['failed', ['completed', 'failed']],
    ['failed', ['interrupted']],
    ['failed', ['timed_out']],
    ['busy', ['failed', undefined]],
    ['busy', [undefined, undefined]],
  ] as const)('is %s after %j', async (status, outcomes) => {
    const tenantId = uuid7()
    const threadId = await threadOf(tenantId)
    for (const outcome of outcomes) await runOf({ tenantId, threadId }, outcome)
    expect(await reader.thread(tenantId, threadId)).toMatchObject({ threadId, status })
    expect(await reader.threadCount(tenantId, { status })).toBe(1)
  })

  it('waits with the run that waits, whatever queues behind it', async () => {
    const tenantId = uuid7()
    const threadId = await threadOf(tenantId)
    const run = await runOf({ tenantId, threadId })
    await runOf({ tenantId, threadId })
    await bench.register.append({
      ...about(run),
      facts: [fact('x.done')],
      decision: decision(2, 4, waiting),
    })
    expect(await reader.thread(tenantId, threadId)).toMatchObject({ status: 'waiting' })
    const found = await reader.threads(tenantId, { status: 'waiting' })
    expect(found).toMatchObject([{ threadId }])
    expect(found[0]?.updatedAt).toBeGreaterThan(found[0]?.createdAt ?? Infinity)
  })

  it('is found by every filter at once, in every order', async () => {
    const tenantId = uuid7()
    const [a, b, c] = [
      await threadOf(tenantId, { owner: 'ann', deep: { n: 1 } }),
      await threadOf(tenantId, { owner: 'ann' }),
      await threadOf(tenantId, { owner: 'bob' }),
    ]
    await runOf({ tenantId, threadId: a })
    const ids = async (filter: Parameters<Reader['threads']>[1]) =>
      (await reader.threads(tenantId, filter)).map((thread) => thread.threadId)
    expect(await ids({})).toEqual([c, b, a])
    expect(await ids({ ascending: true, limit: 1, offset: 1 })).toEqual([b])
    expect(await ids({ orderBy: 'threadId' })).toEqual([c, b, a])
    expect(await ids({ orderBy: 'updatedAt' })).toEqual([a, c, b])
    expect(await ids({ orderBy: 'status', ascending: true })).toEqual([a, b, c])
    expect(await ids({ metadata: { owner: 'ann' } })).toEqual([b, a])
    expect(await ids({ metadata: { owner: 'ann', deep: { n: 1 } } })).toEqual([a])
    expect(await ids({ metadata: { owner: 'ann' }, status: 'idle', ids: [b, c] })).toEqual([b])
    expect(await ids({ ids: [] })).toEqual([])
    expect(await reader.threadCount(tenantId, { metadata: { owner: 'ann' }, limit: 1 })).toBe(2)
    expect(await reader.threadCount(uuid7(), {})).toBe(0)
  })
})

describe('what was said in a thread', () => {
  it('comes run by run, in pages of any size, up to a run', async () => {
    const tenantId = uuid7()
    const threadId = await threadOf(tenantId)
    const thread = { tenantId, threadId }
    const runs = [
      await runOf(thread, 'completed'),
      await runOf(thread, 'failed'),
      await runOf(thread),
    ]
    // The fourth waits behind the third: it has said nothing yet.
    await runOf(thread)
    const types = ['run.created', 'x.done', 'run.transitioned']
    const whole = await reader.threadEvents(tenantId, threadId, { types })
    const expected = runs.flatMap((run, n) =>
      (n < 2 ? [1, 3, 4, 5] : [1, 3]).map((seq) => [run.runId, seq]),
    )
    expect(whole.map((event) => [event.runId, event.seq])).toEqual(expected)
    const paged = []
    for (;;) {
      const after = paged.at(-1)
      const page = await reader.threadEvents(tenantId, threadId, {
        types,
        limit: 3,
        ...(after ? { after } : {}),
      })
      paged.push(...page)
      if (page.length < 3) break
    }
    expect(paged).toEqual(whole)
    const [, second] = runs
    const through = { types, throughRun: second?.runId ?? '' }
    expect(await reader.threadEvents(tenantId, threadId, through)).toHaveLength(8)
    expect(await reader.threadEvents(uuid7(), threadId, { types })).toEqual([])
  })
})

it('runs are listed by what they came to, each page full', async () => {
  const tenantId = uuid7()
  const threadId = await threadOf(tenantId)
  const outcomes = ['completed', 'failed', 'cancelled', 'completed', undefined, undefined] as const
  const runs: string[] = []
  for (const outcome of outcomes) runs.unshift((await runOf({ tenantId, threadId }, outcome)).runId)
  const list = async (among: Parameters<typeof runsQuery>[0]['among'], limit?: number) => {
    const page = { ...(among ? { among } : {}), ...(limit === undefined ? {} : { limit }) }
    return (await reader.runs(tenantId, { threadId, ...page })).map((run) =>
      runs.indexOf(run.runId),
    )
  }
  expect(await list({ statuses: [], outcomes: ['completed'] })).toEqual([2, 5])
  expect(await list({ statuses: ['running'], outcomes: ['cancelled'] })).toEqual([1, 3])
  expect(await list({ statuses: ['queued'], outcomes: [] }, 1)).toEqual([0])
  expect(await list({ statuses: [], outcomes: [] })).toEqual([])
})

/**
 * 2,000 threads of one run with ten events each, and one of 200 runs with 4,000. Read wrongly, each of the queries touches
 * thousands of rows; read rightly, what it answers and little more. The runs of the long thread, of which it must know the
 * order, each node of a plan counts anew.
 */
describe('among 2,000 threads', () => {
  let app: pg.Client

  beforeAll(async () => {
    const admin = new pg.Client(bench.database.adminUrl)
    await admin.connect()
    await admin.query(seed)
    await admin.end()
    app = new pg.Client(bench.database.appUrl)
    await app.connect()
    await app.query("select set_config('signalbox.tenant', 'full', false)")
  })
  afterAll(() => app.end())

  const types = ['run.created', 'model.completed']
  const after = { runId: '00000001-0000-7000-8000-000000000150', seq: 10 }
  it.each([
    ['a thread', threadQuery('long'), 1, 110],
    ['a page of threads', threadsQuery({ limit: 10 }), 10, 150],
    ['threads by id', threadsQuery({ ids: ['t7', 't8'] }), 2, 20],
    ['a count', threadCountQuery({}), 1, 2_100],
    ['a page of events', threadEventsQuery('long', { types, limit: 20 }), 20, 500],
    ['a later page', threadEventsQuery('long', { types, limit: 20, after }), 20, 1_000],
    [
      'the newest runs that failed',
      runsQuery({
        threadId: 'long',
        limit: 3,
        among: { statuses: ['queued'], outcomes: ['failed'] },
      }),
      3,
      40,
    ],
  ])('%s is read by an index', async (_name, query, count, most) => {
    const { rows } = await app.query(query.sql, [...query.parameters])
    expect(rows).toHaveLength(count)
    for (const generic of [true, false])
      expect(await rowsRead(app, query, { generic })).toBeLessThan(most)
  })
})

const seed = `
  set search_path = signalbox;
  insert into thread
  select 't' || n, 'full', '{}'::jsonb, now() - interval '1 minute' * n, decode(repeat('ab', 32), 'hex')
  from generate_series(1, 2000) n
  union all select 'long', 'full', '{}'::jsonb, now(), decode(repeat('ab', 32), 'hex');
  insert into run (id, tenant_id, thread_id, agent, definition_hash, machine, machine_version, status, state_name,
    outcome, admitted, head_hash, metadata, created_at, updated_at, due_at, place, multitask)
  select ('00000001-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'full',
    case when n <= 200 then 'long' else 't' || (n - 200) end, 'writer', 'd', 'run', 1, 'ended', 'completed',
    case when n % 10 = 0 then 'failed' else 'completed' end, true, '\\x00', '{}', now(), now(),
    now(), case when n <= 200 then n else 1 end, 'enqueue'
  from generate_series(1, 2200) n;
  insert into event
  select r.id, s, nextval('event_gpos'), '3', now(), 'full', r.thread_id,
    case s when 1 then 'run.created' when 5 then 'model.completed' else 'effect.started' end,
    1, 'a', null, null, s::text, '{}', '\\x00', '\\x00', '\\x00', '\\x00'
  from run r, generate_series(1, case when r.thread_id = 'long' then 20 else 10 end) s
  where r.tenant_id = 'full';
  analyze run; analyze event; analyze thread;`
