/**
 * The table of approvals for every run of an agent is an index of answers: by itself it approves nothing. Would catch: a row that
 * somebody wrote without a person's answer, and by which calls would run unasked.
 */
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { about, admission, fact, newRun, uuid7 } from './support/drafts.ts'
import { useRegister } from './support/register.ts'

const bench = useRegister()
let admin: pg.Client
beforeAll(async () => {
  admin = new pg.Client(bench.database.adminUrl)
  await admin.connect()
})
afterAll(() => admin?.end())

const always = { decision: 'approve', scope: 'always', argsHash: 'h', callId: 'c', tool: 'pay' }

/** A run with an answer, and the table with a row that names an event of it: 1 to 3 are its beginning, 4 is the answer. */
async function granted(
  row: { readonly tool?: string; readonly argsHash?: string; readonly seq?: number },
  answer: Partial<typeof always> = {},
): Promise<readonly boolean[]> {
  const run = newRun({ tenantId: uuid7() })
  await bench.register.append(admission(run))
  const payload = { ...always, ...answer }
  const said = fact('approval.answered', 'a', { tool: payload.tool, payload })
  await bench.register.append({ ...about(run), facts: [said] })
  const { tool = 'pay', argsHash = 'h', seq = 4 } = row
  await admin.query('delete from signalbox.approval_grant where tenant_id = $1', [run.tenantId])
  await admin.query('insert into signalbox.approval_grant values ($1, $2, $3, $4, $5, $6)', [
    run.tenantId,
    'writer',
    tool,
    argsHash,
    run.runId,
    seq,
  ])
  return bench.register.grants({ tenantId: run.tenantId, agent: 'writer' }, [{ tool, argsHash }])
}

it('a row that says what the answer says stands', async () => {
  expect(await granted({})).toEqual([true])
})

it.each<[string, Parameters<typeof granted>]>([
  ['names an event that is no answer', [{ seq: 1 }]],
  ['names an event that is not there', [{ seq: 99 }]],
  ['is about other arguments', [{ argsHash: 'h2' }]],
  ['is about another tool', [{ tool: 'wire' }]],
  ['names a rejection', [{}, { decision: 'reject' }]],
  ['names an answer for one call', [{}, { scope: 'once' }]],
])('a row that %s approves nothing', async (_name, [row, answer]) => {
  expect(await granted(row, answer)).toEqual([false])
})

it('a row about the run of another agent, or of another tenant, approves nothing', async () => {
  const run = newRun({ tenantId: uuid7() })
  await bench.register.append(admission(run))
  const said = fact('approval.answered', 'a', { tool: 'pay', payload: always })
  await bench.register.append({ ...about(run), facts: [said] })
  const tenant = uuid7()
  const insert = (tenantId: string, agent: string) =>
    admin.query('insert into signalbox.approval_grant values ($1, $2, $3, $4, $5, $6)', [
      tenantId,
      agent,
      'pay',
      'h',
      run.runId,
      4,
    ])
  await insert(tenant, 'writer')
  await insert(run.tenantId, 'reader')
  const asked = [{ tool: 'pay', argsHash: 'h' }]
  expect(await bench.register.grants({ tenantId: tenant, agent: 'writer' }, asked)).toEqual([false])
  expect(await bench.register.grants({ tenantId: run.tenantId, agent: 'reader' }, asked)).toEqual([
    false,
  ])
})
