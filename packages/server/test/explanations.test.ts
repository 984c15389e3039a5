/**
 * Why the calls of a run ran or did not, over HTTP, for real runs. Would catch: an explanation that others of the server do not
 * agree with, one that tells arguments, one of a run that is deleted or of another tenant, an event that is cited and is not there.
 */
import { RunExplanation } from '@signalbox/core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ConfigInput } from '@signalbox/server'
import { createTestDatabase, type TestDatabase } from '../../postgres/test/support/database.ts'
import { RunExplanation as Wire } from '../src/http/wire/run-explanation.ts'
import { approvalAgents } from './support/approval-agents.ts'
import { call, eventually } from './support/http.ts'
import { type KeyMaker, keyMaker, showing } from './support/key-maker.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

let box: TestSignalbox
let closed: TestSignalbox
let database: TestDatabase
let maker: KeyMaker

/** A filter stops the answer after its call. */
const cutting = () => ({
  text: 'I note',
  calls: [{ name: 'note', args: { text: 'secret milk' } }],
  ending: 'content_filter' as const,
})

beforeAll(async () => {
  const { agents, scripts, ...rest } = approvalAgents
  const cut = { model: { provider: 'scripted', model: 'cut' } as const, tools: ['note'] }
  box = await startTest({
    ...rest,
    agents: { ...agents, cut },
    scripts: { ...scripts, cut: cutting },
  })
  const config: ConfigInput = {
    agents: { clerk: { model: { provider: 'scripted', model: 'plain' } } },
    scripts: { plain: () => ({ text: 'Yes.' }) },
    server: { auth: 'keys' },
  }
  database = await createTestDatabase()
  closed = await startTest(config, { env: { DATABASE_URL: database.adminUrl } })
  maker = keyMaker(database.adminUrl)
})
afterAll(async () => {
  await maker?.keyring.close()
  await box?.stop()
  await closed?.stop()
  await database?.drop()
})

const headers = { 'x-user': 'ann', 'x-role': 'clerk' }
const create = async (assistant_id: string): Promise<string> =>
  (await call(box.api, 'POST', '/runs', { body: { assistant_id, input: 'Go.' }, headers })).body
    .run_id

const ended = (run: string) =>
  eventually(async () => (await call(box.api, 'GET', `/runs/${run}`)).body.outcome ?? undefined)

const answered = async (run: string, body: object) => {
  const approval = await eventually(async () => {
    const { body: waiting } = await call(box.api, 'GET', `/approvals?run_id=${run}`)
    return waiting[0]
  })
  const by = { 'x-user': 'bob', 'x-role': 'lead' }
  await call(box.api, 'POST', `/approvals/${approval.approval_id}`, { body, headers: by })
  await ended(run)
}

const explanation = async (run: string) => {
  const { status, body } = await call(box.api, 'GET', `/runs/${run}/explanation`)
  expect(status).toBe(200)
  return RunExplanation.parse(body)
}

it('names the person who approved, the hash, the worker and the result, each with its event', async () => {
  const run = await create('clerk')
  await answered(run, { decision: 'approve', note: 'Fine.' })
  const { run: about, calls } = await explanation(run)
  expect(about).toMatchObject({
    run_id: run,
    agent: 'clerk',
    user: { id: 'ann', role: 'clerk' },
    outcome: 'completed',
  })
  expect(calls).toMatchObject([{ tool: 'note', ran: 'ran', end: 'completed' }])
  const checks = calls[0]?.checks ?? []
  expect(checks.map(({ check, verdict }) => `${check} ${verdict}`)).toEqual([
    'close complete',
    'guardrails no_objection',
    'loop no_objection',
    'budget no_objection',
    'policy require_approval',
    'approval asked',
    'approval approved',
    'dispatch execute',
    'attempt began',
    'outcome completed',
  ])
  expect(checks.find(({ verdict }) => verdict === 'approved')).toMatchObject({
    by: { id: 'bob', role: 'lead' },
    note: 'Fine.',
    args_hash: calls[0]?.args_hash,
  })
  const { body } = await call(box.api, 'GET', `/runs/${run}/events?limit=1000`)
  const types = new Map(
    body.events.map((each: { seq: number; type: string }) => [each.seq, each.type]),
  )
  for (const { proof } of checks) expect(types.get(proof.seq)).toBe(proof.type)
  const started = body.events.find(
    (each: { type: string; payload: { effectId: string } }) =>
      each.type === 'effect.started' &&
      checks.some(
        (check) => check.check === 'dispatch' && check.effect_id === each.payload.effectId,
      ),
  )
  expect(checks.find(({ check }) => check === 'attempt')).toMatchObject({
    worker: started.payload.owner,
    proof: { seq: started.seq },
  })
})

