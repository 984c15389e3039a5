/** A `once` call whose outcome nobody knows: it waits for an operator, whose first word stands. */
import type { CreateRun, Register, ToolHost } from '@signalbox/engine'
import { expect, test } from 'vitest'
import { agent, toolSpec, turnModel, until, world } from './support/world.ts'

/** Breaks off in the middle of the call: it may have taken effect. */
const breaking: ToolHost = {
  specs: async () => [],
  knows: async () => true,
  call: async () => ({
    status: 'failed',
    error: { code: 'connection_lost', message: 'gone' },
    unknown: true,
  }),
  close: async () => {},
}

const caller = { tenantId: 'default', actor: 'user:test' }

const request = (onUnknown: 'ask' | 'tell'): CreateRun => ({
  ...caller,
  threadId: `t-${onUnknown}`,
  definition: agent([toolSpec('pay', 'once')], { onUnknown }),
  input: [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'go' }] }],
  metadata: {},
  alias: null,
})

const unknownOf = (register: Register, runId: string) =>
  until(async () => (await register.openEffects(runId)).find(({ status }) => status === 'unknown'))

test('the run waits, the first resolution stands, and the model reads it', async () => {
  const model = turnModel([[{ tool: 'pay', args: {} }], 'paid'])
  const { engine, register } = world({ model, tools: breaking })
  await engine.start()
  const created = await engine.commands.createRun(request('ask'))
  if (created.code !== 'created') throw new Error(created.code)
  const { runId } = created
  const { effectId } = await unknownOf(register, runId)
  expect(await until(async () => (await register.head(runId))?.status === 'waiting')).toBe(true)

  const resolve = (resolution: 'happened' | 'not_happened') =>
    engine.commands.resolveUnknown({ ...caller, runId, effectId, resolution })
  const [first, second, third] = await Promise.all([
    resolve('happened'),
    resolve('happened'),
    resolve('not_happened'),
  ])
  expect([first, second, third]).toEqual(['accepted', 'already', 'conflict'])
  const outcome = await until(async () => (await register.head(runId))?.outcome)
  expect(outcome).toBe('completed')
  await engine.stop(1_000)
})

test('where the policy is to tell the model, nobody may resolve it any more', async () => {
  const model = turnModel([[{ tool: 'pay', args: {} }], 'I do not know'])
  const { engine, register } = world({ model, tools: breaking })
  await engine.start()
  const created = await engine.commands.createRun(request('tell'))
  if (created.code !== 'created') throw new Error(created.code)
  const { runId } = created
  expect(await until(async () => (await register.head(runId))?.outcome)).toBe('completed')
  const lost = (await register.events(runId, {})).find(({ type }) => type === 'tool.unknown')
  const effectId = String(lost?.key?.split(':')[0])
  expect(
    await engine.commands.resolveUnknown({ ...caller, runId, effectId, resolution: 'retry' }),
  ).toBe('ended')
  await engine.stop(1_000)
})
