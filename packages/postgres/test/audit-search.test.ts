/**
 * Free text over the feed, and pieces of it while others write. Would catch: a search that finds what is erased, or what
 * watchers of a run are not shown; an export that skips or repeats an event when it is resumed (I17).
 */
import type { JsonObject } from '@signalbox/core'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openPool } from '../src/pool.ts'
import { compile } from '../src/query.ts'
import { auditReader } from '../src/read/audit-reader.ts'
import { TooBroad } from '../src/read/bounded.ts'
import { createReader, type Reader } from '../src/read/reader.ts'
import { type AsTenant, tenantSession } from '../src/read/tenant-session.ts'
import { about, admission, event, fact, newRun, type RunIds, uuid7 } from './support/drafts.ts'
import { useRegister } from './support/register.ts'

const bench = useRegister()
let reader: Reader
beforeAll(() => {
  reader = createReader({ appUrl: bench.database.appUrl })
})
afterAll(() => reader.close())

async function runOf(tenantId: string): Promise<RunIds> {
  const run = newRun({ tenantId })
  await bench.register.append(admission(run))
  return run
}

/** The feed waits for writers in other databases of the cluster: other test files. */
async function until(tenant: string, count: number): Promise<void> {
  while ((await reader.audit(tenant, {})).events.length < count) await setTimeout(20)
}

const part = (text: string) => ({ type: 'text', text })
const turn = (more: JsonObject, ...parts: JsonObject[]) => ({
  turn: { message: { parts }, ...more },
})
const call = { type: 'tool_call', id: 'c', name: 'Bash', args: { command: 'rm "a b"\n', n: 1 } }
const output = { content: [part('the answer is Forty-Two'), { preview: 'head and tail' }] }
const trip = (partType: string) => ({ trip: { partType, feedback: 'quoted words', guardrail: {} } })

const stories: readonly (readonly [type: string, payload: JsonObject, finds: string[]])[] = [
  ['run.created', { input: [{ parts: [part('Pay ADA 50% Ünder')] }] }, ['pay ada', '50%', 'üNDER']],
  ['model.completed', turn({}, part('I will pay'), call), ['will PAY', 'rm "a b"\n', '"a b"']],
  ['tool.completed', { output }, ['forty-two', 'head and']],
  ['tool.failed', { error: { code: 'not_found', message: 'No such file' } }, ['such file']],
  ['approval.answered', { note: 'seen by Zoe' }, ['by zoe']],
  ['call.denied', { code: 'acme.no', message: 'Never on Sunday' }, ['sunday', 'acme.no']],
  ['guardrail.tripped', trip('text'), ['quoted words']],
]
/** What nobody finds: a provider's own words, and what is not between the texts that are searched. */
const hidden: readonly (readonly [type: string, payload: JsonObject])[] = [
  ['model.completed', turn({ error: { message: 'key sk-1 is invalid' } }, part('x'))],
  ['model.retried', { class: 'auth', message: 'key sk-1 is invalid' }],
  ['model.replaced', { class: 'auth', message: 'key sk-1 is invalid' }],
  ['guardrail.tripped', { trip: { partType: 'error', feedback: 'key sk-1', guardrail: {} } }],
  ['guardrail.stopped', { trip: { partType: 'error', feedback: 'key sk-1', guardrail: {} } }],
  ['effect.started', { owner: 'sk-1' }],
]

