/** What the polls of trees read, before anybody started a run, and among 100,000 runs that have ended or have no children. */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { childrenQuery, endedChildrenQuery, orphansQuery } from '../src/register/families.ts'
import { rowsRead } from './support/plans.ts'
import { useRegister } from './support/register.ts'

const bench = useRegister()
let admin: pg.Client
let engine: pg.Client

beforeAll(async () => {
  admin = new pg.Client(bench.database.adminUrl)
  engine = new pg.Client(bench.database.engineUrl)
  await admin.connect()
  await engine.connect()
  // It may come while a seed is not committed, sees pages without rows, and writes down that the table is empty.
  for (const table of ['run', 'effect'])
    await admin.query(`alter table signalbox.${table} set (autovacuum_enabled = false)`)
})
afterAll(async () => {
  await admin.end()
  await engine.end()
})

/** As a prepared statement ends up, and as one that is planned for its values. */
async function reads(query: ReturnType<typeof orphansQuery>): Promise<number> {
  const rows = []
  for (const generic of [true, false]) rows.push(await rowsRead(engine, query, { generic }))
  return Math.max(...rows)
}

/** Runs by number: 100,000 that have ended, but for those after 98,000 that nobody started: they live, and tools run. */
const seed = (isChild: string) => `
  set search_path = signalbox;
  create or replace function pg_temp.id(n int) returns uuid language sql immutable
  return ('019ac000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid;
  insert into run (id, tenant_id, thread_id, agent, definition_hash, machine, machine_version, status, state_name,
    outcome, admitted, head_hash, metadata, created_at, updated_at, parent_id, parent_effect, root_id,
    due_at, place, multitask)
  select pg_temp.id(n), 'full', 't' || n, 'writer', 'd', 'run', 1, 'ended', 'completed', 'completed', true, '\\x00', '{}',
    now(), now(), case when ${isChild} then pg_temp.id(n - 1) end,
    case when ${isChild} then pg_temp.id(n - 1) || '.1' end, case when ${isChild} then pg_temp.id(n - 1) end,
    now(), 1, 'enqueue'
  from generate_series(1, 100000) n;
  insert into effect (id, run_id, tenant_id, kind, queue, mode, tool, status, due, next_look, spec)
  select id || '.1', id, 'full', case when exists (select from run c where c.parent_id = r.id) then 'run.start'
    else 'tool.call' end, 'q', 'idempotent', 'task', 'done', now(), 'infinity', '{}'
  from run r;
  update run set status = 'running', outcome = null where id > pg_temp.id(98000) and parent_id is null;
  update effect set status = 'started' where run_id > pg_temp.id(98000) and kind = 'tool.call';
  analyze run, effect`

/** Ten parents wait: five for children that have ended, five for children that live; of those, two parents were cancelled. */
const family = `
  update effect set status = 'started' where run_id in (select pg_temp.id(n * 2 - 1) from generate_series(1, 10) n);
  update run set status = 'running' where id in (select pg_temp.id(n * 2 - 1) from generate_series(1, 10) n);
  update run set status = 'running' where id in (select pg_temp.id(n * 2) from generate_series(6, 10) n);
  update run set cancel_requested = true where id in (pg_temp.id(11), pg_temp.id(13));
  analyze run, effect`

const parent = '019ac000-0000-7000-8000-000000000011'

describe('the polls of trees', () => {
  it('read nothing where no run was started by another', async () => {
    await admin.query(seed('false'))
    expect(await bench.register.endedChildren(1000)).toEqual([])
    expect(await reads(endedChildrenQuery(1000))).toBe(0)
    expect(await reads(orphansQuery(1000))).toBe(0)
    expect(await reads(childrenQuery(parent))).toBe(0)
    await admin.query('truncate signalbox.run, signalbox.effect')
  })

  it('read those who live and those who wait, not those who ended', async () => {
    await admin.query(seed('n % 2 = 0'))
    await admin.query(family)
    expect(await bench.register.endedChildren(1000)).toHaveLength(5)
    expect(await reads(endedChildrenQuery(1000))).toBeLessThan(40)
    expect(await bench.register.orphans(1000)).toHaveLength(2)
    expect(await reads(orphansQuery(1000))).toBeLessThan(40)
    expect(await bench.register.children(parent)).toHaveLength(1)
    expect(await reads(childrenQuery(parent))).toBeLessThan(5)
  })

  it('read the same before the tables are analysed again', async () => {
    await admin.query('truncate signalbox.run, signalbox.effect')
    await admin.query('analyze signalbox.run, signalbox.effect')
    await admin.query(seed('n % 2 = 0').replace('analyze run, effect', 'select'))
    await admin.query(family.replace('analyze run, effect', 'select'))
    expect(await reads(endedChildrenQuery(1000))).toBeLessThan(40)
    expect(await reads(orphansQuery(1000))).toBeLessThan(40)
    expect(await reads(childrenQuery(parent))).toBeLessThan(5)
  })
})
