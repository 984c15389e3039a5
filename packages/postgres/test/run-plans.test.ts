/**
 * What a page of runs reads among 100,000 that have ended: as much as it shows, also where few of many are wanted. Would catch: a
 * filter whose index is not used, and one that sorts all it finds before it shows a page.
 */
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { CompiledQuery } from 'kysely'
import { createReader, type Reader } from '../src/read/reader.ts'
import { type RunSearch, runSearchQuery } from '../src/read/run-search.ts'
import { rowsRead } from './support/plans.ts'
import { useRegister } from './support/register.ts'

const bench = useRegister()
let admin: pg.Client
let app: pg.Client
let reader: Reader

const many = 100_000
const idOf = (n: number): string => `019ac000-0000-7000-8000-${String(n).padStart(12, '0')}`

/** Runs by number. Of each thousand one failed; 40 wait for their thread, 10 run, 5 wait for a human; 20 are of one user. */
const seed = `
  set search_path = signalbox;
  create function pg_temp.id(n int) returns uuid language sql immutable
  return ('019ac000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid;
  insert into run (id, tenant_id, thread_id, agent, definition_hash, machine, machine_version, status, state_name,
    outcome, admitted, head_hash, metadata, created_at, updated_at, due_at, place, multitask)
  select pg_temp.id(n), case when n % 10 = 0 then 'other' else 'full' end, 't' || n,
    case when n = 77777 then 'rare' else 'writer' end, 'd', 'run', 1, 'ended',
    'completed', case when n % 1000 = 1 then 'failed' else 'completed' end, true, '\\x00', '{}',
    now(), now(), now(), 1, 'enqueue'
  from generate_series(1, ${many}) n;
  update run set status = 'queued', state_name = 'queued', outcome = null, admitted = false
  where tenant_id = 'full' and id > pg_temp.id(50000) and id <= pg_temp.id(50045);
  update run set status = 'running', state_name = 'tools', outcome = null
  where tenant_id = 'full' and id > pg_temp.id(100) and id <= pg_temp.id(111);
  update run set status = 'waiting', state_name = 'approval', outcome = null
  where tenant_id = 'full' and id > pg_temp.id(200) and id <= pg_temp.id(205);
  insert into end_user_run select 'full', 'u_ann', pg_temp.id(n) from generate_series(301, 320) n where n % 10 <> 0;
  analyze run, end_user_run`

beforeAll(async () => {
  admin = new pg.Client(bench.database.adminUrl)
  app = new pg.Client(bench.database.appUrl)
  await admin.connect()
  await app.connect()
  await admin.query('alter table signalbox.run set (autovacuum_enabled = false)')
  await admin.query(seed)
  await app.query("set signalbox.tenant = 'full'")
  reader = createReader({ appUrl: bench.database.appUrl })
}, 120_000)
afterAll(async () => {
  await reader?.close()
  await app?.end()
  await admin?.end()
})

const reads = (query: CompiledQuery) => rowsRead(app, query, { generic: false })

const searches: readonly (readonly [string, RunSearch, number])[] = [
  ['of all, newest first', {}, 20],
  ['the second page', { after: idOf(60_000) }, 20],
  ['that are queued', { among: { statuses: ['queued'], outcomes: [] } }, 20],
  ['that run, behind all others', { among: { statuses: ['running'], outcomes: [] } }, 10],
  ['that wait or are queued', { among: { statuses: ['queued', 'waiting'], outcomes: [] } }, 20],
  ['of a state', { states: ['approval'] }, 5],
  ['that failed', { outcomes: ['failed'] }, 20],
  ['that did not do their work', { outcomes: ['failed', 'timed_out', 'interrupted'] }, 20],
  ['that failed, oldest first', { outcomes: ['failed'], oldestFirst: true }, 20],
  ['of an agent', { agents: ['rare'] }, 1],
  ['of an end user', { endUsers: ['u_ann'] }, 18],
  ['of a thread', { threadIds: ['t5', 't7'] }, 2],
  ['that wait for a human', { waitsFor: ['approval', 'input', 'unknown'] }, 0],
]

it.each(searches)('%s', async (_, filter, found) => {
  const search = { ...filter, limit: 20 }
  const { runs, next } = await reader.searchRuns('full', search)
  expect(runs.length).toBe(found)
  const ids = runs.map(({ runId }) => runId)
  const ordered = ids.toSorted()
  expect(ids).toEqual(filter.oldestFirst ? ordered : ordered.toReversed())
  const rest =
    next === null ? [] : (await reader.searchRuns('full', { ...search, after: next })).runs
  expect(rest.some(({ runId }) => ids.includes(runId))).toBe(false)
  expect(await reads(runSearchQuery(search))).toBeLessThan(1000)
})

it('counts all of a tenant, and nothing of another one', async () => {
  const counts = await reader.countRuns('full', {}, ['status', 'outcome'])
  expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(90_000)
  expect(counts).toContainEqual(
    expect.objectContaining({ status: 'running', outcome: null, count: 10 }),
  )
  expect(await reader.countRuns('nobody', {}, ['status'])).toEqual([])
})
