/**
 * What questions of the audit read among 50,000 events and 10,000 effects of 5,000 runs, of which a filter finds a few: an index, not the
 * table. A plan that reads the whole table touches more than 50,000 rows, one that walks the feed up to what is late as many. Judged
 * under row-level security, as the reader asks, scope and question together, with fresh statistics and a surveyed feed.
 */
import type { CompiledQuery } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { AuditFilter } from '../src/read/audit-filter.ts'
import { isScoped, scopeQuery, type AuditScope } from '../src/read/audit-scope.ts'
import { searchQuery } from '../src/read/audit-search.ts'
import { statsQuery } from '../src/read/audit-stats.ts'
import { auditQuery, pieceEndQuery } from '../src/read/audit.ts'
import { questionQuery } from '../src/read/questions/ask.ts'
import { createReader } from '../src/read/reader.ts'
import { usageQuery, usedIn } from '../src/read/usage.ts'
import { rowsRead } from './support/plans.ts'
import { useRegister } from './support/register.ts'

const bench = useRegister()
let app: pg.Client

const runs = 5000
/** Of 10 events each: every 500th run is rare in each respect, and the last ten are late in each; a run begins each second. */
const kind = (otherwise: string) =>
  `case when n % 500 = 0 then 'rare' when n > ${runs - 10} then 'late' else ${otherwise} end`
const seed = `
  set search_path = signalbox;
  create function pg_temp.id(n int) returns uuid language sql immutable
  return ('019ac000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid;
  insert into run (id, tenant_id, thread_id, agent, definition_hash, machine, machine_version, status, state_name,
    outcome, head_hash, metadata, created_at, updated_at, due_at, multitask)
  select pg_temp.id(n), 'acme', ${kind("'t' || n")}, ${kind("'writer'")}, 'd', 'run', 1, 'ended',
    'completed', ${kind("'completed'")}, '\\x00', '{}', now(), now(), now(), 'enqueue'
  from generate_series(1, ${runs}) n;
  insert into event (run_id, seq, gpos, xid, at, tenant_id, thread_id, type, type_version, actor, tool, verdict,
    payload, payload_sha256, digest, hash)
  select pg_temp.id(n), s, nextval('event_gpos'), (3 + n / 50)::text::xid8, timestamptz '2026-01-01' + n * interval '1 s', 'acme',
    ${kind("'t' || n")}, case when s = 1 then 'run.created' else ${kind("'effect.started'")} end, 1, ${kind("'engine'")},
    ${kind("'write'")}, ${kind("case when s % 3 = 0 then 'done' end")},
    jsonb_build_object('endUser', case when n % 500 = 0 then 'rare' else 'u' || n % 100 end, 'code', 'needle' || n),
    '\\x00', '\\x00', '\\x00'
  from generate_series(1, ${runs}) n, generate_series(1, 10) s;
  insert into effect (id, run_id, tenant_id, kind, queue, mode, due, next_look, spec)
  select pg_temp.id(n) || '.' || s, pg_temp.id(n), 'acme', 'tool.call', 'tools', 'read', now(), now(), '{}'
  from generate_series(1, ${runs}) n, generate_series(1, 2) s;
  analyze run, event, effect, end_user_run`

beforeAll(async () => {
  const admin = new pg.Client(bench.database.adminUrl)
  await admin.connect()
  await admin.query(seed)
  // What is seeded is of a transaction long past: only what is later is held back by others.
  await admin.query('select signalbox.survey_feed(100)')
  await admin.end()
  app = new pg.Client(bench.database.appUrl)
  await app.connect()
  await app.query("select set_config('signalbox.tenant', 'acme', false)")
})
afterAll(() => app.end())

const start = Date.parse('2026-01-01T00:00:00Z')
const filters: Readonly<Record<string, AuditFilter>> = {
  type: { type: 'rare' },
  'two types': { type: ['rare', 'none'] },
  thread: { threadId: 'rare' },
  run: { runId: '019ac000-0000-7000-8000-000000000500' },
  tool: { tool: 'rare' },
  actor: { actor: 'rare' },
  verdict: { verdict: 'rare' },
  agent: { agent: 'rare' },
  outcome: { outcome: 'rare' },
  'end user': { endUser: 'rare' },
  'a late type': { type: 'late' },
  'types that are rare or late': { type: ['late', 'rare'] },
  'a late tool': { tool: 'late' },
  'a late actor': { actor: 'late' },
  'a late verdict': { verdict: 'late' },
  'a late agent': { agent: 'late' },
  'a late outcome': { outcome: 'late' },
  'a late thread': { threadId: 'late' },
  'a common type, late': { type: 'effect.started', since: start + (runs - 100) * 1000 },
  'a common agent, early': { agent: 'writer', until: start + 100_000 },
  since: { since: start + (runs - 5) * 1000 },
  until: { until: start + 5000 },
  after: { after: `${'102'.padStart(20, '0')}-${String(runs * 10 - 50).padStart(20, '0')}` },
}
/** Far below the 50,000 events; a plan may read the 5,000 runs on its way, as a table so small is read at once. */
const rowsMax = 6500
/** A time is found in stretches of 4096 events, each of which may be read in an index and in the table. */
const rowsOfTimeMax = rowsMax + 3 * 4096

