/** Tenants and roles: A neither reads nor writes B, and nobody writes a table (I19). */
import { AgentDefinition, type LedgerType } from '@signalbox/core'
import { ledgerDraft, systemClock, systemRandom } from '@signalbox/engine'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { questionNames, questions } from '../src/read/questions/catalogue.ts'
import { createReader, type Reader } from '../src/read/reader.ts'
import {
  about,
  admission,
  claim,
  decision,
  event,
  fact,
  fence,
  newRun,
  timer,
  toolEffect,
} from './support/drafts.ts'
import { useRegister } from './support/register.ts'

const bench = useRegister()
const tables = [
  'thread',
  'definition',
  'blob',
  'run',
  'alias',
  'event',
  'effect',
  'timer',
  'approval',
  'approval_grant',
  'budget',
  'reservation',
  'breaker',
  'end_user_run',
  'definition_use',
]
/** Of no tenant: nothing of an app's. */
const engineOnly = ['definition', 'breaker']
const run = newRun({ tenantId: 'b' })
const draftedEntry = ledgerDraft(
  { clock: systemClock, random: systemRandom },
  { tenant: 'b', type: 'key.revoked', payload: { key: 'k' }, actor: 'test' },
)
const definition = AgentDefinition.parse({
  name: 'writer',
  model: { provider: 'scripted', model: 'm' },
  instructions: 'Write.',
  tools: [],
})
const recorded = (type: LedgerType) => ({
  ...draftedEntry,
  event: event(type, { payload: { agent: 'writer' } }),
})
let reader: Reader
let app: pg.Client
let engine: pg.Client

beforeAll(async () => {
  reader = createReader({ appUrl: bench.database.appUrl })
  app = new pg.Client(bench.database.appUrl)
  engine = new pg.Client(bench.database.engineUrl)
  await app.connect()
  await engine.connect()
  const thread = { tenantId: 'b', threadId: run.threadId }
  await bench.register.ensureThread({
    ...thread,
    metadata: {},
    createdAt: 1,
    contentKey: 'ab'.repeat(32),
  })
  await bench.register.putBlob(thread, { key: 'k', mime: 'a/b', bytes: Buffer.from('x') })
  const item = admission(run, { effects: [toolEffect(run, 1)], timers: [timer('t', 60_000)] })
  if (item.create === undefined) throw new Error('an admission creates')
  const created = fact('run.created', 'created', { payload: { input: [], endUser: 'u_1' } })
  await bench.register.append({
    ...item,
    facts: [created, fact('run.admitted', 'admitted')],
    create: { ...item.create, alias: { key: 'mine', bodyHash: 'b' } },
  })
  const part = { type: 'tool_call', id: 'call_1', name: 'write', args: { path: 'a.txt' } }
  const turn = event('model.completed', { payload: { turn: { message: { parts: [part] } } } })
  await bench.register.append({ ...about(run), notes: [turn] })
  const id = `${run.runId}.1`
  await bench.register.append({ ...about(run), claims: [claim(id)] })
  const unknown = fact('tool.unknown', 'u', { fence: fence(id, 'started', { becomes: 'unknown' }) })
  await bench.register.append({ ...about(run), facts: [unknown] })
  const payload = { callId: 'c_1', approvalId: 'a_1', tool: 'write', argsHash: 'h' }
  const granted = { callId: 'c_0', decision: 'approve', scope: 'always', argsHash: 'h' }
  const request = event('approval.requested', { tool: 'write', payload })
  await bench.register.append({
    ...about(run),
    facts: [fact('approval.answered', 'x', { tool: 'write', payload: granted })],
    decision: decision(2, 7, { events: [event('run.transitioned'), request] }),
  })
  const notes = ['call.denied', 'safety.suppressed'].map((type) => event(type, { tool: 'write' }))
  await bench.register.append({ ...about(run), notes })
  // A call that began although nobody had approved it; the row of its effect is gone.
  const ofCall = { effectId: 'gone', callId: 'c_1', attempt: 1 }
  const began = ['effect.started', 'tool.completed'].map((type) =>
    event(type, { tool: 'write', payload: ofCall }),
  )
  await bench.register.append({ ...about(run), notes: began })
  await bench.register.putDefinition('d', definition)
  await bench.register.useDefinition('d', recorded('definition.used'))
  for (const type of ['key.created', 'log.searched'] as const)
    await bench.register.recordInLedger(recorded(type))
  const { tenantId, runId } = run
  const tree = { rootId: runId, tenantId, turns: 1, calls: 1, tokens: 1, cost: null }
  await bench.register.openBudget(tree)
  const share = { rootId: runId, runId, effectId: `${runId}.2`, tokens: 1, cost: 0 }
  await bench.register.reserve({ ...share, turns: 1, calls: 0 })
})

