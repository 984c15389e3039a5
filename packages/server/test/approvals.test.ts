/**
 * Approvals over HTTP: two servers on one database, scripted models. Would catch: a call that runs without its approval,
 * twice, or with other arguments; a second decision that counts; a decider that a request may name itself.
 */
import { createTestDatabase, type TestDatabase } from '../../postgres/test/support/database.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { approvalAgents } from './support/approval-agents.ts'
import { call, eventually } from './support/http.ts'
import { noted } from './support/notes.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

let database: TestDatabase
let [one, two]: TestSignalbox[] = []
const start = () => startTest(approvalAgents, { env: { DATABASE_URL: database.adminUrl } })

beforeAll(async () => {
  database = await createTestDatabase()
  one = await start()
  two = await start()
})
afterAll(async () => {
  await one?.stop()
  await two?.stop()
  await database?.drop()
})

const api = (box = one): string => box?.api ?? ''
const as = (user: string, role: string) => ({ 'x-user': user, 'x-role': role })
const lead = as('bob', 'lead')

/** A run that waits, and its approval. */
async function asked(agent: string, headers: Readonly<Record<string, string>> = {}) {
  const body = { assistant_id: agent, input: 'Note milk.' }
  const waited = await call(api(), 'POST', '/runs/wait', { body, headers })
  const [interrupt] = waited.body.__interrupt__
  const runId = String(waited.body.run.run_id)
  return { runId, id: String(interrupt.value.approval_id), callId: String(interrupt.value.call_id) }
}

const decide = (id: string, body: object, headers: Readonly<Record<string, string>> = lead) =>
  call(api(), 'POST', `/approvals/${id}`, { body, headers })
const get = async (id: string) => (await call(api(), 'GET', `/approvals/${id}`)).body
const ending = async (runId: string) => {
  const { body } = await call(api(), 'GET', `/runs/${runId}/join`)
  return { outcome: body.outcome, said: body.messages.at(-1)?.content }
}
const eventsOf = async (runId: string, type: string) => {
  const { body } = await call(api(), 'GET', `/runs/${runId}/events?limit=1000`)
  return body.events.filter((event: { type: string }) => event.type === type)
}

