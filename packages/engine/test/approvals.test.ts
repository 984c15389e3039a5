/** A human decides about a call: the first answer stands, it binds what runs, and it reaches as far as it says. */
import { afterEach, expect, test } from 'vitest'
import {
  type AnswerApproval,
  type AppendItem,
  type CheckArguments,
  type Engine,
  type Register,
  systemClock,
} from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { decisionSchemas, type JsonObject } from '@signalbox/core'
import {
  begin,
  caller,
  eventOf,
  governed,
  hostOf,
  httpPolicy,
  outcomeOf,
  says,
} from './support/governed.ts'
import { functionTools, type Turn, turnModel, until, world } from './support/world.ts'

const engines: Engine[] = []
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.stop(1_000)
})

const pay = (to = 'ann'): Turn => [{ tool: 'pay', args: { to } }]

async function scene(turns: readonly Turn[], more: Parameters<typeof world>[0] | object = {}) {
  const paid: unknown[] = []
  const tools = functionTools({
    pay: async (args) => {
      paid.push(args)
      return 'paid'
    },
  })
  const { engine, register } = world({ model: turnModel(turns), tools, ...more })
  engines.push(engine)
  await engine.start()
  const asked = async (runId: string, n = 0) => {
    const event = await eventOf(register, runId, 'approval.requested', n)
    const { callId } = decisionSchemas['approval.requested'].parse(event.payload)
    return { runId, callId, payload: event.payload }
  }
  const answer = (
    about: { readonly runId: string; readonly callId: string },
    said: Partial<AnswerApproval> & Pick<AnswerApproval, 'decision'>,
  ) =>
    engine.commands.answerApproval({
      ...caller,
      runId: about.runId,
      callId: about.callId,
      ...said,
    })
  return { paid, engine, register, asked, answer }
}

const agentOf = (approvals: JsonObject = {}) =>
  governed({ guardrails: { approvalTools: ['pay'] }, approvals })

test('the request is bound to call, arguments, policy and time', async () => {
  const { engine, asked } = await scene([pay(), 'done'])
  const runId = await begin(engine, agentOf({ expiresMs: 60_000 }))
  const { callId, payload } = await asked(runId)
  expect(payload).toMatchObject({
    approvalId: `a_${callId.slice(2)}`,
    tool: 'pay',
    argsHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    policyId: 'lists',
    expiresAt: expect.any(Number),
  })
})

test('of two racing answers one stands; the same again is none, another is a conflict', async () => {
  const { engine, register, asked, answer, paid } = await scene([pay(), 'done'])
  const runId = await begin(engine, agentOf())
  const about = await asked(runId)
  const said = await Promise.all([
    answer(about, { decision: 'approve' }),
    answer(about, { decision: 'reject' }),
  ])
  const codes = said.map(({ code }) => code).toSorted()
  expect(codes).toEqual(['accepted', 'conflict'])
  const winner = said[0]?.code === 'accepted' ? 'approve' : 'reject'
  expect(await answer(about, { decision: winner })).toEqual({ code: 'already' })
  await outcomeOf(register, runId)
  expect(paid).toHaveLength(winner === 'approve' ? 1 : 0)
})

test('an edit runs the edited arguments, and nothing else (I11)', async () => {
  const { engine, register, asked, answer, paid } = await scene([pay('eve'), 'done'], {
    checkArguments: (() => null) satisfies CheckArguments,
  })
  const runId = await begin(engine, agentOf())
  const about = await asked(runId)
  const args = { to: 'ann', amount: 5 }
  const said = { decision: 'edit', args, by: { id: 'bob', role: 'lead' } } as const
  expect(await answer(about, said)).toEqual({ code: 'accepted' })
  expect(await answer(about, { decision: 'edit', args: { to: 'eve' } })).toEqual({
    code: 'conflict',
    decision: 'edit',
  })
  expect(await outcomeOf(register, runId)).toBe('completed')
  expect(paid).toEqual([args])
  expect((await eventOf(register, runId, 'approval.answered')).payload).toMatchObject({
    by: { id: 'bob', role: 'lead' },
    edited: { args },
  })
})

test('edited arguments that the tool does not take are refused before anything is written', async () => {
  const { engine, register, asked, answer } = await scene([pay(), 'done'], {
    checkArguments: (() => 'args.to must be a string') satisfies CheckArguments,
  })
  const runId = await begin(engine, agentOf())
  const about = await asked(runId)
  expect(await answer(about, { decision: 'edit', args: { to: 1 } })).toEqual({
    code: 'invalid_arguments',
    detail: 'args.to must be a string',
  })
  const types = (await register.events(runId, {})).map(({ type }) => type)
  expect(types).not.toContain('approval.answered')
})

