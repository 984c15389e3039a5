/**
 * Room: long conversations before a model with a window. Would catch: a request over the window, a call without its result, a prune that costs a
 * decision more, a run that ends on an overflow it could recover from, a result that is gone for good.
 */
import { checkPairing, factSchemas, type JsonObject, payloadOf } from '@signalbox/core'
import { systemClock, withLeftOut, withReadResult } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { expect, onTestFinished, test } from 'vitest'
import { counting, tokensIn } from './support/counting.ts'
import { begin, eventOf, outcomeOf } from './support/governed.ts'
import { agent, functionTools, type Turn, turnModel, world } from './support/world.ts'

const words = (n: number): string => `${n} ${'w'.repeat(8_000)}`
const reads = (n: number): Turn => [{ tool: 'dump', args: { n } }]
const tools = () => withReadResult(functionTools({ dump: async ({ n }) => words(Number(n ?? 0)) }))

/** An engine before a model that plays these turns, and takes so many tokens. */
async function scene(turns: readonly Turn[], window: number) {
  const register = createMemoryRegister(systemClock)
  const counted = counting(turnModel(turns), window)
  const host = tools()
  const { engine } = world({ model: counted.model, tools: host, register })
  await engine.start()
  onTestFinished(() => engine.stop(1_000))
  const specs = (await host.specs()).map(withLeftOut)
  const definition = (more: JsonObject) =>
    agent(specs, { limits: { maxTokens: 100_000_000 }, ...more })
  const typesOf = async (runId: string) =>
    (await register.events(runId, {})).map(({ type }) => type)
  return { engine, register, definition, typesOf, ...counted }
}

const roomy = {
  model: { provider: 'scripted', model: 'test', contextWindow: 64_000 },
  context: { prune: { at: 0.5 } },
}

test('a run of many results stays below its mark, by rare prunes that cost no decision more', async () => {
  const count = 40
  const turns = [...Array.from({ length: count }, (_, n) => reads(n)), 'done']
  const { engine, register, definition, requests } = await scene(turns, 64_000)
  const runId = await begin(engine, definition(roomy))
  expect(await outcomeOf(register, runId)).toBe('completed')
  expect(requests).toHaveLength(count + 1)
  for (const request of requests) {
    expect(checkPairing(request.prompt)).toEqual([])
    // The room is 55,808. One turn may come on top of the mark.
    expect(tokensIn(request)).toBeLessThan(27_904 + 2_500)
  }
  const events = await register.events(runId, {})
  const prunes = events.filter(({ type }) => type === 'context.pruned')
  // A result has some 2,000 tokens, and 8,371 must be cleared at the least.
  expect(prunes.length).toBeGreaterThanOrEqual(2)
  expect(prunes.length).toBeLessThanOrEqual(count / 4)
  // A decision admits the run; then one follows each answer of the model, and each result.
  const decisions = events.filter(({ type }) => type === 'run.transitioned')
  expect(decisions.length).toBeLessThanOrEqual(2 + 2 * count + 1)
})

test('what is recorded of a request counts tools and instructions (meter 1)', async () => {
  const { engine, register, definition, requests } = await scene(['done'], 64_000)
  const runId = await begin(engine, definition(roomy))
  const fact = payloadOf(
    factSchemas['model.completed'],
    await eventOf(register, runId, 'model.completed'),
  )
  const [request] = requests
  expect(fact.promptBytes).toBe(
    Buffer.byteLength(JSON.stringify({ prompt: request?.prompt, tools: request?.tools })),
  )
  expect(fact.room).toBeUndefined()
})

test('an agent without a context records nothing of it', async () => {
  const { engine, register, definition } = await scene(['done'], 64_000)
  const runId = await begin(engine, definition({}))
  const { payload } = await eventOf(register, runId, 'model.completed')
  expect(payload).not.toHaveProperty('promptBytes')
  expect(payload).not.toHaveProperty('room')
})

test('an overflow is recovered from, also by an agent that says nothing of its context', async () => {
  const turns = [...Array.from({ length: 8 }, (_, n) => reads(n)), 'done']
  const { engine, register, definition, requests, typesOf } = await scene(turns, 12_000)
  const runId = await begin(engine, definition({}))
  expect(await outcomeOf(register, runId)).toBe('completed')
  expect((await typesOf(runId)).filter((type) => type === 'context.pruned')).toHaveLength(1)
  // One was refused, and asked again.
  expect(requests.filter((request) => tokensIn(request) > 12_000)).toHaveLength(1)
  expect(requests).toHaveLength(turns.length + 1)
})