describe('an approval', () => {
  it('is listed and shown with what is asked, approved once, and says by whom', async () => {
    const { runId, id, callId } = await asked('clerk', as('ann', 'user'))
    const { body: listed } = await call(api(), 'GET', `/approvals?run_id=${runId}`)
    const [created] = await eventsOf(runId, 'approval.requested')
    const shown = {
      approval_id: id,
      run_id: runId,
      assistant_id: 'clerk',
      call_id: callId,
      tool: 'note',
      args: { text: 'milk' },
      args_hash: created.payload.argsHash,
      policy_id: 'lists',
      requested_at: created.at,
      expires_at: new Date(created.payload.expiresAt).toISOString(),
    }
    expect(listed).toMatchObject([{ for: 'approval', ...shown }])
    expect(await get(id)).toMatchObject({ ...shown, status: 'waiting', answer: null })
    expect(noted.get(runId)).toBeUndefined()

    const approve = { decision: 'approve', message: 'Fine.' }
    expect(await decide(id, approve)).toMatchObject({ status: 200, body: { code: 'accepted' } })
    expect(await decide(id, approve)).toMatchObject({ status: 200, body: { code: 'already' } })
    const other = await decide(id, { decision: 'reject' })
    expect(other).toMatchObject({
      status: 409,
      body: { code: 'approval_conflict', decision: 'approve' },
    })
    expect(await ending(runId)).toEqual({ outcome: 'completed', said: 'I read: noted milk' })
    expect(noted.get(runId)).toEqual(['milk'])
    expect(await decide(id, approve)).toMatchObject({ status: 200, body: { code: 'already' } })
    expect(await get(id)).toMatchObject({
      status: 'approved',
      answer: {
        decision: 'approve',
        by: { id: 'bob', role: 'lead' },
        actor: 'user:bob',
        scope: 'once',
        message: 'Fine.',
      },
    })
    const { body: gone } = await call(api(), 'GET', `/approvals?run_id=${runId}`)
    expect(gone).toEqual([])
  })

  it('that is rejected executes nothing, and the model reads why', async () => {
    const { runId, id } = await asked('clerk')
    const rejected = await decide(id, { decision: 'reject', message: 'We have milk.' })
    expect(rejected.body).toEqual({ code: 'accepted' })
    const { outcome, said } = await ending(runId)
    expect(outcome).toBe('completed')
    expect(said).toContain('We have milk.')
    expect(noted.get(runId)).toBeUndefined()
    expect(await get(id)).toMatchObject({ status: 'rejected' })
  })

  it('that is edited executes the edited arguments, if they fit the schema', async () => {
    const { runId, id } = await asked('clerk')
    const misfit = await decide(id, { decision: 'edit', args: { text: 5 } })
    expect(misfit).toMatchObject({
      status: 422,
      body: { code: 'invalid_arguments', field: 'args.text' },
    })
    const missing = await decide(id, { decision: 'edit', args: {} })
    expect(missing).toMatchObject({ status: 422, body: { code: 'invalid_arguments' } })
    const edit = { decision: 'edit', args: { text: 'bread' } }
    expect((await decide(id, edit)).body).toEqual({ code: 'accepted' })
    expect((await decide(id, edit)).body).toEqual({ code: 'already' })
    const another = await decide(id, { decision: 'edit', args: { text: 'butter' } })
    expect(another).toMatchObject({ status: 409, body: { decision: 'edit' } })
    expect(await ending(runId)).toEqual({ outcome: 'completed', said: 'I read: noted bread' })
    expect(noted.get(runId)).toEqual(['bread'])
    const [answered] = await eventsOf(runId, 'approval.answered')
    expect(answered.payload.edited.argsHash).not.toBe(answered.payload.argsHash)
    expect(await get(id)).toMatchObject({ status: 'edited', args: { text: 'milk' } })
  })

  it('that is edited to what a policy denies is refused with the reason, and still waits', async () => {
    const { runId, id } = await asked('guarded')
    expect(await decide(id, { decision: 'edit', args: { text: 'poison' } })).toMatchObject({
      status: 422,
      body: {
        code: 'edit_denied',
        field: 'args',
        detail: 'Poison is not noted.',
        policy_id: 'no-poison',
        reasons: [{ code: 'poison' }],
      },
    })
    expect(await get(id)).toMatchObject({ status: 'waiting' })
    await decide(id, { decision: 'edit', args: { text: 'bread' } })
    expect(await ending(runId)).toMatchObject({ outcome: 'completed' })
    expect(noted.get(runId)).toEqual(['bread'])
  })

  it('for the run stands for the same call of that run', async () => {
    const { runId, id } = await asked('repeater')
    await decide(id, { decision: 'approve', scope: 'run' })
    expect(await ending(runId)).toMatchObject({ outcome: 'completed' })
    expect(noted.get(runId)).toEqual(['milk', 'milk'])
    expect(await eventsOf(runId, 'approval.reused')).toMatchObject([{ payload: { scope: 'run' } }])
    const again = await asked('repeater')
    await decide(again.id, { decision: 'approve' })
    const second = await eventually(async () => {
      const { body } = await call(api(), 'GET', `/approvals?run_id=${again.runId}`)
      return body.find((each: { approval_id: string }) => each.approval_id !== again.id)
    })
    await decide(second.approval_id, { decision: 'reject' })
    await ending(again.runId)
    expect(noted.get(again.runId)).toEqual(['milk'])
  })

  it('for always stands for every run of the agent, and of no other', async () => {
    const { runId, id } = await asked('forever')
    await decide(id, { decision: 'approve', scope: 'always' })
    await ending(runId)
    const body = { assistant_id: 'forever', input: 'Note milk again.' }
    const { body: later } = await call(api(two), 'POST', '/runs/wait', { body })
    expect(later.outcome).toBe('completed')
    const reused = await eventsOf(String(later.run.run_id), 'approval.reused')
    expect(reused).toMatchObject([{ payload: { scope: 'always', tool: 'note' } }])
    const other = await asked('clerk')
    await decide(other.id, { decision: 'reject' })
  })

  it('that nobody answers in time is a rejection', async () => {
    const { runId, id } = await asked('hasty')
    const { outcome, said } = await eventually(async () => {
      const ended = await ending(runId)
      return ended.outcome === null ? undefined : ended
    })
    expect(outcome).toBe('completed')
    expect(said).toContain('Nobody approved this call in time')
    const late = await decide(id, { decision: 'approve' })
    expect(late).toMatchObject({ status: 410, body: { code: 'approval_expired' } })
    expect(await get(id)).toMatchObject({ status: 'expired', answer: null })
    expect(noted.get(runId)).toBeUndefined()
  })

  it('is given by whom the agent says, as the proxy names them and nobody else', async () => {
    const { runId, id } = await asked('boss', as('ann', 'lead'))
    const body = { decision: 'approve', user: { id: 'bob' }, role: 'lead', identity: 'bob' }
    for (const headers of [{}, as('ann', 'lead'), as('bob', 'intern'), { 'x-role': 'lead' }]) {
      const refused = await decide(id, body, headers)
      expect(refused).toMatchObject({ status: 403, body: { code: 'approval_forbidden' } })
    }
    expect(noted.get(runId)).toBeUndefined()
    expect((await decide(id, body, as('bob', 'lead'))).body).toEqual({ code: 'accepted' })
    expect(await ending(runId)).toMatchObject({ outcome: 'completed' })
  })

  it('of a run that was cancelled cannot be answered', async () => {
    const { runId, id } = await asked('clerk')
    await call(api(), 'POST', `/runs/${runId}/cancel?wait=1`)
    const refused = await decide(id, { decision: 'approve' })
    expect(refused).toMatchObject({ status: 409, body: { code: 'run_ended' } })
    expect(await get(id)).toMatchObject({ status: 'cancelled' })
  })

  it('is answered by its call too, as before', async () => {
    const { runId, callId } = await asked('clerk')
    const path = `/runs/${runId}/approvals/${callId}`
    const body = { decision: 'edit', args: { text: 'eggs' }, note: 'Eggs.' }
    expect((await call(api(), 'POST', path, { body })).body).toEqual({ code: 'accepted' })
    expect(await ending(runId)).toMatchObject({ said: 'I read: noted eggs' })
  })

  it('is refused with the field that is wrong', async () => {
    const { runId, id } = await asked('clerk')
    const mistakes = [
      [{}, 'decision'],
      [{ decision: 'maybe' }, 'decision'],
      [{ decision: 'edit' }, 'args'],
      [{ decision: 'approve', args: {} }, 'args'],
      [{ decision: 'reject', scope: 'run' }, 'scope'],
      [{ decision: 'approve', scope: 'ever' }, 'scope'],
    ] as const
    for (const [body, field] of mistakes)
      expect(await decide(id, body)).toMatchObject({
        status: 422,
        body: { code: 'invalid_request', field },
      })
    for (const path of ['/approvals/a_nobody', `/runs/${runId}/approvals/c_nobody`]) {
      const refused = await call(api(), 'POST', path, { body: { decision: 'approve' } })
      expect(refused).toMatchObject({ status: 404, body: { code: 'unknown_approval' } })
    }
    expect(await call(api(), 'GET', '/approvals/a_nobody')).toMatchObject({ status: 404 })
    expect(await call(api(), 'GET', '/approvals?after=x')).toMatchObject({ status: 422 })
    await decide(id, { decision: 'reject' })
  })

  it('is found page by page', async () => {
    const mine = await Promise.all(Array.from({ length: 3 }, () => asked('clerk')))
    const ids: string[] = []
    for (let path: string | null = '/approvals?limit=1'; path !== null;) {
      const page = await call(api(), 'GET', path)
      ids.push(...page.body.map((each: { approval_id: string }) => each.approval_id))
      path = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1] ?? null
    }
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toEqual(expect.arrayContaining(mine.map(({ id }) => id)))
    for (const { runId, id } of mine) {
      const { body } = await call(api(), 'GET', `/approvals?run_id=${runId}`)
      expect(body).toMatchObject([{ approval_id: id }])
      expect(body).toHaveLength(1)
    }
    expect((await call(api(), 'GET', '/approvals?run_id=nobody')).body).toEqual([])
    for (const { id } of mine) await decide(id, { decision: 'reject' })
  })
})

