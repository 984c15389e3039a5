/**
 * A run whose definition is newer than the process that is asked about it. Would catch: an answer that calls it a defect of this
 * process, or does not say that another process answers.
 */
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

async function asSuperuser(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: database.adminUrl })
  await client.connect()
  await client.query(statement)
  await client.end()
}

const lead = { 'x-user': 'bob', 'x-role': 'lead' }

it('an approval of such a run is refused with 503: a process of the newer build takes it', async () => {
  const body = { assistant_id: 'clerk', input: 'Note milk.' }
  const waited = await call(asking.api, 'POST', '/runs/wait', { body })
  const id = String(waited.body.__interrupt__[0].value.approval_id)
  const runId = String(waited.body.run.run_id)
  await asSuperuser(`update signalbox.definition set body = body || '{"memory": {"kind": "long"}}'`)
  const approve = { body: { decision: 'approve' }, headers: lead }
  const refused = await call(other.api, 'POST', `/approvals/${id}`, approve)
  expect(refused).toMatchObject({ status: 503, body: { code: 'newer_build' } })
  expect(refused.headers.get('retry-after')).toBe('2')
  expect((await call(other.api, 'GET', `/runs/${runId}`)).status).toBe(200)
  await asSuperuser(`update signalbox.definition set body = body - 'memory'`)
  expect((await call(other.api, 'POST', `/approvals/${id}`, approve)).status).toBe(200)
})