test.each([
  { by: { id: 'ann', role: 'lead' }, code: 'forbidden', why: 'the requester' },
  { by: { id: 'bob', role: 'clerk' }, code: 'forbidden', why: 'another role' },
  { by: { id: 'bob', role: null }, code: 'forbidden', why: 'no role' },
  { by: undefined, code: 'forbidden', why: 'nobody known' },
  { by: { id: 'bob', role: 'lead' }, code: 'accepted', why: 'somebody else with the role' },
])('who may approve: $why → $code', async ({ by, code }) => {
  const { engine, asked, answer } = await scene([pay(), 'done'])
  const definition = agentOf({ roles: ['lead'], forbidRequester: true })
  const runId = await begin(engine, definition, { user: { id: 'ann', role: 'lead' } })
  const about = await asked(runId)
  const said = { decision: 'approve', ...(by ? { by } : {}) } as const
  expect((await answer(about, said)).code).toBe(code)
})

test.each([
  { asks: 'key:a', says: 'key:b', code: 'accepted', why: 'another key' },
  { asks: 'key:a', says: 'key:a', code: 'forbidden', why: 'the key that asked for the run' },
  { asks: 'key:a', says: 'bob', code: 'accepted', why: 'a person, where a key asked' },
  {
    asks: 'cron:nightly',
    says: 'key:a',
    code: 'forbidden',
    why: 'a key, where nobody knows who asked',
  },
])('a key is an identity: $why → $code', async ({ asks, says: id, code }) => {
  const { engine, asked, answer } = await scene([pay(), 'done'])
  const runId = await begin(engine, agentOf({ forbidRequester: true }), { actor: asks })
  const about = await asked(runId)
  const by = { id, role: id.startsWith('key:') ? id : null }
  expect((await answer(about, { decision: 'approve', by })).code).toBe(code)
})

test('a key approves nothing that a person asked for: that person may hold it', async () => {
  const { engine, asked, answer } = await scene([pay(), 'done'])
  const definition = agentOf({ forbidRequester: true })
  const runId = await begin(engine, definition, { actor: 'key:a', user: { id: 'ann', role: null } })
  const by = { id: 'key:b', role: 'key:b' }
  expect((await answer(await asked(runId), { decision: 'approve', by })).code).toBe('forbidden')
})

test('a key may be named among the roles', async () => {
  const { engine, asked, answer } = await scene([pay(), 'done'])
  const runId = await begin(engine, agentOf({ roles: ['lead', 'key:b'] }), { actor: 'key:a' })
  const about = await asked(runId)
  const say = (key: string) => answer(about, { decision: 'approve', by: { id: key, role: key } })
  expect((await say('key:c')).code).toBe('forbidden')
  expect((await say('key:b')).code).toBe('accepted')
})

const checkArguments: CheckArguments = () => null

test('whoever edits a call into one that a policy denies is told so, and may edit again', async () => {
  const policies = hostOf({
    ask: () => says('require_approval'),
    recheck: ({ args }) => (args['to'] === 'eve' ? says('deny', 'x.poison', 'Not to eve.') : null),
  })
  const scenery = await scene([pay(), 'done'], { policies, checkArguments })
  const { engine, register, asked, answer, paid } = scenery
  const runId = await begin(engine, governed({ guardrails: { policies: [httpPolicy] } }))
  const about = await asked(runId)
  expect(await answer(about, { decision: 'edit', args: { to: 'eve' } })).toEqual({
    code: 'edit_denied',
    answer: says('deny', 'x.poison', 'Not to eve.'),
  })
  const types = (await register.events(runId, {})).map(({ type }) => type)
  expect(types).not.toContain('approval.answered')
  const better = { decision: 'edit', args: { to: 'bob' } } as const
  expect(await answer(about, better)).toEqual({ code: 'accepted' })
  expect(await answer(about, better)).toEqual({ code: 'already' })
  expect(await outcomeOf(register, runId)).toBe('completed')
  expect(paid).toEqual([{ to: 'bob' }])
})

test('nobody answers in time: rejected, recorded, and a late answer is told so', async () => {
  const { engine, register, asked, answer, paid } = await scene([pay(), 'done'])
  const runId = await begin(engine, agentOf({ expiresMs: 1_000 }))
  const about = await asked(runId)
  await eventOf(register, runId, 'approval.expired')
  expect((await answer(about, { decision: 'approve' })).code).toBe('expired')
  expect(await outcomeOf(register, runId)).toBe('completed')
  expect(paid).toEqual([])
})

test('an answer that the register takes after the time is told that it came too late', async () => {
  const truth = createMemoryRegister(systemClock)
  const slow: Register = Object.assign(Object.create(truth), {
    append: async (item: AppendItem) => {
      if (item.facts?.some(({ type }) => type === 'approval.answered'))
        await eventOf(truth, item.runId, 'approval.expired')
      return truth.append(item)
    },
  })
  // The run goes on to another call, and so does not refuse the answer because it has ended.
  const { engine, asked, answer, paid } = await scene([pay(), pay('bob'), 'done'], {
    register: slow,
  })
  const runId = await begin(engine, agentOf({ expiresMs: 2_000 }))
  const about = await asked(runId)
  expect((await answer(about, { decision: 'approve' })).code).toBe('expired')
  expect(await outcomeOf(truth, runId)).toBe('completed')
  expect(paid).toEqual([])
})