describe('two servers', () => {
  it('that decide otherwise at the same moment: one wins, and the other is told', async () => {
    for (let n = 0; n < 6; n++) {
      const { runId, id } = await asked('clerk')
      const path = `/approvals/${id}`
      const answers = await Promise.all([
        call(api(one), 'POST', path, { body: { decision: 'approve' } }),
        call(api(two), 'POST', path, { body: { decision: 'reject' } }),
      ])
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]))
      const [answered, ...more] = await eventsOf(runId, 'approval.answered')
      expect(more).toEqual([])
      const won = answers[0].status === 200 ? 'approve' : 'reject'
      expect(answered.payload.decision).toBe(won)
      await ending(runId)
      expect(noted.get(runId)).toEqual(won === 'approve' ? ['milk'] : undefined)
    }
  })

  it('that are both restarted leave what waits as it was', async () => {
    const { runId, id } = await asked('clerk')
    await one?.stop()
    await two?.stop()
    one = await start()
    two = await start()
    expect(await get(id)).toMatchObject({ status: 'waiting', args: { text: 'milk' } })
    expect((await decide(id, { decision: 'approve' })).body).toEqual({ code: 'accepted' })
    expect(await ending(runId)).toMatchObject({ said: 'I read: noted milk' })
    expect(noted.get(runId)).toEqual(['milk'])
  })
})
