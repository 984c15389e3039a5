/** Policies with I/O, and the second question before an execution: over the whole engine, in memory. */
import { expect, test } from 'vitest'
import {
  begin,
  eventOf,
  governed,
  hostOf,
  httpPolicy,
  outcomeOf,
  says,
} from './support/governed.ts'
import { activePassport } from './support/passport.ts'
import { functionTools, turnModel, world } from './support/world.ts'

const paying = () => {
  const paid: unknown[] = []
  const tools = functionTools({
    pay: async (args) => {
      paid.push(args)
      return 'paid'
    },
    search: async () => 'found',
  })
  return { paid, tools }
}

const asksBoth = () =>
  turnModel([
    [
      { tool: 'pay', args: { to: 'ann' } },
      { tool: 'search', args: { query: 'x' } },
    ],
    'done',
  ])

const withPolicy = { guardrails: { policies: [httpPolicy] } }

test('a denial is an error result for that call alone; its sibling runs', async () => {
  const { paid, tools } = paying()
  const policies = hostOf({
    ask: ({ tool }) => says(tool === 'pay' ? 'deny' : 'allow', 'oap.limit_exceeded', 'too dear'),
  })
  const { engine, register } = world({ model: asksBoth(), tools, policies })
  await engine.start()
  const runId = await begin(engine, governed(withPolicy))
  expect(await outcomeOf(register, runId)).toBe('completed')
  expect(paid).toEqual([])
  expect((await eventOf(register, runId, 'call.denied')).payload).toMatchObject({
    tool: 'pay',
    code: 'oap.limit_exceeded',
    policyId: 'p',
    policyDigest: 'sha256:00',
  })
  expect((await eventOf(register, runId, 'tool.completed')).tool).toBe('search')
  await engine.stop(1_000)
})

test.each([
  { failClosed: true, ran: [], denied: 2 },
  { failClosed: false, ran: [{ to: 'ann' }], denied: 0 },
])('a policy that throws, failClosed $failClosed: denied $denied', async (expected) => {
  const { paid, tools } = paying()
  const policies = hostOf({
    ask: () => {
      throw new Error('secret of the policy')
    },
  })
  const { engine, register } = world({ model: asksBoth(), tools, policies })
  await engine.start()
  const { failClosed } = expected
  const runId = await begin(
    engine,
    governed({ guardrails: { policies: [httpPolicy], failClosed } }),
  )
  expect(await outcomeOf(register, runId)).toBe('completed')
  expect(paid).toEqual(expected.ran)
  const events = await register.events(runId, {})
  const of = (type: string) => events.filter((event) => event.type === type)
  expect(of('call.denied').map(({ payload }) => payload['code'])).toEqual(
    Array.from({ length: expected.denied }, () => 'oap.evaluator_error'),
  )
  expect(of('policy.faulted')).toHaveLength(2)
  expect(JSON.stringify(events)).not.toContain('secret of the policy')
  await engine.stop(1_000)
})

test('what a policy is asked: server identity, the call, nothing of the client', async () => {
  const asked: unknown[] = []
  const policies = hostOf({
    ask: (request) => {
      asked.push(request)
      return says('allow')
    },
  })
  const { engine, register } = world({ model: asksBoth(), tools: paying().tools, policies })
  await engine.start()
  const runId = await begin(engine, governed(withPolicy), {
    user: { id: 'ann', role: 'clerk' },
    metadata: { user: { id: 'root', role: 'admin' } },
  })
  await outcomeOf(register, runId)
  expect(asked).toContainEqual(
    expect.objectContaining({
      tool: 'pay',
      args: { to: 'ann' },
      runId,
      tenantId: 'default',
      user: { id: 'ann', role: 'clerk' },
      isSubagent: false,
    }),
  )
  await engine.stop(1_000)
})

test('cancelled while a policy thinks: nothing runs, and that is no denial', async () => {
  const { paid, tools } = paying()
  const policies = hostOf({ ask: () => new Promise(() => {}) })
  const { engine, register } = world({ model: asksBoth(), tools, policies })
  await engine.start()
  const runId = await begin(engine, governed(withPolicy))
  await eventOf(register, runId, 'effect.started', 1)
  await engine.commands.cancel({ tenantId: 'default', actor: 'u', runId, action: 'interrupt' })
  expect(await outcomeOf(register, runId)).toBe('cancelled')
  const types = (await register.events(runId, {})).map(({ type }) => type)
  expect(types).not.toContain('call.denied')
  expect(paid).toEqual([])
  await engine.stop(1_000)
})

test('asked again before the execution, deny wins: the call does not run', async () => {
  const { paid, tools } = paying()
  const source = './passport.json'
  const capabilities = { pay: 'exempt', search: 'exempt' }
  const passport = { use: 'passport', id: 'p', source, capabilities, passport: activePassport }
  const policies = hostOf({
    recheck: ({ tool }) => (tool === 'pay' ? says('deny', 'oap.passport_suspended') : null),
  })
  const { engine, register } = world({ model: asksBoth(), tools, policies })
  await engine.start()
  const definition = governed({
    guardrails: { policies: [passport] },
  })
  const runId = await begin(engine, definition)
  expect(await outcomeOf(register, runId)).toBe('completed')
  expect(paid).toEqual([])
  expect((await eventOf(register, runId, 'tool.denied')).payload).toMatchObject({
    tool: 'pay',
    answer: { reasons: [{ code: 'oap.passport_suspended' }] },
  })
  await engine.stop(1_000)
})

/** Lets both tools pass: neither is anything the passport speaks of. */

test('what a policy warns of runs, and the log answers who warned of what', async () => {
  const { paid, tools } = paying()
  const policies = hostOf({
    ask: ({ tool }) => says(tool === 'pay' ? 'warn' : 'allow', 'acme.large', 'look at it'),
  })
  const { engine, register } = world({ model: asksBoth(), tools, policies })
  await engine.start()
  const runId = await begin(engine, governed(withPolicy))
  expect(await outcomeOf(register, runId)).toBe('completed')
  expect(paid).toEqual([{ to: 'ann' }])
  const events = await register.events(runId, {})
  const warned = events.filter(({ type }) => type === 'policy.warned')
  const started = await eventOf(register, runId, 'tool.completed')
  expect(warned).toHaveLength(1)
  expect(warned[0]).toMatchObject({
    tool: 'pay',
    verdict: 'warned',
    payload: { code: 'acme.large', message: 'look at it', policyId: 'p', tool: 'pay' },
  })
  expect(warned[0]?.payload['argsHash']).toMatch(/^[0-9a-f]{64}$/)
  expect(warned[0]?.seq).toBeLessThan(started.seq)
  await engine.stop(1_000)
})
