/**
 * What audits find, beside a plain query that knows no scope: in a feed whose clocks disagree, surveyed for the most part.
 * Would catch: a stretch that leaves out an event of its time, a page that skips what was written between its two statements
 * (I17), values that are found twice.
 */
import fc from 'fast-check'
import type { CompiledQuery } from 'kysely'
import pg from 'pg'
import type { QueryResultRow } from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { openPool } from '../src/pool.ts'
import type { AuditFilter, OneOrMore } from '../src/read/audit-filter.ts'
import { auditReader } from '../src/read/audit-reader.ts'
import { type AsTenant, tenantSession } from '../src/read/tenant-session.ts'
import { createUpkeep } from '../src/resources/upkeep.ts'
import { about, admission, event, newRun, uuid7 } from './support/drafts.ts'
import { useRegister } from './support/register.ts'

const bench = useRegister()
let admin: pg.Client
let pool: pg.Pool
let as: AsTenant

/**
 * Runs of 10 events, of two tenants. Events come in the order of their runs; their times follow it give or take some runs, but
 * those of each 997th event, which are of anywhere. Agents, tools and types are common, or begin late, or end early. Three runs
 * of four are surveyed, which is some stretches of 4096 events.
 */
const runs = 2000
const day = Date.parse('2026-01-01T00:00:00Z')
const seed = (from: number, to: number) => `
  set search_path = signalbox;
  create or replace function pg_temp.id(n int) returns uuid language sql immutable
  return ('019ac000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid;
  create or replace function pg_temp.era(n int) returns text language sql immutable
  return case when n % 7 = 0 then 'odd' when n < 300 then 'early' when n > 1400 then 'late' else 'common' end;
  insert into run (id, tenant_id, thread_id, agent, definition_hash, machine, machine_version, status, state_name,
    outcome, head_hash, metadata, created_at, updated_at, due_at, multitask)
  select pg_temp.id(n), case when n % 3 = 0 then 'other' else 'acme' end, 't' || n / 4, pg_temp.era(n), 'd', 'run', 1,
    'ended', 'completed', case when n % 11 = 0 then 'failed' else 'completed' end, '\\x00', '{}', now(), now(), now(), 'enqueue'
  from generate_series(${from}, ${to}) n;
  insert into event (run_id, seq, gpos, xid, at, tenant_id, thread_id, type, type_version, actor, tool, verdict,
    payload, payload_sha256, digest, hash)
  select pg_temp.id(n), s, n * 100 + s, (n / 50 + 3)::text::xid8,
    timestamptz '2026-01-01' + interval '1 s' * case when (n * 10 + s) % 997 = 0 then (n * 7919) % ${runs}
      else n + (n * 31 + s * 17) % 40 - 20 end,
    case when n % 3 = 0 then 'other' else 'acme' end, 't' || n / 4,
    case when s = 1 then 'run.created' when s % 4 = 0 then pg_temp.era(n) else 'effect.started' end, 1,
    case when s % 5 = 0 then pg_temp.era(n) else 'engine' end, case when s % 2 = 0 then pg_temp.era(n) end,
    case when s % 3 = 0 then 'denied' end, '{}', '\\x00', '\\x00', '\\x00'
  from generate_series(${from}, ${to}) n, generate_series(1, 10) s`

beforeAll(async () => {
  admin = new pg.Client(bench.database.adminUrl)
  await admin.connect()
  await admin.query(seed(1, 1500))
  const upkeep = createUpkeep({ engineUrl: bench.database.engineUrl })
  await upkeep.surveyFeed()
  await upkeep.close()
  await admin.query(seed(1501, runs))
  await admin.query('analyze signalbox.event, signalbox.run')
  pool = openPool(bench.database.appUrl, { max: 2, pipeline: true, name: 'audit-scope' })
  as = tenantSession(pool)
})
afterAll(async () => {
  await admin.end()
  await pool.end()
})

/** The feed and its survey wait for writers in other databases of the cluster: other test files. */
const eventually = (claim: () => Promise<void>) => vi.waitFor(claim, { timeout: 20_000 })

const place = (text: string) => `(${text.split('-').map(Number).join('::text::xid8, ')})`
const listed = (values: OneOrMore) =>
  [values]
    .flat()
    .map((one) => pg.escapeLiteral(one))
    .join(', ')

const isIn = (column: string, values: OneOrMore | undefined) =>
  values === undefined ? [] : [`${column} in (${listed(values)})`]

/** As one would ask by hand. Answers positions. */
async function plainly(filter: AuditFilter): Promise<readonly string[]> {
  const { type, tool, actor, threadId, agent, outcome, since, until, after, limit } = filter
  const conditions = [
    "e.tenant_id = 'acme'",
    ...isIn('e.type', type),
    ...isIn('e.tool', tool),
    ...isIn('e.actor', actor),
    ...isIn('e.thread_id', threadId),
    ...isIn('r.agent', agent),
    ...isIn('r.outcome', outcome),
    ...(since === undefined ? [] : [`e.at >= to_timestamp(${since / 1000})`]),
    ...(until === undefined ? [] : [`e.at < to_timestamp(${until / 1000})`]),
    ...(after === undefined ? [] : [`(e.xid, e.gpos) > ${place(after)}`]),
  ]
  const { rows } = await admin.query<{ position: string }>(
    `select lpad(e.xid::text, 20, '0') || '-' || lpad(e.gpos::text, 20, '0') as position
     from signalbox.event e join signalbox.run r on r.id = e.run_id
     where ${conditions.join(' and ')} order by e.xid, e.gpos limit ${limit ?? 1000}`,
  )
  return rows.map(({ position }) => position)
}