const reads = (query: CompiledQuery) => rowsRead(app, query, { generic: false })

/** As the reader asks: what the scope reads, and what is read within it. */
async function readsOf(
  filter: AuditFilter,
  question: (scope: AuditScope | null) => CompiledQuery,
): Promise<number> {
  if (!isScoped(filter)) return reads(question(null))
  const query = scopeQuery(filter)
  const { rows } = await app.query<AuditScope>(query.sql, [...query.parameters])
  return (await reads(query)) + (await reads(question(rows[0] ?? null)))
}

it.each(Object.entries(filters))('finds by %s without reading the table', async (_, filter) => {
  const most = filter.since === undefined && filter.until === undefined ? rowsMax : rowsOfTimeMax
  const page = { ...filter, limit: 100 }
  expect(await readsOf(filter, (scope) => auditQuery(page, scope))).toBeLessThan(most)
  expect(await readsOf(filter, (scope) => pieceEndQuery(filter, 100, scope))).toBeLessThan(most)
  expect(await readsOf(filter, (scope) => searchQuery(page, 'nowhere', scope))).toBeLessThan(most)
  const by = ['type', 'hour'] as const
  expect(await readsOf(filter, (scope) => statsQuery(filter, { by }, scope))).toBeLessThan(most)
})

it('reads a page of a time in the middle, without what lies before', async () => {
  for (const more of [{}, { type: 'effect.started' }, { agent: 'writer' }, { tool: 'write' }]) {
    const filter = { since: start + (runs / 2) * 1000, ...more, limit: 100 }
    expect(await readsOf(filter, (scope) => auditQuery(filter, scope))).toBeLessThan(rowsOfTimeMax)
  }
})

it('reads what a page needs of a common value, not all that have it', async () => {
  for (const filter of [{}, { type: 'effect.started' }, { agent: 'writer' }, { tool: 'write' }])
    expect(await reads(auditQuery({ ...filter, limit: 100 }))).toBeLessThan(rowsMax)
})

it('looks at one step of the feed for a text that is nowhere, and goes on to the end', async () => {
  expect(await reads(searchQuery({ limit: 100 }, 'nowhere'))).toBeLessThan(25_000)
  const reader = createReader({ appUrl: bench.database.appUrl })
  const pages: number[] = []
  // The feed waits for writers in other databases of the cluster: other test files.
  const isShown = async () => expect((await reader.audit('acme', {})).events).toHaveLength(1000)
  await vi.waitFor(isShown, { timeout: 20_000 })
  for (let after: string | null | undefined; after !== null;) {
    const filter = { q: 'nowhere', limit: 100, ...(after === undefined ? {} : { after }) }
    const page = await reader.audit('acme', filter)
    pages.push(page.events.length)
    after = page.next
  }
  await reader.close()
  // Five whole steps, and one that finds the feed at its end.
  expect(pages).toEqual([0, 0, 0, 0, 0, 0])
})

it('answers a question from the events that can answer it', async () => {
  const since = start + (runs - 5) * 1000
  const about = { since, until: since + 10_000, limit: 100 }
  const executed = (scope: AuditScope | null) => questionQuery('executed_calls', about, scope)
  expect(await readsOf(about, executed)).toBeLessThan(rowsOfTimeMax)
  expect(await reads(questionQuery('denied_calls', { limit: 100 }))).toBeLessThan(rowsMax)
})

it('adds up what was used in a time without reading what lies outside of it', async () => {
  const since = start + (runs - 20) * 1000
  for (const by of [['agent'], ['user', 'end_user', 'month']] as const)
    expect(
      await readsOf(usedIn({ since }), (scope) =>
        usageQuery({ tenantId: 'acme', filter: { since } }, by, scope),
      ),
    ).toBeLessThan(rowsOfTimeMax)
  expect(await reads(questionQuery('log_access', { limit: 100 }))).toBeLessThan(rowsMax)
  expect(await reads(questionQuery('unapproved_calls', { limit: 100 }))).toBeLessThan(rowsMax)
})