it('finds texts of events, never erased ones, nor the words of a provider that watchers are not shown', async () => {
  const tenant = uuid7()
  const run = newRun({ tenantId: tenant })
  const first = { input: [], endUser: 'u_1' }
  const created = fact('run.created', 'created', { payload: first })
  await bench.register.append({ ...admission(run), facts: [created, fact('run.admitted', 'a')] })
  const notes = [...stories, ...hidden].map(([type, payload]) => event(type, { payload }))
  await bench.register.append({ ...about(run), notes })
  await bench.register.append({ ...about(run), notes: [event('x.y', { tool: 'send_Letter' })] })
  await until(tenant, 3 + notes.length + 1)
  const found = async (q: string) =>
    (await reader.audit(tenant, { q })).events.map(({ type, seq }) => [type, seq])
  for (const [n, [type, , texts]] of stories.entries())
    for (const q of texts) expect([q, await found(q)]).toEqual([q, [[type, 4 + n]]])
  expect(await found('SEND_letter')).toEqual([['x.y', 4 + notes.length]])
  for (const q of ['sk-1', '", "', 'feedback', '%', '_%', 'will pay rm'])
    expect([q, await found(q)]).toEqual([q, q === '%' ? [['run.created', 4]] : []])
  const ofUser = async () => (await reader.audit(tenant, { endUser: 'u_1' })).events.length
  expect(await ofUser()).toBe(4 + notes.length)
  const admin = new pg.Client(bench.database.adminUrl)
  await admin.connect()
  await admin.query('update signalbox.event set payload = null, salt = null where run_id = $1', [
    run.runId,
  ])
  await admin.end()
  for (const [, , texts] of stories) for (const q of texts) expect(await found(q)).toEqual([])
  expect(await ofUser()).toBe(0)
  const [group] = await reader.auditStats(tenant, {}, { by: ['end_user'] })
  expect(group?.values).toEqual([null])
})

it('gives the database so long, and says when that was too short', async () => {
  const pool = openPool(bench.database.appUrl, { max: 1, pipeline: true, name: 'too-broad' })
  const as = tenantSession(pool)
  const slow: AsTenant = (tenant, query) =>
    as(tenant, { ...query, sql: 'select pg_sleep(60)', parameters: [] }, 20)
  await expect(auditReader(slow).audit('acme', {})).rejects.toThrow(TooBroad)
  // The next question on the connection has its own time.
  expect(await as('acme', compile(sql<{ n: number }>`select 1 as n`))).toEqual([{ n: 1 }])
  const given: (number | undefined)[] = []
  const told: AsTenant = async (_tenant, _query, msMax) => {
    given.push(msMax)
    return []
  }
  const reads = auditReader(told)
  await reads.audit('acme', { q: 'x' })
  await reads.auditPiece('acme', {}, 1)
  await reads.auditStats('acme', {}, { by: ['type'] })
  await reads.auditAnswers('acme', 'approvals', {})
  // Counts ask for their scope first.
  expect(given).toEqual([5000, 5000, 5000, 5000, 5000])
  await pool.end()
})

it('takes the pieces of an export while transactions come and go, some slow: each event once, none missing', async () => {
  const tenant = uuid7()
  const runs = await Promise.all([1, 2, 3, 4].map(() => runOf(tenant)))
  const writing = new AbortController()
  const writers = runs.map(async (run, n) => {
    const client = new pg.Client(bench.database.engineUrl)
    await client.connect()
    for (let round = 0; round < 12; round += 1) {
      // The slow ones hold their transaction open over many of the quick ones'.
      await client.query('begin')
      for (let facts = 0; facts < 3; facts += 1)
        await client.query('select signalbox.append($1)', [
          JSON.stringify([{ ...about(run), facts: [fact('work.done')] }]),
        ])
      await setTimeout(n % 2 === 0 ? 15 : 1)
      await client.query('commit')
    }
    await client.end()
  })
  const seen: string[] = []
  let after: string | undefined
  const takePiece = async () => {
    const from = after === undefined ? {} : { after }
    const end = await reader.auditPiece(tenant, from, 7)
    if (end === null) return 0
    const { events, next } = await reader.audit(tenant, { ...from, through: end.position })
    expect([next, events.length]).toEqual([null, end.count])
    expect(events.at(-1)?.position).toBe(end.position)
    seen.push(...events.map(({ runId, seq }) => `${runId} ${seq}`))
    after = end.position
    return end.count
  }
  const follower = (async () => {
    while (!writing.signal.aborted || (await takePiece()) > 0) await takePiece()
  })()
  await Promise.all(writers)
  writing.abort()
  await follower
  while (seen.length < 4 * 39) if ((await takePiece()) === 0) await setTimeout(20)
  const expected = runs.flatMap(({ runId }) =>
    Array.from({ length: 39 }, (_, n) => `${runId} ${n + 1}`),
  )
  expect(seen.toSorted()).toEqual(expected.toSorted())
})