it('says who rejected a call, and agrees with the report', async () => {
  const run = await create('clerk')
  await answered(run, { decision: 'reject', note: 'No.' })
  const { calls } = await explanation(run)
  expect(calls).toMatchObject([{ ran: 'did_not_run', end: 'rejected' }])
  expect(calls[0]?.why).toMatch(
    /^It did not run\. bob \(lead, [^)]+\) rejected the call \(#\d+\)\.$/,
  )
  const report = (await call(box.api, 'GET', `/runs/${run}/report`)).body
  expect(report.calls).toMatchObject([{ call_id: calls[0]?.call_id, status: 'denied' }])
})

it('tells of calls that were taken out with their answer only the tool and the number', async () => {
  const run = await create('cut')
  await ended(run)
  const explained = await explanation(run)
  expect(explained.run.outcome).toBe('safety_stopped')
  expect(explained.answers).toMatchObject([
    { verdict: 'safety', suppressed: [{ tool: 'note', count: 1 }], calls: [] },
  ])
  expect(explained.calls).toEqual([])
  expect(JSON.stringify(explained)).not.toContain('milk')
})

it.each(['text/markdown', 'text/plain', 'text/plain;q=0.9, application/json;q=0.1'])(
  'is a page as well: %s',
  async (accept) => {
    const run = await create('cut')
    await ended(run)
    const page = await call(box.api, 'GET', `/runs/${run}/explanation`, { headers: { accept } })
    expect(page.status).toBe(200)
    const type = accept.split(/[;,]/)[0] ?? ''
    expect(page.headers.get('content-type')).toBe(`${type}; charset=utf-8`)
    expect(page.body).toContain(`# Why the calls of the run ${run} ran, or did not`)
    expect(page.body).toContain('- Taken out, not executed: note, 1 ×')
  },
)

it('is below the thread of the run as well, and of an idempotency key', async () => {
  const body = { assistant_id: 'clerk', input: 'Go.' }
  const key = { 'idempotency-key': 'explained' }
  const run = (await call(box.api, 'POST', '/threads/t-explained/runs', { body, headers: key }))
    .body
  for (const path of ['/threads/t-explained/runs/explained', '/runs/explained'])
    expect((await call(box.api, 'GET', `${path}/explanation`)).body.run.run_id).toBe(run.run_id)
  const elsewhere = await call(box.api, 'GET', `/threads/other/runs/${run.run_id}/explanation`)
  expect(elsewhere).toMatchObject({ status: 404, body: { code: 'unknown_run' } })
})

it('is not there for a run that is not, or that was deleted', async () => {
  const none = await call(box.api, 'GET', '/runs/no-such-run/explanation')
  expect(none).toMatchObject({ status: 404, body: { code: 'unknown_run', field: 'run_id' } })
  const run = await create('cut')
  await ended(run)
  await call(box.api, 'DELETE', `/runs/${run}`)
  const [events, explained] = await Promise.all(
    ['events', 'explanation'].map((what) => call(box.api, 'GET', `/runs/${run}/${what}`)),
  )
  expect(explained?.status).toBe(events?.status)
  expect(explained).toMatchObject({ status: 404, body: { code: 'unknown_run' } })
})

it('is for readers and auditors of the tenant, as the events of the run are', async () => {
  const [writer, auditor, approver, stranger] = await Promise.all([
    maker.make('a', ['enqueue', 'read']),
    maker.make('a', ['audit']),
    maker.make('a', ['approve']),
    maker.make('b', ['audit']),
  ])
  const body = { assistant_id: 'clerk', input: 'Go.' }
  const run = (
    await call(closed.api, 'POST', '/runs/wait', { body, headers: showing(writer.text) })
  ).body.run.run_id
  const statusOf = async ({ text }: { readonly text: string }, what: string) =>
    (await call(closed.api, 'GET', `/runs/${run}/${what}`, { headers: showing(text) })).status
  for (const [key, status] of [
    [writer, 200],
    [auditor, 200],
    [approver, 403],
    [stranger, 404],
  ] as const)
    expect([await statusOf(key, 'explanation'), await statusOf(key, 'events')]).toEqual([
      status,
      status,
    ])
})

it('stands in the document with names and an example that fits', async () => {
  const { paths, components } = (await call(box.api, 'GET', '/openapi.json')).body
  const { get } = paths['/runs/{run_id}/explanation']
  expect(get.operationId).toBe('explainRun')
  expect(Object.keys(get.responses['200'].content)).toEqual([
    'application/json',
    'text/markdown',
    'text/plain',
  ])
  const { example } = components.schemas.RunExplanation
  expect(Wire.parse(example)).toEqual(example)
})
