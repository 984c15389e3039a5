/**
 * An outage of the register, with the settings of production: leases of 15 s, outages of 60 s. It costs time, and nothing
 * else: no run fails for it, no result that somebody holds is lost, nothing that was begun is taken from whoever lives.
 */
import { AsyncResource } from 'node:async_hooks'
import type { Model, Register, ToolHost } from '@signalbox/engine'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { caller, type Land, land, lineTo, pass, stubbornTools } from './support/outage.ts'
import { withAppend } from './support/faulty.ts'
import { agent, functionTools, toolSpec, turnModel, until } from './support/world.ts'

const outageMs = 60_000

let here: Land

beforeEach(() => {
  here = land()
})

afterEach(() => here.stop())

/** Answers its turns only when it is let go. */
function slowModel(turns: Parameters<typeof turnModel>[0]) {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const { promise: free, resolve: letGo } = Promise.withResolvers<void>()
  const inner = turnModel(turns)
  const calls: string[] = []
  const model: Model = {
    call: async (request, sink, signal) => {
      calls.push(request.messageId)
      begin()
      await free
      return inner.call(request, sink, signal)
    },
  }
  return { model, calls, begun, letGo }
}

const paying = (effect: 'once' | 'idempotent') =>
  agent([toolSpec('pay', effect)], { onUnknown: 'tell' })

const pays = () => turnModel([[{ tool: 'pay', args: {} }], 'done'])

test('an answer that a model gave during an outage is what the run goes on with', async () => {
  const line = lineTo(here.truth)
  const { model, calls, begun, letGo } = slowModel([[{ tool: 'look', args: {} }], 'done'])
  const tools = functionTools({ look: async () => 1 })
  const engine = await here.start({ roles: ['orchestrator', 'worker'], line, model, tools })
  const guardrails = { approvalTools: ['pay'] }
  const runId = await here.begin(
    engine,
    agent([toolSpec('look'), toolSpec('pay', 'once')], { guardrails }),
  )
  await begun
  line.cut()
  letGo()
  await pass(outageMs)
  line.mend()
  expect(await here.outcome(runId)).toBe('completed')
  expect(calls).toHaveLength(2)
  const verdicts = (await here.events(runId, 'model.completed')).map(({ verdict }) => verdict)
  expect(verdicts).toEqual(['complete', 'complete'])
})

for (const effect of ['once', 'idempotent'] as const)
  for (const how of [undefined, 'silently'] as const)
    test(`a result of a call (${effect}) in an outage (${how ?? 'refused'}) counts, and the call runs once`, async () => {
      const lines = [lineTo(here.truth), lineTo(here.truth)] as const
      const { host, asked, causes, begun, letGo } = stubbornTools()
      const engine = await here.start({ roles: ['orchestrator'], line: lines[0], model: pays() })
      await here.start({ roles: ['worker'], line: lines[1], tools: host })
      const runId = await here.begin(engine, paying(effect))
      await begun
      for (const line of lines) line.cut(how)
      await pass(outageMs / 2)
      letGo()
      await pass(outageMs / 2)
      // Whoever comes back first finds every lease run out.
      lines[0].mend()
      await pass(1_000)
      lines[1].mend()
      expect(await here.outcome(runId)).toBe('completed')
      expect(asked).toHaveLength(1)
      expect(causes).toEqual([])
      expect(await here.events(runId, 'tool.completed')).toHaveLength(1)
      expect(await here.events(runId, 'tool.unknown')).toEqual([])
      expect(await here.events(runId, 'tool.late')).toEqual([])
    })

