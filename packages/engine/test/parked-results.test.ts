/**
 * One run whose results the register never takes, beside one that it serves. Would catch: a process whose only place for calls
 * is held for as long as the register refuses one run, so that no other run gets on.
 */
import type { AppendItem, Register } from '@signalbox/engine'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { withAppend } from './support/faulty.ts'
import { fastClock, type Land, land, pass, stubbornTools } from './support/outage.ts'
import { agent, toolSpec, turnModel, until } from './support/world.ts'

const leaseMs = 15_000

let here: Land

beforeEach(() => {
  here = land()
})

afterEach(() => here.stop())

/** A register that takes no facts of one run until it is mended: a row that cannot be written, say. */
function refusing(truth: Register) {
  const refused = { runId: '', times: 0 }
  const isRefused = (item: AppendItem): boolean =>
    item.runId === refused.runId && (item.facts ?? []).length > 0
  const register = withAppend(truth, async (item, next) => {
    if (!isRefused(item)) return next(item)
    refused.times += 1
    throw new Error('this row cannot be written')
  })
  return { register, refused }
}

const pays = () => turnModel([[{ tool: 'pay', args: {} }], 'done'])
const paying = agent([toolSpec('pay', 'once')], { onUnknown: 'tell' })

test('a worker with one place serves the other runs, and reports the result when it can', async () => {
  const { register, refused } = refusing(here.truth)
  const { host: tools, asked, letGo } = stubbornTools()
  letGo()
  const settings = { queues: [{ queue: 'tools', concurrency: 1 }] }
  const engine = await here.start({ roles: ['orchestrator'], model: pays() })
  refused.runId = await here.begin(engine, paying)
  await here.start({ roles: ['worker'], register, tools, settings })
  await until(async () => refused.times > 0)
  const other = await here.begin(engine, paying)
  expect(await here.outcome(other)).toBe('completed')
  const { runId } = refused
  // Its lease is renewed all the while: nobody has taken the result for lost.
  await pass(3 * leaseMs)
  refused.runId = ''
  expect(await here.outcome(runId)).toBe('completed')
  expect(asked.map((call) => call.runId)).toEqual([runId, other])
})

test('an orchestrator with one place for model calls serves the other runs', async () => {
  const { register, refused } = refusing(here.truth)
  const settings = { modelConcurrency: 1 }
  const asking = await here.start({ roles: [], register })
  refused.runId = await here.begin(asking, paying)
  await here.start({ roles: ['orchestrator'], register, model: turnModel(['done']), settings })
  await until(async () => refused.times > 0)
  const other = await here.begin(asking, paying)
  expect(await here.outcome(other)).toBe('completed')
  const { runId } = refused
  refused.runId = ''
  expect(await here.outcome(runId)).toBe('completed')
})

test('claims of a run that cannot be written are given up after a lease, while the others are answered', async () => {
  const claimed = { times: 0, last: 0 }
  const runs = { broken: '' }
  const register = withAppend(here.truth, async (item, next) => {
    if (item.runId !== runs.broken || item.claims === undefined) return next(item)
    claimed.times += 1
    throw new Error('this row cannot be written')
  })
  const { host: tools, asked, letGo } = stubbornTools()
  letGo()
  const settings = { queues: [{ queue: 'tools', concurrency: 1 }] }
  const engine = await here.start({ roles: ['orchestrator'], model: pays() })
  runs.broken = await here.begin(engine, paying)
  await here.start({ roles: ['worker'], register, tools, settings })
  await until(async () => claimed.times > 0)
  const began = fastClock.monotonic()
  const other = await here.begin(engine, paying)
  expect(await here.outcome(other)).toBe('completed')
  expect(fastClock.monotonic() - began).toBeLessThan(4 * leaseMs)
  const { broken } = runs
  runs.broken = ''
  expect(await here.outcome(broken)).toBe('completed')
  expect(asked.map((call) => call.runId)).toEqual([other, broken])
})
