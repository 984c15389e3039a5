/** What governance asks of the register, as far as only this one can show it: roles, races, commits, erasure, plans. */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { approvalQuery, approvalsQuery } from '../src/read/approvals.ts'
import { grantsQuery, safetyStopsQuery } from '../src/register/governance.ts'
import { createRegister } from '../src/register/register.ts'
import { about, admission, fact, newRun, uuid7 } from './support/drafts.ts'
import { rowsRead } from './support/plans.ts'
import { useRegister } from './support/register.ts'

const bench = useRegister()
const clients: pg.Client[] = []

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url)
  await client.connect()
  clients.push(client)
  return client
}

afterAll(() => Promise.all(clients.map((client) => client.end())))

const breaker = { threshold: 2, openMs: 3_600_000 }

async function openCircuit(): Promise<string> {
  const model = `p/${uuid7()}`
  for (const outcome of ['failed', 'failed'] as const)
    await bench.register.reportCall(model, outcome, breaker)
  return model
}

describe('the circuit', () => {
  it('is asked without a commit, unless the answer is a probe', async () => {
    const model = await openCircuit()
    const engine = await connect(bench.database.engineUrl)
    const ask = async (name: string, openMs: number) => {
      await engine.query('begin')
      const { rows } = await engine.query('select state from signalbox.admit_call($1, $2)', [
        name,
        openMs,
      ])
      const wrote = await engine.query('select pg_current_xact_id_if_assigned() as xid')
      await engine.query('commit')
      return [rows[0].state, wrote.rows[0].xid !== null]
    }
    expect(await ask('p/never failed', 1)).toEqual(['closed', false])
    expect(await ask(model, 3_600_000)).toEqual(['open', false])
    const admin = await connect(bench.database.adminUrl)
    await admin.query("update signalbox.breaker set opened_at = opened_at - interval '1 hour'")
    expect(await ask(model, 3_600_000)).toEqual(['probe', true])
  })

  it('gives one probe to two processes that ask twenty times each, in every round', async () => {
    const model = await openCircuit()
    const admin = await connect(bench.database.adminUrl)
    const other = createRegister({ engineUrl: bench.database.engineUrl })
    for (let round = 0; round < 5; round += 1) {
      await admin.query(
        `update signalbox.breaker set opened_at = opened_at - interval '1 hour',
           probe_at = probe_at - interval '1 hour'`,
      )
      const asked = [bench.register, other].flatMap((register) =>
        Array.from({ length: 20 }, () => register.admitCall(model, breaker)),
      )
      const answers = await Promise.all(asked)
      expect(answers.filter(({ state }) => state === 'probe')).toHaveLength(1)
      expect(answers.filter(({ state }) => state === 'open')).toHaveLength(39)
    }
    await other.close()
  })

  it('counts every failure of many at once', async () => {
    const model = `p/${uuid7()}`
    const patient = { threshold: 30, openMs: 1 }
    const report = () => bench.register.reportCall(model, 'failed', patient)
    await Promise.all(Array.from({ length: 29 }, report))
    expect(await bench.register.admitCall(model, patient)).toMatchObject({
      state: 'closed',
      failures: 29,
    })
  })

  it('refuses what is no model, no outcome and no setting', async () => {
    const engine = await connect(bench.database.engineUrl)
    for (const call of [
      "admit_call('', 1)",
      "admit_call(repeat('m', 201), 1)",
      'admit_call(null, 1)',
      "admit_call('m', 0)",
      "admit_call('m', null)",
      "report_call('', 'ok', 1)",
      "report_call('m', 'maybe', 1)",
      "report_call('m', null, 1)",
      "report_call('m', 'failed', 0)",
    ]) {
      await expect(engine.query(`select signalbox.${call}`), call).rejects.toMatchObject({
        code: '22023',
      })
    }
  })

  it('is nobody’s business but the engine’s', async () => {
    const app = await connect(bench.database.appUrl)
    for (const statement of [
      'select * from signalbox.breaker',
      "select signalbox.admit_call('m', 1)",
      "select signalbox.report_call('m', 'failed', 1)",
    ]) {
      await expect(app.query(statement)).rejects.toMatchObject({ code: '42501' })
    }
  })
})

it('an approval that was erased grants nothing', async () => {
  const run = newRun({ tenantId: uuid7() })
  const payload = { decision: 'approve', scope: 'always', argsHash: 'h', callId: 'c', tool: 'pay' }
  await bench.register.append(admission(run))
  const answer = fact('approval.answered', 'a', { tool: 'pay', payload })
  await bench.register.append({ ...about(run), facts: [answer] })
  const asked = () =>
    bench.register.grants({ tenantId: run.tenantId, agent: 'writer' }, [
      { tool: 'pay', argsHash: 'h' },
    ])
  expect(await asked()).toEqual([true])
  const admin = await connect(bench.database.adminUrl)
  await admin.query(
    'update signalbox.event set payload = null, salt = null where run_id = $1 and seq = 4',
    [run.runId],
  )
  expect(await asked()).toEqual([false])
})

/**
 * 26,000 events of 2,000 runs, each of which asked for one approval; four still wait. Read wrongly, each of the queries
 * touches at least the 2,000 requests, answers or runs; read rightly, what it answers and little more.
 */