test('a call that runs longer than the outage is not taken from its worker', async () => {
  const lines = [lineTo(here.truth), lineTo(here.truth)] as const
  const { host, asked, causes, begun, letGo } = stubbornTools()
  const engine = await here.start({ roles: ['orchestrator'], line: lines[0], model: pays() })
  await here.start({ roles: ['worker'], line: lines[1], tools: host })
  const runId = await here.begin(engine, paying('once'))
  await begun
  for (const line of lines) line.cut()
  await pass(outageMs)
  for (const line of lines) line.mend()
  await pass(40_000)
  letGo()
  expect(await here.outcome(runId)).toBe('completed')
  expect(asked).toHaveLength(1)
  expect(causes).toEqual([])
  expect(await here.events(runId, 'tool.unknown')).toEqual([])
})

test('an outage in which a process is started does not make it believe that others are gone', async () => {
  const lines = [lineTo(here.truth), lineTo(here.truth)] as const
  const { host, begun, letGo } = stubbornTools()
  const first = await here.start({ roles: ['orchestrator'], line: lines[0], model: pays() })
  await here.start({ roles: ['worker'], line: lines[1], tools: host })
  const runId = await here.begin(first, paying('once'))
  await begun
  for (const line of lines) line.cut()
  await pass(outageMs)
  // The new one reaches the register a while before the worker does.
  await here.start({ roles: ['orchestrator'], model: pays() })
  await pass(2_000)
  for (const line of lines) line.mend()
  letGo()
  expect(await here.outcome(runId)).toBe('completed')
  expect(await here.events(runId, 'tool.unknown')).toEqual([])
})

test('a worker that alone is cut off loses its call after a lease, and what it says later is kept as a note', async () => {
  const line = lineTo(here.truth)
  const { host, begun, letGo } = stubbornTools()
  const engine = await here.start({ roles: ['orchestrator'], model: pays() })
  await here.start({ roles: ['worker'], line, tools: host })
  const runId = await here.begin(engine, paying('once'))
  await begun
  line.cut()
  expect(await here.outcome(runId)).toBe('completed')
  const [unknown] = await here.events(runId, 'tool.unknown')
  expect(unknown?.payload).toMatchObject({ reason: 'worker_lost' })
  letGo()
  line.mend()
  const late = await until(async () => (await here.events(runId, 'tool.late'))[0])
  expect(late.payload).toMatchObject({ attempt: 1 })
  expect(await here.events(runId, 'tool.completed')).toEqual([])
})

test('a file that a tool asks for in an outage, out of a handler that is none of its own, comes later', async () => {
  const lines = [lineTo(here.truth), lineTo(here.truth)] as const
  // As a process that was started before there was a call.
  const elsewhere = new AsyncResource('a handler')
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const { promise: free, resolve: letGo } = Promise.withResolvers<void>()
  const host: ToolHost = {
    ...functionTools({ pay: async () => null }),
    call: async ({ files, said }) => {
      begin()
      await free
      const found = await elsewhere.runInAsyncScope(async () => [
        (await files?.tree())?.size,
        await files?.read('none'),
        await said?.('u1'),
      ])
      const text = JSON.stringify(found)
      return { status: 'completed', output: { content: [{ type: 'text', text }], isError: false } }
    },
  }
  const engine = await here.start({ roles: ['orchestrator'], line: lines[0], model: pays() })
  await here.start({ roles: ['worker'], line: lines[1], tools: host })
  const runId = await here.begin(engine, paying('idempotent'))
  await begun
  for (const line of lines) line.cut()
  letGo()
  await pass(outageMs)
  for (const line of lines) line.mend()
  expect(await here.outcome(runId)).toBe('completed')
  const [completed] = await here.events(runId, 'tool.completed')
  expect(JSON.stringify(completed?.payload['output'])).toContain('[0,null,')
  expect(await here.events(runId, 'tool.failed')).toEqual([])
})

/** The register with one method that always fails, for whoever asks. */
const broken = (
  truth: Register,
  method: 'conversation' | 'putBlob',
  failed: () => void,
): Register => ({
  ...truth,
  [method]: async () => {
    failed()
    throw new Error('this row cannot be read')
  },
})