afterAll(async () => {
  await reader.close()
  await app.end()
  await engine.end()
})

describe('the reader', () => {
  const reads: [string, (tenant: string) => Promise<unknown>][] = [
    ['run', (tenant) => reader.run(tenant, run.runId)],
    ['run by alias', (tenant) => reader.run(tenant, 'mine')],
    ['runs', (tenant) => reader.runs(tenant, {})],
    ['runs beyond', (tenant) => reader.runsBeyond(tenant, [{ runId: run.runId, seq: 0 }])],
    ['thread', (tenant) => reader.thread(tenant, run.threadId)],
    ['threads', (tenant) => reader.threads(tenant, {})],
    ['thread count', async (tenant) => (await reader.threadCount(tenant, {})) || null],
    [
      'thread events',
      (tenant) => reader.threadEvents(tenant, run.threadId, { types: ['run.created'] }),
    ],
    ['events', (tenant) => reader.events(tenant, {})],
    ['audit', async (tenant) => (await reader.audit(tenant, { endUser: 'u_1' })).events],
    ['search', async (tenant) => (await reader.audit(tenant, { q: 'write' })).events],
    ['end of a piece', (tenant) => reader.auditPiece(tenant, { agent: 'writer' }, 1)],
    ['counts', (tenant) => reader.auditStats(tenant, {}, { by: ['agent', 'end_user', 'type'] })],
    ...questionNames.map((name): [string, (tenant: string) => Promise<unknown>] => [
      `question ${name}`,
      async (tenant) => {
        const path = questions[name].needs?.includes('path') ? { path: 'a.txt' } : {}
        return (await reader.auditAnswers(tenant, name, path)).rows
      },
    ]),
    ['usage', (tenant) => reader.usage(tenant, {}, ['agent', 'end_user', 'month'])],
    ['used definition', (tenant) => reader.usedDefinition(tenant, 'd')],
    ['run events', (tenant) => reader.runEvents(tenant, run.runId, { after: 0, limit: 10 })],
    ['waiting', async (tenant) => (await reader.waiting(tenant)).unknown],
    ['approvals', (tenant) => reader.approvals(tenant, {})],
    ['approval', (tenant) => reader.approval(tenant, 'a_1')],
  ]
  it.each(reads)('%s: answers the owner, and nobody else', async (_name, read) => {
    // The feed waits for writers in other databases of the cluster: other test files.
    const own = await vi.waitFor(async () => {
      const answer = await read('b')
      expect(answer).not.toEqual([])
      return answer
    }, 30_000)
    expect(own).not.toEqual([])
    expect(own).not.toBeNull()
    for (const tenant of ['a', '', 'B', 'b ']) {
      expect([[], null]).toContainEqual(await read(tenant))
    }
  })

  it('tells of many runs which have events beyond the last one known', async () => {
    const seq = (await reader.run('b', run.runId))?.seq ?? 0
    const beyond = (known: number) =>
      reader.runsBeyond('b', [
        { runId: crypto.randomUUID(), seq: -1 },
        { runId: run.runId, seq: known },
      ])
    expect(await beyond(seq - 1)).toEqual([{ runId: run.runId, seq }])
    expect(await beyond(seq)).toEqual([])
    expect(await reader.runsBeyond('b', [])).toEqual([])
  })

  it('does not carry a tenant over to the next read of the connection', async () => {
    const single = createReader({ appUrl: bench.database.appUrl, maxConnections: 1 })
    const [own, other] = await Promise.all([single.runs('b', {}), single.runs('a', {})])
    expect([own.length, other.length]).toEqual([1, 0])
    await single.close()
  })

  it('survives a failing read', async () => {
    await expect(reader.events('b', { type: 'x\0' })).rejects.toThrow('invalid byte sequence')
    expect(await reader.runs('b', {})).toHaveLength(1)
  })
})

