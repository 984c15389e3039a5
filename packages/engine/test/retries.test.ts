/**
 * Retries, with the register in memory. Would catch: a retry of another tenant's run, one without an input, one whose webhook was
 * told of the first run and is not told of the second, and one that asks another user's limits for room.
 */
import { type Caller, systemClock } from '@signalbox/engine'
import { createMemoryRegister, type MemoryRegister } from '@signalbox/testing/memory'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { begin, caller, outcomeOf } from './support/governed.ts'
import { agent, functionTools, turnModel, world } from './support/world.ts'

let register: MemoryRegister
const stops: (() => Promise<void>)[] = []
beforeEach(() => void (register = createMemoryRegister(systemClock)))
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

const asked: Caller[] = []
const lanesOf = (whom: Caller) => {
  asked.push(whom)
  return []
}
const retry = { ...caller, marks: {}, name: null, definition: agent([]) }

async function ended(more: Parameters<typeof begin>[2] = {}) {
  const { engine } = world({ model: turnModel(['done']), tools: functionTools({}), register })
  await engine.start()
  stops.push(() => engine.stop(1_000))
  const runId = await begin(engine, agent([]), more)
  await outcomeOf(register, runId)
  return { engine, runId }
}

const createdOf = async (runId: string) => (await register.events(runId, { limit: 1 }))[0]?.payload

test('has who is told of the other by its own request, and whom that worked for', async () => {
  const own = { threadId: 't1', webhook: 'https://hooks.example/1', endUser: 'u_ann' }
  const { engine, runId } = await ended(own)
  const operator = { ...retry, actor: 'user:op' }
  const answer = await engine.commands.retry({ ...operator, runId, lanesOf })
  if (answer.code !== 'created') throw new Error(answer.code)
  const [first, second] = [await createdOf(runId), await createdOf(answer.runId)]
  expect(first?.['webhooks']).toHaveLength(1)
  expect(second?.['webhooks']).toEqual(first?.['webhooks'])
  expect(second).toMatchObject({ endUser: 'u_ann', retry: { runId } })
  expect(asked.at(-1)).toEqual({ tenantId: caller.tenantId, actor: 'user:op', endUser: 'u_ann' })
})

test('of another tenant, or without its input, is none', async () => {
  const { engine, runId } = await ended()
  const theirs = { ...retry, tenantId: 'other', runId, lanesOf }
  expect(await engine.commands.retry(theirs)).toEqual({ code: 'no_run' })
  const log = register.tables.events.get(runId) ?? []
  const [created] = log
  if (created) log[0] = { ...created, payload: {}, salt: '' }
  expect(await engine.commands.retry({ ...retry, runId, lanesOf })).toEqual({ code: 'erased' })
})
