/**
 * What questions of the audit read among 50,000 events and 10,000 effects of 5,000 runs, of which a filter finds a few: an index, not the
 * table. A plan that reads the whole table touches more than 50,000 rows. Judged under row-level security, as the reader
 * asks, with fresh statistics.
 */
import type { CompiledQuery } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { AuditFilter } from '../src/read/audit-filter.ts'
import { searchQuery } from '../src/read/audit-search.ts'
import { statsQuery } from '../src/read/audit-stats.ts'
import { auditQuery, pieceEndQuery } from '../src/read/audit.ts'
import { questionQuery } from '../src/read/questions/ask.ts'
import { createReader } from '../src/read/reader.ts'
import { rowsRead } from './support/plans.ts'
import { useRegister } from './support/register.ts'

const bench = useRegister()
let app: pg.Client

const runs = 5000
/** Of 10 events each: every 500th run is rare in each respect; a run begins each second. */
const seed = `
  set search_path = signalbox;
  create function pg_temp.id(n int) returns uuid language sql immutable
  return ('019ac000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid;
  insert into run (id, tenant_id, thread_id, agent, definition_hash, machine, machine_version, status, state_name,
    outcome, head_hash, metadata, created_at, updated_at, due_at, multitask)
  select pg_temp.id(n), 'acme', case when n % 500 = 0 then 'rare' else 't' || n end,
    case when n % 500 = 0 then 'rare' else 'writer' end, 'd', 'run', 1, 'ended', 'completed',
    case when n % 500 = 0 then 'rare' else 'completed' end, '\\x00', '{}', now(), now(), now(), 'enqueue'
  from generate_series(1, ${runs}) n;
  insert into event (run_id, seq, gpos, xid, at, tenant_id, thread_id, type, type_version, actor, tool, verdict,
    payload, payload_sha256, digest, hash)
  select pg_temp.id(n), s, nextval('event_gpos'), '3', timestamptz '2026-01-01' + n * interval '1 s', 'acme',
    case when n % 500 = 0 then 'rare' else 't' || n end,
    case when s = 1 then 'run.created' when n % 500 = 0 then 'rare' else 'effect.started' end, 1,
    case when n % 500 = 0 then 'rare' else 'engine' end, case when n % 500 = 0 then 'rare' else 'write' end,
    case when n % 500 = 0 then 'rare' when s % 3 = 0 then 'done' end,
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
  since: { since: start + (runs - 5) * 1000 },
  until: { until: start + 5000 },
  after: { after: `${'3'.padStart(20, '0')}-${String(runs * 10 - 50).padStart(20, '0')}` },
}
/** Far below the 50,000 events; a plan may read the 5,000 runs on its way, as a table so small is read at once. */
const rowsMax = 6500

const reads = (query: CompiledQuery) => rowsRead(app, query, { generic: false })

it.each(Object.entries(filters))('finds by %s without reading the table', async (_, filter) => {
  expect(await reads(auditQuery({ ...filter, limit: 100 }))).toBeLessThan(rowsMax)
  expect(await reads(pieceEndQuery(filter, 100))).toBeLessThan(rowsMax)
  expect(await reads(searchQuery({ ...filter, limit: 100 }, 'nowhere'))).toBeLessThan(rowsMax)
  expect(await reads(statsQuery(filter, ['type', 'hour']))).toBeLessThan(rowsMax)
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
  await vi.waitFor(async () => expect((await reader.audit('acme', {})).events).toHaveLength(1000))
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
  expect(await reads(questionQuery('executed_calls', about))).toBeLessThan(rowsMax)
  expect(await reads(questionQuery('denied_calls', { limit: 100 }))).toBeLessThan(rowsMax)
})