describe('at 26,000 events', () => {
  let app: pg.Client
  let engine: pg.Client

  beforeAll(async () => {
    const admin = await connect(bench.database.adminUrl)
    await admin.query(seed)
    app = await connect(bench.database.appUrl)
    await app.query("select set_config('signalbox.tenant', 'full', false)")
    engine = await connect(bench.database.engineUrl)
  })

  const agent = { tenantId: 'full', agent: 'writer' }
  const calls = [
    { tool: 'bash', argsHash: 'h000000000007' },
    { tool: 'bash', argsHash: 'never' },
  ]
  const user = { tenantId: 'full', endUser: 'u007' }

  it('approvals are read by the runs that live', async () => {
    const { rows } = await app.query(approvalsQuery({}).sql, [...approvalsQuery({}).parameters])
    expect(rows).toHaveLength(4)
    for (const generic of [true, false])
      expect(await rowsRead(app, approvalsQuery({}), { generic })).toBeLessThan(100)
  })

  it('one of a run that another one started is found with that', async () => {
    const admin = await connect(bench.database.adminUrl)
    const top = await admin.query(`
      update signalbox.run r set root_id = o.id, parent_id = o.id, parent_effect = o.id || '.1'
      from (select id, thread_id from signalbox.run where tenant_id = 'full' order by id limit 1) o
      where r.id = (select run_id from signalbox.approval where id = 'a_000000000007_1_0')
      returning o.id, o.thread_id`)
    const query = approvalQuery('a_000000000007_1_0')
    const { rows } = await app.query(query.sql, [...query.parameters])
    const [{ id, thread_id: threadId }] = top.rows
    expect(rows).toMatchObject([{ root: { runId: id, threadId, agent: 'writer' } }])
    for (const asked of [query, approvalsQuery({ treeOf: id })])
      for (const generic of [true, false])
        expect(await rowsRead(app, asked, { generic })).toBeLessThan(100)
  })

  it('an approval is found by its id', async () => {
    const query = approvalQuery('a_000000000007_1_0')
    const { rows } = await app.query(query.sql, [...query.parameters])
    expect(rows).toMatchObject([{ status: 'approved', args: { x: 1 } }])
    for (const generic of [true, false])
      expect(await rowsRead(app, query, { generic })).toBeLessThan(100)
  })

  it('grants are found by tool and arguments', async () => {
    const query = grantsQuery(agent, calls)
    const { rows } = await engine.query(query.sql, [...query.parameters])
    expect(rows).toEqual([{ granted: true }, { granted: false }])
    for (const generic of [true, false])
      expect(await rowsRead(engine, query, { generic })).toBeLessThan(20)
  })

  it('safety stops are found by their type', async () => {
    const query = safetyStopsQuery(user, 0, 10)
    const { rows } = await engine.query(query.sql, [...query.parameters])
    expect(rows).toHaveLength(2)
    for (const generic of [true, false])
      expect(await rowsRead(engine, query, { generic })).toBeLessThan(100)
  })
})

const seed = `
  set search_path = signalbox;
  insert into run (id, tenant_id, thread_id, agent, definition_hash, machine, machine_version, status, state_name,
    admitted, head_hash, metadata, created_at, updated_at, due_at, place, multitask)
  select (lpad(to_hex(to_ms(now()) - n * 1000), 12, '0') || '70008' || lpad(n::text, 15, '0'))::uuid,
    'full', 't' || n, 'writer', 'd', 'run', 1, case when n % 500 = 0 then 'waiting' else 'ended' end, 'approval',
    true, '\\x00', '{}', now(), now(), now(), 1, 'enqueue'
  from generate_series(1, 2000) n;
  insert into event
  select r.id, s, nextval('event_gpos'), '3', now() - interval '1 day', 'full', r.thread_id,
    case s when 1 then 'run.created' when 10 then 'model.completed' when 11 then 'approval.requested'
      when 12 then case r.status when 'ended' then 'approval.answered' else 'tool.completed' end
      when 13 then case when right(r.id::text, 2) = '07' then 'safety.suppressed' else 'tool.completed' end
      else 'tool.completed' end,
    1, 'a', case when s in (11, 12) then 'bash' end, null, s::text,
    case s when 1 then jsonb_build_object('endUser', 'u' || right(r.id::text, 3))
      when 10 then jsonb_build_object('turn', jsonb_build_object('message', jsonb_build_object('parts', jsonb_build_array(
        jsonb_build_object('type', 'tool_call', 'id', 'c' || call, 'args', jsonb_build_object('x', 1))))))
      when 11 then jsonb_build_object('approvalId', 'a' || call, 'callId', 'c' || call, 'argsHash', 'h' || tail)
      when 12 then jsonb_build_object('callId', 'c' || call, 'decision', 'approve', 'scope', 'always',
        'argsHash', 'h' || tail)
      else '{}' end, '\\x00', '\\x00', '\\x00', '\\x00'
  from run r, generate_series(1, 13) s, right(r.id::text, 12) tail, concat('_', tail, '_1_0') call
  where r.tenant_id = 'full';
  insert into approval
  select run_id, seq, tenant_id, payload ->> 'approvalId', payload ->> 'callId', at, right(run_id::text, 3) in ('500', '000')
  from event where tenant_id = 'full' and type = 'approval.requested';
  insert into approval_grant
  select tenant_id, 'writer', tool, payload ->> 'argsHash', run_id, seq
  from event where tenant_id = 'full' and type = 'approval.answered';
  analyze event, run, approval, approval_grant`