test('what can never be read holds its call up until a cancel ends it', async () => {
  let tries = 0
  const register = broken(here.truth, 'conversation', () => (tries += 1))
  const engine = await here.start({ roles: ['orchestrator'], register, model: pays() })
  const runId = await here.begin(engine, agent([]))
  await until(async () => tries > 12)
  expect((await here.truth.head(runId))?.outcome).toBe(null)
  await engine.commands.cancel({ ...caller, runId, action: 'interrupt' })
  expect(await here.outcome(runId)).toBe('cancelled')
  expect(await here.events(runId, 'model.completed')).toEqual([])
  const before = tries
  await pass(20_000)
  expect(tries).toBe(before)
})

test('a cancel during the outage does not cost the result that somebody holds', async () => {
  const line = lineTo(here.truth)
  const failing = { now: false }
  const flaky: Register = {
    ...here.truth,
    putBlob: async (...args) => {
      if (failing.now) throw new Error('the disk is full')
      return here.truth.putBlob(...args)
    },
  }
  const long = 'x'.repeat(200_000)
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const tools = functionTools({
    pay: async () => {
      failing.now = true
      begin()
      return long
    },
  })
  const engine = await here.start({ roles: ['orchestrator'], model: pays() })
  await here.start({ roles: ['worker'], register: flaky, tools })
  const runId = await here.begin(engine, paying('once'))
  await begun
  await pass(3_000)
  await engine.commands.cancel({ ...caller, runId, action: 'interrupt' })
  await pass(30_000)
  failing.now = false
  line.mend()
  expect(await here.outcome(runId)).toBe('cancelled')
  expect(await here.events(runId, 'tool.completed')).toHaveLength(1)
  expect(await here.events(runId, 'tool.unknown')).toEqual([])
})

test('an outcome of a webhook is told to the register when it is back, and nobody is told twice', async () => {
  const lines = [lineTo(here.truth), lineTo(here.truth)] as const
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const { promise: free, resolve: letGo } = Promise.withResolvers<void>()
  const delivered: string[] = []
  const webhooks = {
    endpoints: () => [{ on: ['completed' as const], origin: 'https://ops.test', endpoint: 'ops' }],
    deliver: async ({ id }: { readonly id: string }) => {
      delivered.push(id)
      begin()
      await free
      return { code: 'delivered' as const, status: 204 }
    },
  }
  const model = turnModel(['done'])
  const engine = await here.start({ roles: ['orchestrator'], line: lines[0], model, webhooks })
  await here.start({ roles: ['orchestrator'], line: lines[1], model, webhooks })
  const runId = await here.begin(engine, agent([]))
  await begun
  for (const line of lines) line.cut()
  letGo()
  await pass(3 * outageMs)
  for (const line of lines) line.mend()
  await until(async () => (await here.events(runId, 'webhook.delivered')).length)
  await pass(120_000)
  expect(delivered).toHaveLength(1)
  expect(await here.events(runId, 'webhook.delivered')).toHaveLength(1)
})

test('a claim whose answer is lost is known as one’s own: one start, one execution, no unknown', async () => {
  let lost = 0
  const register = withAppend(here.truth, async (item, next) => {
    const result = await next(item)
    if (item.claims === undefined || item.decision !== undefined || lost > 2) return result
    lost += 1
    throw new Error('the answer is lost')
  })
  const engine = await here.start({ roles: ['orchestrator'], model: pays() })
  const { host, asked, letGo } = stubbornTools()
  letGo()
  await here.start({ roles: ['worker'], register, tools: host })
  const runId = await here.begin(engine, paying('once'))
  expect(await here.outcome(runId)).toBe('completed')
  expect(lost).toBeGreaterThan(0)
  expect(asked).toHaveLength(1)
  const starts = await here.events(runId, 'effect.started')
  expect(starts.filter(({ tool }) => tool === 'pay')).toHaveLength(1)
  expect(await here.events(runId, 'tool.unknown')).toEqual([])
  expect(await here.events(runId, 'tool.completed')).toHaveLength(1)
})
