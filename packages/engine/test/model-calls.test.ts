/** Model calls that fail, and runs that are held: what is asked of which model, and what is not asked at all. */
import type { JsonObject, ModelTurn } from '@signalbox/core'
import type { Engine, Model, ModelRequest } from '@signalbox/engine'
import { afterEach, expect, test } from 'vitest'
import { begin, caller, eventOf, outcomeOf } from './support/governed.ts'
import { agent, functionTools, world } from './support/world.ts'

const engines: Engine[] = []
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.stop(1_000)
})

const turnFor = (request: ModelRequest, patch: Partial<ModelTurn>): ModelTurn => ({
  verdict: 'complete',
  message: { id: request.messageId, role: 'assistant', parts: [{ type: 'text', text: 'hello' }] },
  suppressed: [],
  evidence: [],
  finish: { unified: 'stop' },
  usage: { inputTokens: 1, outputTokens: 1 },
  provider: request.model.provider,
  model: request.model.model,
  ...patch,
})

const failing = (more: Partial<NonNullable<ModelTurn['error']>> = {}): Partial<ModelTurn> => ({
  verdict: 'error',
  finish: null,
  error: { class: 'overloaded', retryable: true, message: 'busy', ...more },
})

/** A model that answers by name; what it was asked is kept. */
function models(answers: (name: string, n: number) => Partial<ModelTurn>) {
  const asked: ModelRequest[] = []
  const model: Model = {
    call: async (request) => {
      asked.push(request)
      return turnFor(request, answers(request.model.model, asked.length))
    },
  }
  return { model, asked, names: () => asked.map((request) => request.model.model) }
}

async function scene(model: Model) {
  const made = world({ model, tools: functionTools({}) })
  engines.push(made.engine)
  await made.engine.start()
  return made
}

const b = { provider: 'scripted', model: 'b' }
const agentOf = (more: JsonObject) =>
  agent([], { modelRetries: { max: 1, baseMs: 1, capMs: 1 }, ...more })

test('the next model is asked when the retries of the first are used up', async () => {
  const { model, names } = models((name) => (name === 'test' ? failing() : {}))
  const { engine, register } = await scene(model)
  const runId = await begin(engine, agentOf({ fallbackModels: [b] }))
  expect(await outcomeOf(register, runId)).toBe('completed')
  expect(names()).toEqual(['test', 'test', 'b'])
  const answered = await eventOf(register, runId, 'model.completed', 2)
  expect(answered.payload).toMatchObject({ turn: { model: 'b' } })
})

test.each(['safety', 'refusal'] as const)(
  'after a %s stop no other model is asked',
  async (verdict) => {
    const { model, names } = models(() => ({
      verdict,
      evidence: [{ detector: 'd', field: 'finish_reason', value: 'content_filter' }],
    }))
    const { engine, register } = await scene(model)
    const runId = await begin(engine, agentOf({ fallbackModels: [b] }))
    expect(await outcomeOf(register, runId)).toBe(
      verdict === 'safety' ? 'safety_stopped' : 'refused',
    )
    expect(names()).toEqual(['test'])
  },
)

test('the circuit opens after so many calls that failed for good, and then nobody is asked', async () => {
  const { model, names } = models(() => failing())
  const { engine, register } = await scene(model)
  const definition = agentOf({ breaker: { threshold: 2, openMs: 60_000 } })
  for (let n = 0; n < 2; n++) await outcomeOf(register, await begin(engine, definition))
  expect(names()).toHaveLength(4)
  // The engine remembers for a second that the circuit was closed.
  await new Promise((resolve) => setTimeout(resolve, 1_100))
  const runId = await begin(engine, definition)
  expect(await outcomeOf(register, runId)).toBe('failed')
  expect(names()).toHaveLength(4)
  expect((await eventOf(register, runId, 'model.completed')).payload).toMatchObject({
    turn: { verdict: 'error', error: { class: 'circuit_open', retryable: false } },
  })
})

test('an end user whose runs were stopped for safety too often is held, and told until when', async () => {
  const { model } = models(() => ({
    verdict: 'safety',
    evidence: [{ detector: 'd', field: 'finish_reason', value: 'content_filter' }],
  }))
  const { engine, register } = await scene(model)
  const hold = { stops: 2, withinMs: 60_000, holdMs: 60_000 }
  const definition = agentOf({ safety: { hold } })
  for (let n = 0; n < 2; n++)
    await outcomeOf(register, await begin(engine, definition, { endUser: 'u_1' }))
  const create = (endUser: string) =>
    engine.commands.createRun({
      ...caller,
      threadId: `t-${endUser}`,
      definition,
      input: [{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'go' }] }],
      metadata: {},
      alias: null,
      endUser,
    })
  expect(await create('u_1')).toMatchObject({ code: 'held', stops: 2, until: expect.any(Number) })
  expect(await create('u_2')).toMatchObject({ code: 'created' })
})

test('the pseudonym of the end user goes to the model, and no guard where there is none', async () => {
  const { model, asked } = models(() => ({}))
  const { engine, register } = await scene(model)
  await outcomeOf(register, await begin(engine, agentOf({}), { endUser: 'u_1' }))
  await outcomeOf(
    register,
    await begin(engine, agentOf({ guardrails: { stream: [{ use: 'pii' }] } })),
  )
  expect(asked.map(({ endUser, guard }) => [endUser, guard !== null])).toEqual([
    ['u_1', false],
    [null, true],
  ])
})

test('a guardrail that this process does not have: the model is not asked without it', async () => {
  const { model, asked } = models(() => ({}))
  const { engine, register } = await scene(model)
  const stream = [{ use: 'module', path: './gone.ts#guard' }]
  const runId = await begin(engine, agentOf({ guardrails: { stream } }))
  expect(await outcomeOf(register, runId)).toBe('failed')
  expect(asked).toEqual([])
})

test('requests of an agent that asks people say that the next one may come late', async () => {
  const { model, asked } = models(() => ({}))
  const { engine, register } = await scene(model)
  for (const [approvalTools, waits] of [[['pay'], true] as const, [[], undefined] as const]) {
    const runId = await begin(
      engine,
      agentOf({ guardrails: { approvalTools: [...approvalTools] } }),
    )
    expect(await outcomeOf(register, runId)).toBe('completed')
    expect(asked.at(-1)?.waitsForPeople).toBe(waits)
  }
})

test('requests of an agent whose old results may be cleared say that their beginning stays (§4.3)', async () => {
  const { model, asked } = models(() => ({}))
  const { engine, register } = await scene(model)
  for (const [context, stays] of [[{ context: {} }, true] as const, [{}, undefined] as const]) {
    const runId = await begin(engine, agentOf(context))
    expect(await outcomeOf(register, runId)).toBe('completed')
    expect(asked.at(-1)?.keepsHead).toBe(stays)
  }
})

test('requests of one thread have a cache key in common, and with no other thread or tenant', async () => {
  const { model, asked } = models(() => ({}))
  const { engine, register } = await scene(model)
  const keyOf = async (tenantId: string, threadId: string) => {
    const runId = await begin(engine, agentOf({}), { tenantId, threadId })
    expect(await outcomeOf(register, runId)).toBe('completed')
    return asked.at(-1)?.cacheKey
  }
  const key = await keyOf('default', 'thread-1')
  expect(key).toMatch(/^[0-9a-f]{32}$/)
  expect(await keyOf('default', 'thread-1')).toBe(key)
  // Threads of two tenants may have the same id.
  const others = [await keyOf('default', 'thread-2'), await keyOf('acme', 'thread-1')]
  expect(new Set([key, ...others]).size).toBe(3)
})