test('`run` reaches the same call in the same run, `once` does not', async () => {
  const { engine, register, asked, answer, paid } = await scene([pay(), pay(), pay('bob'), 'done'])
  const runId = await begin(engine, agentOf())
  await answer(await asked(runId), { decision: 'approve', scope: 'run' })
  // The second call is granted; the third has other arguments, and is asked about.
  const third = await asked(runId, 1)
  expect(paid).toEqual([{ to: 'ann' }, { to: 'ann' }])
  expect((await eventOf(register, runId, 'approval.reused')).payload).toMatchObject({
    scope: 'run',
  })
  await answer(third, { decision: 'reject' })
  expect(await outcomeOf(register, runId)).toBe('completed')
})

test('`always` reaches every run of the agent with the same tool and arguments', async () => {
  const { engine, register, asked, answer, paid } = await scene([pay(), 'done'])
  const definition = agentOf()
  const first = await begin(engine, definition)
  await answer(await asked(first), { decision: 'approve', scope: 'always' })
  await outcomeOf(register, first)
  const second = await begin(engine, definition)
  expect(await outcomeOf(register, second)).toBe('completed')
  expect(paid).toHaveLength(2)
  expect((await eventOf(register, second, 'approval.reused')).payload).toMatchObject({
    scope: 'always',
  })
})

test('how far an approval reaches is part of it: another scope afterwards is a conflict', async () => {
  const { engine, register, asked, answer } = await scene([pay(), 'done'])
  const runId = await begin(engine, agentOf())
  const about = await asked(runId)
  expect((await answer(about, { decision: 'approve' })).code).toBe('accepted')
  expect((await answer(about, { decision: 'approve', scope: 'once' })).code).toBe('already')
  expect(await answer(about, { decision: 'approve', scope: 'always' })).toEqual({
    code: 'conflict',
    decision: 'approve',
  })
  await outcomeOf(register, runId)
})

test('what was rejected is not asked again: the same call is denied at once', async () => {
  const { engine, register, asked, answer, paid } = await scene([pay(), pay(), 'done'])
  const runId = await begin(engine, agentOf())
  await answer(await asked(runId), { decision: 'reject', note: 'too dear' })
  expect(await outcomeOf(register, runId)).toBe('completed')
  expect(paid).toEqual([])
  const codes = (await register.events(runId, {}))
    .filter(({ type }) => type === 'call.denied')
    .map(({ payload }) => payload['code'])
  expect(codes).toEqual(['rejected', 'rejected_before'])
})

test('a policy that changed its mind while the human thought wins over his approval', async () => {
  let denies = false
  const policies = hostOf({
    ask: () => says('require_approval'),
    recheck: (_request, approved) => (approved && denies ? says('deny', 'x.changed') : null),
  })
  const { engine, register, asked, answer, paid } = await scene([pay(), 'done'], { policies })
  const policy = { use: 'http', id: 'p', url: 'http://127.0.0.1:1/' }
  const runId = await begin(engine, governed({ guardrails: { policies: [policy] } }))
  const about = await asked(runId)
  denies = true
  await answer(about, { decision: 'approve' })
  expect(await outcomeOf(register, runId)).toBe('completed')
  expect(paid).toEqual([])
  expect((await eventOf(register, runId, 'tool.denied')).payload).toMatchObject({
    answer: { reasons: [{ code: 'x.changed' }] },
  })
})

test('a run whose call waits costs nothing: no attempt, no lease, no timer but the expiry', async () => {
  const { engine, register, asked } = await scene([pay(), 'done'])
  const runId = await begin(engine, agentOf())
  await asked(runId)
  expect(await until(async () => (await register.head(runId))?.status === 'waiting')).toBe(true)
  expect(await register.openEffects(runId)).toEqual([])
})

test('`always` holds where only a policy with I/O wants approval', async () => {
  const policies = hostOf({ ask: () => says('require_approval') })
  const { engine, register, asked, answer, paid } = await scene([pay(), 'done'], { policies })
  const definition = governed({ guardrails: { policies: [httpPolicy] } })
  const first = await begin(engine, definition)
  await answer(await asked(first), { decision: 'approve', scope: 'always' })
  await outcomeOf(register, first)
  const second = await begin(engine, definition)
  expect(await outcomeOf(register, second)).toBe('completed')
  expect(paid).toHaveLength(2)
  expect((await eventOf(register, second, 'approval.reused')).payload).toMatchObject({
    scope: 'always',
  })
})
