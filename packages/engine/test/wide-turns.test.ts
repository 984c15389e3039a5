/** As many calls as a turn may have, of which one never answers. Would catch: a turn that goes on without it, a cancel that waits for it. */
import { type Json, type JsonObject, limits } from '@signalbox/core'
import type { Model } from '@signalbox/engine'
import { expect, onTestFinished, test } from 'vitest'
import { begin, caller, outcomeOf } from './support/governed.ts'
import { agent, functionTools, toolSpec, turnModel, until, world } from './support/world.ts'

const silent = 17

const look = ({ n }: JsonObject, signal: AbortSignal): Promise<Json> =>
  n === silent
    ? new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
      })
    : Promise.resolve(n ?? null)

test('the model is not asked again while one of 64 calls is silent, and a cancel ends the run', async () => {
  const most = limits.callsPerTurnMax
  const calls = Array.from({ length: most }, (_, n) => ({ tool: `look${n % 4}`, args: { n } }))
  let asked = 0
  const scripted = turnModel([calls])
  const model: Model = {
    call: (...call) => {
      asked += 1
      return scripted.call(...call)
    },
  }
  const names = ['look0', 'look1', 'look2', 'look3']
  const tools = functionTools(Object.fromEntries(names.map((name) => [name, look])))
  const { engine, register } = world({ model, tools })
  onTestFinished(() => engine.stop(1_000))
  await engine.start()
  const runId = await begin(engine, agent(names.map((name) => toolSpec(name))))
  const results = async () =>
    (await register.events(runId, {})).filter(({ type }) => type === 'tool.completed').length
  await until(async () => (await results()) === most - 1 || null)
  expect(asked).toBe(1)
  expect(await engine.commands.cancel({ ...caller, runId, action: 'interrupt' })).toBe('accepted')
  expect(await outcomeOf(register, runId)).toBe('cancelled')
  expect(asked).toBe(1)
  expect(await results()).toBe(most - 1)
})
