/**
 * A run whose definition is newer than the process that is asked about it. Would catch: an answer that calls it a defect of this
 * process, or does not say that another process answers.
 */
import { definitionHash } from '@signalbox/engine'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../postgres/test/support/database.ts'
import { approvalAgents } from './support/approval-agents.ts'
import { call } from './support/http.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

let database: TestDatabase
let asking: TestSignalbox
let other: TestSignalbox

beforeAll(async () => {
  database = await createTestDatabase()
  const start = () => startTest(approvalAgents, { env: { DATABASE_URL: database.adminUrl } })
  asking = await start()
  other = await start()
})
afterAll(async () => {
  await asking?.stop()
  await other?.stop()
  await database?.drop()
})

async function asSuperuser(statement: string, values: readonly unknown[] = []) {
  const client = new pg.Client({ connectionString: database.adminUrl })
  await client.connect()
  const { rows } = await client.query(statement, [...values])
  await client.end()
  return rows
}

/** Pins the run to what a newer build would have stored, under the hash of it. Answers the way back. */
async function pinNewer(runId: string): Promise<() => Promise<unknown>> {
  const [{ hash, body }] = await asSuperuser(
    `select d.hash, d.body from signalbox.definition d join signalbox.run r on r.definition_hash = d.hash where r.id = $1`,
    [runId],
  )
  const newer = { ...body, memory: { kind: 'long' } }
  const newerHash = definitionHash(newer)
  await asSuperuser('insert into signalbox.definition values ($1, $2)', [newerHash, newer])
  const pin = (to: string) =>
    asSuperuser('update signalbox.run set definition_hash = $1 where id = $2', [to, runId])
  await pin(newerHash)
  return () => pin(hash)
}

const lead = { 'x-user': 'bob', 'x-role': 'lead' }

it('an approval of such a run is refused with 503: a process of the newer build takes it', async () => {
  const body = { assistant_id: 'clerk', input: 'Note milk.' }
  const waited = await call(asking.api, 'POST', '/runs/wait', { body })
  const id = String(waited.body.__interrupt__[0].value.approval_id)
  const runId = String(waited.body.run.run_id)
  const back = await pinNewer(runId)
  const approve = { body: { decision: 'approve' }, headers: lead }
  const refused = await call(other.api, 'POST', `/approvals/${id}`, approve)
  expect(refused).toMatchObject({ status: 503, body: { code: 'newer_build' } })
  expect(refused.headers.get('retry-after')).toBe('2')
  expect((await call(other.api, 'GET', `/runs/${runId}`)).status).toBe(200)
  await back()
  expect((await call(other.api, 'POST', `/approvals/${id}`, approve)).status).toBe(200)
})

it('an approval of a run whose definition was edited is refused by name, and the run fails', async () => {
  const body = { assistant_id: 'clerk', input: 'Note bread.' }
  const waited = await call(asking.api, 'POST', '/runs/wait', { body })
  const id = String(waited.body.__interrupt__[0].value.approval_id)
  const run = waited.body.run
  await asSuperuser(
    `update signalbox.definition set body = jsonb_set(body, '{approvals,roles}', '["anybody"]') where hash = $1`,
    [run.definition_hash],
  )
  const fresh = await startTest(approvalAgents, { env: { DATABASE_URL: database.adminUrl } })
  try {
    const approve = { body: { decision: 'approve' }, headers: lead }
    const refused = await call(fresh.api, 'POST', `/approvals/${id}`, approve)
    expect(refused).toMatchObject({ status: 409, body: { code: 'definition_changed' } })
    const shown = await call(fresh.api, 'GET', `/definitions/${run.definition_hash}`)
    expect(shown).toMatchObject({ status: 409, body: { code: 'definition_changed' } })
    const after = await call(fresh.api, 'GET', `/runs/${run.run_id}/join`)
    expect(after.body.run).toMatchObject({ outcome: 'failed' })
    const { body: log } = await call(fresh.api, 'GET', `/runs/${run.run_id}/events?limit=1000`)
    const faults = log.events.filter((event: { type: string }) => event.type === 'run.faulted')
    expect(faults).toMatchObject([{ payload: { code: 'definition_changed' } }])
  } finally {
    await fresh.stop()
  }
})