test('an overflow teaches how large the window is, and the turns behind it are measured against that', async () => {
  const count = 20
  const turns = [...Array.from({ length: count }, (_, n) => reads(n)), 'done']
  // Nobody has told the agent of a window, and its own mark is at 100,000.
  const { engine, register, definition } = await scene(turns, 30_000)
  const runId = await begin(engine, definition({ context: { compact: { maxPerRun: 0 } } }))
  expect(await outcomeOf(register, runId)).toBe('completed')
  const answers = (await register.events(runId, {}))
    .filter(({ type }) => type === 'model.completed')
    .map((event) => payloadOf(factSchemas['model.completed'], event))
  const first = answers.findIndex(({ turn }) => turn.error?.class === 'context_overflow')
  const window = answers[first]?.room?.window ?? 0
  expect(window).toBeGreaterThan(25_000)
  const told = answers.slice(first + 1).flatMap(({ room }) => room ?? [])
  expect(told.length).toBeGreaterThan(0)
  expect(told.map((room) => room.window)).toEqual(told.map(() => window))
})

test('a request that cannot fit is not sent: the first one of a run in a long thread', async () => {
  const turns = [...Array.from({ length: 12 }, (_, n) => reads(n)), 'done', 'again']
  const { engine, register, definition, requests } = await scene(turns, 64_000)
  const threadId = 't-long'
  const first = await begin(engine, definition({}), { threadId })
  expect(await outcomeOf(register, first)).toBe('completed')
  const small = {
    model: { provider: 'scripted', model: 'test', contextWindow: 12_000 },
    context: {},
  }
  const asked = requests.length
  const second = await begin(engine, definition(small), { threadId })
  expect(await outcomeOf(register, second)).toBe('completed')
  expect(requests).toHaveLength(asked + 1)
  const last = requests.at(-1)
  expect(last && tokensIn(last)).toBeLessThan(12_000)
  const unsent = payloadOf(
    factSchemas['model.completed'],
    await eventOf(register, second, 'model.completed'),
  )
  expect(unsent.room).toMatchObject({ unsent: true, window: 12_000 })
})

test('what a prune left out is read again whole, by the id that stands in its place (prune 1)', async () => {
  const register = createMemoryRegister(systemClock)
  const host = tools()
  const specs = (await host.specs()).map(withLeftOut)
  const seen: string[] = []
  const { model } = counting(
    {
      async call(request, sink, signal) {
        const shown = JSON.stringify(request.prompt)
        seen.push(shown)
        const left = /read_result \{\\"call\\":\\"(\w+)\\",\\"offset\\":0\}/.exec(shown)
        const n = request.prompt.filter(({ role }) => role === 'assistant').length
        const isRead = shown.includes('[Characters 0 to')
        const turn: Turn = isRead
          ? 'done'
          : left
            ? [{ tool: 'read_result', args: { call: left[1] ?? '', offset: 0 } }]
            : reads(n)
        return turnModel(Array.from({ length: n + 1 }, () => turn)).call(request, sink, signal)
      },
    },
    64_000,
  )
  const { engine } = world({ model, tools: host, register })
  await engine.start()
  onTestFinished(() => engine.stop(1_000))
  const runId = await begin(engine, agent(specs, { ...roomy, limits: { maxTokens: 100_000_000 } }))
  expect(await outcomeOf(register, runId)).toBe('completed')
  const whole = JSON.stringify(words(0)).slice(0, 1_000)
  expect(seen.at(-1)?.replaceAll('\\', '')).toContain(whole)
})

const wrongArgs: readonly (readonly [string, JsonObject])[] = [
  ['both', { call: 'c', result: 'k', offset: 0 }],
  ['neither', { offset: 0 }],
  ['an offset below 0', { call: 'c', offset: -1 }],
]

test.each(wrongArgs)('read_result with %s is refused, and says what it takes', async (_, args) => {
  const host = tools()
  const spec = (await host.specs()).map(withLeftOut).find(({ name }) => name === 'read_result')
  const outcome = await host.call(
    {
      name: 'read_result',
      version: spec?.version ?? '',
      args,
      idempotencyKey: 'k',
      attempt: 1,
      tenantId: 'default',
      threadId: 't',
      runId: 'r',
      callId: 'c',
      timeoutMs: 1_000,
      progress: () => {},
    },
    new AbortController().signal,
  )
  expect(outcome).toMatchObject({ status: 'failed', error: { code: 'invalid_arguments' } })
})

test('both editions of read_result run on one worker; other agents have the one they had', async () => {
  const host = tools()
  const [before] = (await host.specs()).filter(({ name }) => name === 'read_result')
  const since = before && withLeftOut(before)
  expect(before?.inputSchema).toMatchObject({ required: ['result', 'offset'] })
  expect(since?.version).not.toBe(before?.version)
  for (const version of [before?.version ?? '', since?.version ?? ''])
    expect(await host.knows('read_result', version)).toBe(true)
  expect(await host.knows('read_result', 'another')).toBe(false)
})
