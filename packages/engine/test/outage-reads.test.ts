/**
 * Reads of a tool of the engine while the register is away, and the end of its call meanwhile. Would catch: an error of a read that only
 * the end of its call has let through, recorded as the answer of the tool.
 */
import { type Register, withReadResult } from '@signalbox/engine'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { caller, type Land, land, pass } from './support/outage.ts'
import { agent, functionTools, turnModel, until } from './support/world.ts'

let here: Land

beforeEach(() => {
  here = land()
})

afterEach(() => here.stop())

const tools = withReadResult(functionTools({}))

/** A worker that cannot read conversations, and a run whose model reads one. */
async function reading() {
  let tries = 0
  const register: Register = {
    ...here.truth,
    conversation: async () => {
      tries += 1
      throw new Error('the connection is lost')
    },
  }
  const model = turnModel([[{ tool: 'read_result', args: { call: 'u1', offset: 0 } }], 'done'])
  const engine = await here.start({ roles: ['orchestrator'], model })
  const worker = await here.start({ roles: ['worker'], register, tools })
  const runId = await here.begin(engine, agent(await tools.specs()))
  await until(async () => tries > 2)
  return { engine, worker, runId, tries: () => tries }
}

test('a cancel while a result cannot be read leaves an aborted call, not one that failed', async () => {
  const { engine, runId, tries } = await reading()
  await engine.commands.cancel({ ...caller, runId, action: 'interrupt' })
  expect(await here.outcome(runId)).toBe('cancelled')
  expect(await here.events(runId, 'tool.failed')).toEqual([])
  expect(await here.events(runId, 'tool.aborted')).toHaveLength(1)
  const before = tries()
  await pass(20_000)
  expect(tries()).toBe(before)
})

test('a worker that stops while a result cannot be read leaves its call to the next one', async () => {
  const { worker, runId } = await reading()
  await worker.stop(0)
  await here.start({ roles: ['worker'], tools })
  expect(await here.outcome(runId)).toBe('completed')
  expect(await here.events(runId, 'tool.failed')).toEqual([])
  const [completed] = await here.events(runId, 'tool.completed')
  expect(JSON.stringify(completed?.payload['output'])).toContain('go')
})