const words = fc.constantFrom('odd', 'early', 'late', 'common', 'engine', 'effect.started', 'none')
const some = fc.oneof(words, fc.array(words, { minLength: 1, maxLength: 4 }))
const time = fc.integer({ min: -100, max: runs + 100 }).map((second) => day + second * 1000)
const position = fc
  .integer({ min: 1, max: runs })
  .map((n) =>
    [Math.floor(n / 50) + 3, n * 100 + 5].map((one) => String(one).padStart(20, '0')).join('-'),
  )
/** Up to three at once: of more, hardly anything is found. */
const filters = fc
  .record({
    type: some,
    tool: some,
    actor: some,
    agent: some,
    outcome: fc.constantFrom('completed', 'failed', 'none'),
    threadId: fc.integer({ min: 0, max: runs / 4 }).map((n) => `t${n}`),
    since: time,
    until: time,
    after: position,
  })
  .chain((all) =>
    fc
      .subarray(Object.keys(all), { minLength: 1, maxLength: 3 })
      .map((chosen): AuditFilter =>
        Object.fromEntries(Object.entries(all).filter(([key]) => chosen.includes(key))),
      ),
  )

it('finds what a plain query finds, in the same order', async () => {
  const reader = auditReader(as)
  let found = 0
  const { rowCount } = await admin.query('select from signalbox.feed_stretch')
  // Of 15,000 events.
  expect(rowCount).toBe(3)
  await fc.assert(
    fc.asyncProperty(filters, fc.integer({ min: 1, max: 40 }), async (filter, limit) => {
      const expected = await plainly({ ...filter, limit })
      const { events, next } = await reader.audit('acme', { ...filter, limit })
      expect(events.map((one) => one.position)).toEqual(expected)
      expect(next).toBe(expected.length === limit ? expected.at(-1) : null)
      const end = await reader.auditPiece('acme', filter, limit)
      expect(end?.position).toBe(expected.at(-1))
      found += expected.length > 0 ? 1 : 0
    }),
    { numRuns: 60, seed: 25 },
  )
  expect(found).toBeGreaterThan(20)
})

it('finds an event once, however often its value is asked for', async () => {
  const filter = { type: ['odd', 'late', 'odd'], limit: 50 }
  const { events } = await auditReader(as).audit('acme', filter)
  expect(events.map((one) => one.position)).toEqual(await plainly(filter))
  expect(events).toHaveLength(50)
})

it('finds an event that came late with an early time, behind all that is surveyed', async () => {
  const run = newRun({ tenantId: 'acme' })
  await bench.register.append(admission(run))
  const reader = auditReader(as)
  const early = { since: day - 5_000_000, until: day - 4_000_000 }
  expect((await reader.audit('acme', early)).events).toEqual([])
  await bench.register.append({ ...about(run), notes: [event('x.y', { at: day - 4_500_000 })] })
  await eventually(async () => {
    expect((await reader.audit('acme', early)).events).toMatchObject([{ type: 'x.y' }])
  })
})

it('answers the page of one moment while runs begin: what came since is on the next one', async () => {
  const tenant = uuid7()
  const first = newRun({ tenantId: tenant })
  await bench.register.append(admission(first))
  const agent = await agentOf(first.runId)
  const second = newRun({ tenantId: tenant })
  const late: AsTenant = async <Row extends QueryResultRow>(
    tenantId: string,
    query: CompiledQuery<Row>,
    msMax?: number,
  ) => {
    const rows = await as(tenantId, query, msMax)
    if (!query.sql.includes('horizon')) return rows
    // After the scope was made, and before the page is read.
    await bench.register.append(admission(second))
    await bench.register.append({ ...about(first), notes: [event('x.y')] })
    await eventually(async () => {
      expect((await auditReader(as).audit(tenant, {})).events).toHaveLength(7)
    })
    return rows
  }
  await eventually(async () => {
    expect((await auditReader(as).audit(tenant, { agent })).events).toHaveLength(3)
  })
  const { events } = await auditReader(late).audit(tenant, { agent })
  expect(events).toHaveLength(3)
  const after = events.at(-1)?.position ?? ''
  const rest = await auditReader(as).audit(tenant, { agent, after })
  expect(rest.events.map(({ runId }) => runId)).toEqual([
    ...Array.from({ length: 3 }, () => second.runId),
    first.runId,
  ])
})

async function agentOf(runId: string): Promise<string> {
  const { rows } = await admin.query<{ agent: string }>(
    'select agent from signalbox.run where id = $1',
    [runId],
  )
  return rows[0]?.agent ?? ''
}

it('surveys nothing that a transaction under way may still write into', async () => {
  const upkeep = createUpkeep({ engineUrl: bench.database.engineUrl })
  const writer = new pg.Client(bench.database.adminUrl)
  await writer.connect()
  await writer.query('begin')
  await writer.query('select pg_current_xact_id()')
  const stretches = async () =>
    (await admin.query('select from signalbox.feed_stretch')).rowCount ?? 0
  // What is there without the writer.
  while ((await upkeep.surveyFeed()) > 0);
  const before = await stretches()
  await admin.query(
    `insert into signalbox.event select run_id, 10 + n, nextval('signalbox.event_gpos'), pg_current_xact_id(), at, tenant_id,
       thread_id, type, type_version, actor, tool, verdict, null, payload, salt, payload_sha256, digest, hash
     from signalbox.event, generate_series(1, 4096) n where type = 'run.created' limit 4096`,
  )
  await upkeep.surveyFeed()
  expect(await stretches()).toBe(before)
  await writer.query('rollback')
  await writer.end()
  await eventually(async () => {
    await upkeep.surveyFeed()
    expect(await stretches()).toBe(before + 1)
  })
  await upkeep.close()
})
