/**
 * The configuration of today against the policies that a run pins: what the operator denies now is not executed, however
 * long the run has waited. Would catch: a run that obeys only the lists it began with.
 */
import type { JsonObject } from '@signalbox/core'
import { type Register, systemClock } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { expect, test } from 'vitest'
import {
  approveFirst,
  begin,
  governed,
  hostOf,
  httpPolicy,
  outcomeOf,
  says,
} from './support/governed.ts'
import { agent, functionTools, toolSpec, turnModel, world } from './support/world.ts'

const allowAll = { use: 'allowlist', id: 'team', allowedTools: null }

/** A run that pays once, under pinned guardrails, in a process whose configuration says something else by now. */
async function payUnder(parts: {
  readonly pinned: JsonObject
  readonly current: JsonObject | null
  readonly policies?: ReturnType<typeof hostOf>
  readonly approved?: boolean
}) {
  const paid: unknown[] = []
  const tools = functionTools({
    pay: async (args) => {
      paid.push(args)
      return 'paid'
    },
    search: async () => 'found',
  })
  const { current, policies } = parts
  const { engine, register } = world({
    model: turnModel([[{ tool: 'pay', args: { to: 'ann' } }], 'done']),
    tools,
    agents: () => current && governed({ guardrails: current }),
    ...(policies ? { policies } : {}),
  })
  await engine.start()
  const runId = await begin(engine, governed({ guardrails: parts.pinned }))
  if (parts.approved === true) await approveFirst(engine, register, runId)
  expect(await outcomeOf(register, runId)).toBe('completed')
  const denied = (await register.events(runId, {})).find(({ type }) => type === 'tool.denied')
  await engine.stop(1_000)
  return { paid, denied: denied?.payload }
}

const byLists = {
  configuration: 'current',
  answer: { reasons: [{ code: 'oap.tool_not_allowed' }] },
}

test.each([
  ['its list of denied tools', { deniedTools: ['pay'] }],
  ['its list of allowed tools', { allowedTools: ['search'] }],
  ['a policy', { policies: [{ ...allowAll, deniedTools: ['pay'] }] }],
])('a tool that %s denies by now is not called', async (_name, current) => {
  const { paid, denied } = await payUnder({ pinned: {}, current })
  expect(paid).toEqual([])
  expect(denied).toMatchObject(byLists)
})

test('a tool that was denied while a person was asked is not called, though the person approves', async () => {
  const pinned = { approvalTools: ['pay'] }
  const current = { approvalTools: ['pay'], deniedTools: ['pay'] }
  const { paid, denied } = await payUnder({ pinned, current, approved: true })
  expect(paid).toEqual([])
  expect(denied).toMatchObject(byLists)
})

test('what a person must approve by now, and nobody did, is not called', async () => {
  const { paid, denied } = await payUnder({ pinned: {}, current: { approvalTools: ['pay'] } })
  expect(paid).toEqual([])
  expect(denied).toMatchObject({
    configuration: 'current',
    answer: { effect: 'deny', reasons: [{ code: 'approval_required' }] },
  })
})

test('what a person approved is called, though today another policy wants the approval', async () => {
  const pinned = { approvalTools: ['pay'] }
  const current = { policies: [{ ...allowAll, approvalTools: ['pay'] }] }
  const { paid, denied } = await payUnder({
    pinned,
    current,
    policies: hostOf({}),
    approved: true,
  })
  expect(paid).toEqual([{ to: 'ann' }])
  expect(denied).toBeUndefined()
})

test.each([
  ['denies', 'x.closed'],
  ['cannot be asked', 'oap.evaluator_error'],
])('a policy server of today that %s', async (_name, code) => {
  // The port answers a denial where a policy cannot be asked.
  const policies = hostOf({ recheck: () => says('deny', code) })
  const current = { policies: [httpPolicy] }
  const { paid, denied } = await payUnder({ pinned: {}, current, policies })
  expect(paid).toEqual([])
  expect(denied).toMatchObject({ configuration: 'current', answer: { reasons: [{ code }] } })
})

test('a Cedar policy of today that this process cannot evaluate denies, unless failClosed is false', async () => {
  const cedar = { use: 'cedar', id: 'c', policies: {} }
  const strict = await payUnder({
    pinned: {},
    current: { policies: [cedar] },
    policies: hostOf({}),
  })
  expect(strict.paid).toEqual([])
  expect(strict.denied).toMatchObject({
    configuration: 'current',
    answer: { reasons: [{ code: 'oap.evaluator_error' }] },
  })
  const current = { policies: [cedar], failClosed: false }
  const lenient = await payUnder({ pinned: {}, current, policies: hostOf({}) })
  expect(lenient.paid).toEqual([{ to: 'ann' }])
})

test('the same policies are not asked twice, and an agent that is configured no more has none', async () => {
  const asked: unknown[] = []
  const policies = hostOf({
    recheck: (request) => {
      asked.push(request)
      return null
    },
  })
  const same = { policies: [httpPolicy] }
  for (const current of [same, null])
    expect((await payUnder({ pinned: same, current, policies })).paid).toHaveLength(1)
  expect(asked).toEqual([])
})

test('the pinned policies go first, and the event names them', async () => {
  const pinned = { approvalTools: ['pay'], policies: [httpPolicy] }
  const policies = hostOf({ recheck: () => says('deny', 'x.pinned') })
  const current = { deniedTools: ['pay'] }
  const { denied } = await payUnder({ pinned, current, policies, approved: true })
  expect(denied).toMatchObject({
    configuration: 'pinned',
    answer: { reasons: [{ code: 'x.pinned' }] },
  })
})

test.each([
  ['may have run', {}, 'tool.unknown'],
  ['left nothing when it was lost', { contained: true }, 'tool.denied'],
] as const)(
  'a call that is denied by now, whose worker vanished and which %s: %s is %s',
  async (_, more, settledBy) => {
    const register = createMemoryRegister(systemClock)
    const settings = { pollMs: 20, redispatchMs: 50, leaseMs: 200, renewMs: 50 }
    const { promise: isBegun, resolve: begun } = Promise.withResolvers<void>()
    const hanging = functionTools({
      pay: async () => {
        begun()
        return new Promise<JsonObject>(() => {})
      },
    })
    const model = turnModel([[{ tool: 'pay', args: { to: 'ann' } }], 'done'])
    const dying: Register = { ...register }
    const first = world({ model, tools: hanging, register: dying, settings }).engine
    await first.start()
    const definition = agent([{ ...toolSpec('pay', 'idempotent'), ...more }], { onUnknown: 'tell' })
    const runId = await begin(first, definition)
    await isBegun
    // It lives no more: nothing of it reaches the register.
    const gone = new Promise<never>(() => {})
    dying.renew = () => gone
    dying.append = () => gone
    void first.stop(0)
    const paid: unknown[] = []
    const tools = functionTools({ pay: async (args) => paid.push(args) })
    const guardrails = { deniedTools: ['pay'] }
    const agents = () => agent([{ ...toolSpec('pay', 'idempotent'), ...more }], { guardrails })
    const { engine } = world({ model, tools, register, settings, agents })
    await engine.start()
    expect(await outcomeOf(register, runId)).toBe('completed')
    await engine.stop(1_000)
    const settled = (await register.events(runId, {})).map((event) => event.type)
    expect(settled.filter((type) => type.startsWith('tool.'))).toEqual([settledBy])
    expect(paid).toEqual([])
  },
)
