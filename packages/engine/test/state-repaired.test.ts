/** The sampled check repairs what it says it repairs: the cached state is the fold of the log again (I15). */
import { expect, test } from 'vitest'
import { decisionSchemas, machines, newestOf, persist, revive } from '@signalbox/core'
import { systemClock } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { approveFirst, begin, caller, eventOf, outcomeOf } from './support/governed.ts'
import { agent, functionTools, toolSpec, turnModel, until, world } from './support/world.ts'

const machine = newestOf(machines)

test('a cached state that was changed is written anew, once, and budgets go by the right number', async () => {
  const register = createMemoryRegister(systemClock)
  const look = [{ tool: 'look', args: {} }]
  const model = turnModel([
    [{ tool: 'pay', args: {} }],
    look,
    [{ tool: 'look', args: { x: 1 } }],
    'done',
  ])
  const tools = functionTools({ pay: async () => 'paid', look: async () => 'seen' })
  const definition = agent([toolSpec('pay'), toolSpec('look')], {
    guardrails: { approvalTools: ['pay'] },
    limits: { maxTokens: 500 },
  })
  const first = world({ model, tools, register }).engine
  await first.start()
  const runId = await begin(first, definition)
  await until(async () => (await register.head(runId))?.status === 'waiting')
  await first.stop(1_000)
  const row = register.tables.runs.get(runId)
  if (!row?.state) throw new Error('nothing is cached')
  const cached = revive(machine, row.state)
  expect(cached.context.tokens).toBe(15)
  row.state = persist({ ...cached, context: { ...cached.context, tokens: 415 } })

  const second = world({ model, tools, register }).engine
  await second.start()
  await approveFirst(second, register, runId)
  expect(await outcomeOf(register, runId)).toBe('completed')
  await second.stop(1_000)
  const types = (await register.events(runId, {})).map(({ type }) => type)
  expect(types.filter((type) => type === 'state.repaired')).toHaveLength(1)
  const repaired = (await register.head(runId))?.state
  expect(repaired && revive(machine, repaired).context.tokens).toBe(60)
})

test('a damage that comes back is repaired each time, and told of eight times', async () => {
  const register = createMemoryRegister(systemClock)
  const rounds = 10
  const model = turnModel(
    Array.from({ length: rounds }, (_, n) => [{ tool: 'pay', args: { order: n } }]),
  )
  const tools = functionTools({ pay: async () => 'paid' })
  const definition = agent([toolSpec('pay')], { guardrails: { approvalTools: ['pay'] } })
  const begun = world({ model, tools, register }).engine
  await begun.start()
  const runId = await begin(begun, definition)
  const contextOf = () => {
    const state = register.tables.runs.get(runId)?.state
    if (!state) throw new Error('nothing is cached')
    return revive(machine, state).context
  }
  const waits = () =>
    until(async () => {
      const head = await register.head(runId)
      return head?.status === 'waiting' || head?.status === 'ended' ? true : null
    })
  await waits()
  await begun.stop(1_000)

  for (let round = 1; round <= rounds; round++) {
    const row = register.tables.runs.get(runId)
    const context = { ...contextOf(), tokens: 100_000 }
    if (row) row.state = persist({ name: 'approval', context })
    const { engine } = world({ model, tools, register })
    await engine.start()
    const { payload } = await eventOf(register, runId, 'approval.requested', round - 1)
    const { callId } = decisionSchemas['approval.requested'].parse(payload)
    await engine.commands.answerApproval({ ...caller, runId, callId, decision: 'approve' })
    await until(async () => (contextOf().turn === round + 1 ? true : null))
    await waits()
    await until(async () => (contextOf().tokens < 100_000 ? true : null))
    await engine.stop(1_000)
  }
  expect((await register.head(runId))?.outcome).toBe('completed')
  const types = (await register.events(runId, {})).map(({ type }) => type)
  expect(types.filter((type) => type === 'state.repaired')).toHaveLength(8)
  expect(contextOf().tokens).toBeLessThan(100_000)
})
