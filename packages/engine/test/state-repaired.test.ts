/** The sampled check repairs what it says it repairs: the cached state is the fold of the log again (I15). */
import { expect, test } from 'vitest'
import { machines, newestOf, persist, revive } from '@signalbox/core'
import { systemClock } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/engine/memory'
import { approveFirst, begin, outcomeOf } from './support/governed.ts'
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