describe('the roles', () => {
  it.each(tables.filter((table) => !engineOnly.includes(table)))(
    'app sees nothing of %s without a tenant',
    async (table) => {
      const columns = table === 'thread' ? 'thread_id' : '*'
      const found = await app.query(`select ${columns} from signalbox.${table}`)
      expect(found.rowCount).toBe(0)
    },
  )

  it.each(tables.filter((table) => !engineOnly.includes(table)))(
    'app sees what there is of its tenant in %s, and nothing of another',
    async (table) => {
      const count = async (tenant: string) => {
        await app.query("select set_config('signalbox.tenant', $1, false)", [tenant])
        const columns = table === 'thread' ? 'thread_id' : '*'
        return (await app.query(`select ${columns} from signalbox.${table}`)).rowCount
      }
      expect(await count('b')).toBeGreaterThan(0)
      expect(await count('a')).toBe(0)
      await app.query("select set_config('signalbox.tenant', '', false)")
    },
  )

  it.each(tables)('neither app nor engine writes %s', async (table) => {
    for (const client of [app, engine]) {
      for (const statement of [
        `insert into signalbox.${table} default values`,
        `update signalbox.${table} set tenant_id = 'x'`,
        `delete from signalbox.${table}`,
        `truncate signalbox.${table}`,
      ]) {
        const code = engineOnly.includes(table) && statement.includes('tenant_id') ? /42/ : /42501/
        await expect(client.query(statement)).rejects.toMatchObject({
          code: expect.stringMatching(code),
        })
      }
    }
  })

  it('app reads neither content keys nor partitions, and makes none', async () => {
    for (const statement of [
      'select content_key from signalbox.thread',
      'select * from signalbox.definition',
      'select * from signalbox.breaker',
      'select * from signalbox.event_default',
      'select signalbox.ensure_partitions()',
      'select signalbox.append_item(null)',
      "select signalbox.take_due('{tool.call}', 1, 1)",
      "select signalbox.put_definition('h', '{}')",
      "select signalbox.use_definition('h', '{}')",
      "select * from signalbox.used_definition('b', 'd')",
      "select * from signalbox.model_prices('b')",
      `select signalbox.record_in_ledger('${JSON.stringify(draftedEntry)}')`,
      `select signalbox.open_budget('${run.runId}', 'a', 1, 1, 1, null)`,
      `select signalbox.reserve_budget('${run.runId}', '${run.runId}', 'e', 1, 0, 1, 1)`,
      `select signalbox.spend_budget('${run.runId}', 'e', 1, 1)`,
      'select signalbox.settle_budgets()',
      'set role signalbox_owner',
    ]) {
      await expect(app.query(statement)).rejects.toMatchObject({ code: '42501' })
    }
  })

  it('app appends for its current tenant only', async () => {
    const append = (tenantId: string) =>
      app.query('select signalbox.append($1) as answers', [
        JSON.stringify([
          { ...about({ ...run, tenantId }), facts: [fact('cancel.requested', 'c')] },
        ]),
      ])
    await app.query("select set_config('signalbox.tenant', 'a', false)")
    await expect(append('b')).rejects.toMatchObject({ code: '42501' })
    const foreign = await append('a')
    expect(foreign.rows[0]).toMatchObject({ answers: [{ code: 'no_run', seq: 0, facts: 0 }] })
    await app.query("select set_config('signalbox.tenant', 'b', false)")
    const own = await append('b')
    expect(own.rows[0]).toMatchObject({ answers: [{ code: 'ok', factCodes: ['ok'] }] })
    await app.query("select set_config('signalbox.tenant', '', false)")
  })

  it('a definer function cannot be fooled by a search path', async () => {
    await engine.query('create temp table run (id uuid)')
    await engine.query('set search_path = pg_temp, signalbox')
    const answer = await engine.query('select signalbox.append($1) as answers', [
      JSON.stringify([{ ...about(run), notes: [] }]),
    ])
    expect(answer.rows[0]).toMatchObject({ answers: [{ code: 'ok' }] })
    await engine.query('reset search_path')
  })
})
