/**
 * Compaction end to end in memory (context systems §5, §18 rows 3, 4, 6 to 9 and 12, §19 "compaction"). Would catch: a request over the window, a
 * summary that somebody sees streaming, calls of a summary that are executed, a failure after which the next request is another one.
 */
import {
  checkPairing,
  factSchemas,
  type JsonObject,
  type ModelTurn,
  payloadOf,
  type Prompt,
} from '@signalbox/core'
import { type Model, type ModelRequest, systemClock } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { describe, expect, onTestFinished, test } from 'vitest'
import { dumping, readerAgent, roomy, said, summaryText } from './support/compacting.ts'
import { counting, isSummary, reader, tokensIn } from './support/counting.ts'
import { begin, caller, eventOf, outcomeOf } from './support/governed.ts'
import { agent, functionTools, toolSpec, turnModel, until, world } from './support/world.ts'

const short = async () => said(summaryText)
const definition = readerAgent

async function scene(model: Model, window = 32_000) {
  const register = createMemoryRegister(systemClock)
  const counted = counting(model, window)
  const { engine } = world({ model: counted.model, tools: dumping(), register })
  await engine.start()
  onTestFinished(() => engine.stop(1_000))
  return { engine, register, definition, requests: counted.requests }
}

const factOf = async ({ register }: Awaited<ReturnType<typeof scene>>, runId: string) =>
  payloadOf(factSchemas['context.compacted'], await eventOf(register, runId, 'context.compacted'))

test('a run of a hundred results stays in a window of 32,000, at most a summary every five turns', async () => {
  const at = await scene(reader(100, short))
  const runId = await begin(at.engine, at.definition())
  expect(await outcomeOf(at.register, runId)).toBe('completed')
  for (const request of at.requests) {
    expect(tokensIn(request)).toBeLessThanOrEqual(32_000)
    expect(checkPairing(request.prompt)).toEqual([])
  }
  const events = await at.register.events(runId, {})
  const summaries = events.filter(({ type }) => type === 'context.compacted')
  expect(summaries.length).toBeGreaterThan(5)
  expect(summaries.length).toBeLessThanOrEqual(20)
  expect(events.filter(({ type }) => type === 'context.unchanged')).toEqual([])
})

test('a summary is asked for behind the request of the turn, whose beginning and settings are the same (§18 rows 6, 8 and 12)', async () => {
  const at = await scene(reader(12, short))
  const runId = await begin(at.engine, at.definition())
  await outcomeOf(at.register, runId)
  const n = at.requests.findIndex(isSummary)
  const [before, summary] = [at.requests[n - 1], at.requests[n]]
  expect(summary?.tools).toEqual(before?.tools)
  expect(summary?.model).toEqual(before?.model)
  expect(summary?.cacheKey).toMatch(/^[0-9a-f]{32}$/)
  expect(summary?.cacheKey).toBe(before?.cacheKey)
  expect([before?.keepsHead, summary?.keepsHead]).toEqual([true, true])
  const prefix: Prompt = before?.prompt ?? []
  expect(summary?.prompt.slice(0, prefix.length)).toEqual(prefix)
  expect(await factOf(at, runId)).toMatchObject({ how: 'shared' })
})

test('the fact tells what a guardrail took out of the summary, and nothing of the thoughts before it (C8)', async () => {
  const taken = { guardrail: { id: 'g', name: 'mask' }, kind: 'email', count: 2 } as const
  const redactions = [
    { ...taken, place: 'text' as const },
    { ...taken, place: 'reasoning' as const },
  ]
  const at = await scene(reader(12, async () => said('Of [redacted:email].', { redactions })))
  const runId = await begin(at.engine, at.definition())
  expect(await outcomeOf(at.register, runId)).toBe('completed')
  expect((await factOf(at, runId)).redactions).toEqual([{ ...taken, place: 'text' }])
})

test('a summary of which nothing was taken out says nothing of it', async () => {
  const at = await scene(reader(12, short))
  const runId = await begin(at.engine, at.definition())
  await outcomeOf(at.register, runId)
  const { payload } = await eventOf(at.register, runId, 'context.compacted')
  expect(Object.keys(payload)).not.toContain('redactions')
})

test('the next request begins with the summary, and is what the fact says it is', async () => {
  const at = await scene(reader(12, short))
  const runId = await begin(at.engine, at.definition())
  await outcomeOf(at.register, runId)
  const n = at.requests.findIndex(isSummary)
  const next = at.requests[n + 1]
  expect(JSON.stringify(next?.prompt[1])).toContain('Some are read.')
  const { tokens } = await factOf(at, runId)
  const real = next ? tokensIn(next) : 0
  // The estimate is within −10 % and +25 % (P6).
  expect(tokens.after).toBeGreaterThan(real * 0.9)
  expect(tokens.after).toBeLessThan(real * 1.25)
})

test('nobody sees it stream (§18 row 4), and its message is no message of the thread', async () => {
  const at = await scene(reader(12, short))
  const runId = await begin(at.engine, at.definition())
  await outcomeOf(at.register, runId)
  const events = await at.register.events(runId, {})
  const answers = events.filter(({ type }) => type === 'model.completed')
  expect(JSON.stringify(answers)).not.toContain('Some are read.')
})

const call = (request: ModelRequest): Partial<ModelTurn> => ({
  message: {
    id: 's',
    role: 'assistant',
    parts: [{ type: 'tool_call', id: 'x', name: 'dump', args: {}, argsHash: request.argsHash({}) }],
  },
})

/** The texts of the turns that the model was asked for, without the ids that differ from run to run. */
async function turnsAsked(
  more: JsonObject,
  summary: (request: ModelRequest) => Partial<ModelTurn>,
) {
  const at = await scene(reader(12, async (request) => summary(request)))
  const runId = await begin(at.engine, at.definition(more))
  await outcomeOf(at.register, runId)
  const turns = at.requests.filter((request) => !isSummary(request))
  const tail = runId.slice(-12)
  const texts = turns.map(({ prompt }) => JSON.stringify(prompt).replaceAll(tail, 'run'))
  return { at, runId, texts }
}

describe('a failure leaves the next request as it would have been, byte for byte (compaction 2)', () => {
  const error = { class: 'invalid_request', retryable: false, message: 'no' } as const
  const failures: readonly (readonly [string, (request: ModelRequest) => Partial<ModelTurn>])[] = [
    ['empty', () => said('  ')],
    ['calls', call],
    ['no_gain', () => said('s'.repeat(60_000))],
    ['safety', () => said('I cannot.', { verdict: 'refusal' })],
    ['failed', () => said('', { verdict: 'error', error })],
    ['too_long', () => said('cut', { verdict: 'length' })],
  ]

  test.each(failures)('%s', async (reason, summary) => {
    const once = await turnsAsked(
      { context: { compact: { failuresMax: 1, summaryTokens: 32_000 } } },
      summary,
    )
    const never = await turnsAsked({ context: { compact: { maxPerRun: 0 } } }, summary)
    const { payload } = await eventOf(once.at.register, once.runId, 'context.unchanged')
    expect(payload).toMatchObject({ reason })
    expect(once.texts).toEqual(never.texts)
    const events = await once.at.register.events(once.runId, {})
    const executed = events.filter(({ type }) => type === 'tool.completed')
    expect(executed).toHaveLength(12)
  })
})

test('a turn that was stopped is not in what is summed up (compaction 5)', async () => {
  let isFirst = true
  const inputs: string[] = []
  const plain = reader(12, async (request) => {
    inputs.push(JSON.stringify(request.prompt))
    return said('Some are read.')
  })
  const at = await scene({
    async call(request, sink, signal) {
      if (!isFirst) return plain.call(request, sink, signal)
      isFirst = false
      const answer = await turnModel(['forbidden words']).call(request, sink, signal)
      return {
        ...answer,
        verdict: 'safety',
        evidence: [{ detector: 'd', field: 'f', value: 'content_filter' }],
      }
    },
  })
  const threadId = 't-stopped'
  const first = await begin(at.engine, at.definition(), { threadId })
  expect(await outcomeOf(at.register, first)).toBe('safety_stopped')
  const second = await begin(at.engine, at.definition(), { threadId })
  expect(await outcomeOf(at.register, second)).toBe('completed')
  expect(inputs.length).toBeGreaterThan(0)
  for (const input of inputs) expect(input).not.toContain('forbidden')
  // It is the first answer of the thread: what is shared with the request of the turn ends before it.
  expect(await factOf(at, second)).toMatchObject({ how: 'shared' })
  expect(inputs[0]).toContain('What was said after that, written out:')
  expect(inputs[0]).toContain('[A turn that was stopped is left out.]')
})

const small = (n: number) => [{ tool: 'note', args: { n } }]

test('a run that begins in a thread too long for its model has that summed up before its first request is paid', async () => {
  let asked = 0
  const register = createMemoryRegister(systemClock)
  const counted = counting(
    {
      async call(request, sink, signal) {
        const play = (turn: Parameters<typeof turnModel>[0][number]) => {
          const index = request.prompt.filter(({ role }) => role === 'assistant').length
          const turns = Array.from({ length: index + 1 }, () => turn)
          return turnModel(turns).call(request, sink, signal)
        }
        if (isSummary(request)) return play('Notes were taken.')
        asked += 1
        return play(asked <= 49 ? small(asked) : 'done')
      },
    },
    16_000,
  )
  const tools = functionTools({ note: async ({ n }) => `${JSON.stringify(n)} ${'w'.repeat(900)}` })
  const { engine } = world({ model: counted.model, tools, register })
  await engine.start()
  onTestFinished(() => engine.stop(1_000))
  const threadId = 't-notes'
  const { limits, loop } = roomy
  const first = await begin(engine, agent([toolSpec('note')], { limits, loop }), { threadId })
  expect(await outcomeOf(register, first)).toBe('completed')
  const before = counted.requests.length
  const window = { ...roomy.model, contextWindow: 8_000 }
  const second = await begin(
    engine,
    agent([toolSpec('note')], { ...roomy, model: window, fallbackModels: [] }),
    { threadId },
  )
  expect(await outcomeOf(register, second)).toBe('completed')
  // The whole conversation was never sent: only its text, and what came of that.
  const sent = counted.requests.slice(before)
  expect(sent.map(isSummary)).toEqual([true, false])
  for (const request of sent) expect(tokensIn(request)).toBeLessThanOrEqual(8_000)
  const fact = await eventOf(register, second, 'context.compacted')
  // The words of the run itself are behind the place, and stand there as they were said.
  expect(fact.payload).toMatchObject({ how: 'serialised' })
  expect(JSON.stringify(sent[1]?.prompt.at(-1))).toContain('go')
})

test('a cancel in the middle ends it, and keeps nothing (compaction 4)', async () => {
  const begun: string[] = []
  const at = await scene(
    reader(12, (request, signal) => {
      begun.push(request.messageId)
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
      })
    }),
  )
  const runId = await begin(at.engine, at.definition())
  await until(async () => begun[0])
  await at.engine.commands.cancel({ ...caller, runId, action: 'interrupt' })
  expect(await outcomeOf(at.register, runId)).toBe('cancelled')
  const { payload } = await eventOf(at.register, runId, 'context.unchanged')
  expect(payload).toMatchObject({ reason: 'aborted' })
})

test('what fits no window ends the run, and says so', async () => {
  const at = await scene(reader(2, short), 1_000)
  const runId = await begin(
    at.engine,
    at.definition({ model: { ...roomy.model, contextWindow: 1_000 } }),
    {
      input: [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'z'.repeat(8_000) }] }],
    },
  )
  expect(await outcomeOf(at.register, runId)).toBe('failed')
  const { payload, verdict } = await eventOf(at.register, runId, 'context.exhausted')
  expect(verdict).toBe('context_full')
  expect(payload).toMatchObject({ window: 1_000, tried: [] })
  expect(at.requests).toEqual([])
})

test('a summary that streams for ever is broken off, and what it has used is counted', async () => {
  const streamed: number[] = []
  const at = await scene({
    async call(request, sink, signal) {
      if (!isSummary(request)) return plays.call(request, sink, signal)
      let chars = 0
      while (!signal.aborted) {
        sink.delta('text', 's'.repeat(1_000))
        chars += 1_000
        await new Promise((resolve) => setImmediate(resolve))
      }
      streamed.push(chars)
      throw signal.reason
    },
  })
  const plays = reader(12, short)
  const runId = await begin(at.engine, at.definition({ context: { compact: { failuresMax: 1 } } }))
  expect(await outcomeOf(at.register, runId)).toBe('completed')
  const unchanged = payloadOf(
    factSchemas['context.unchanged'],
    await eventOf(at.register, runId, 'context.unchanged'),
  )
  expect(unchanged.reason).toBe('too_long')
  // 4,000 tokens of six characters, and the piece that was one too many.
  expect(streamed).toEqual([25_000])
  expect(unchanged.usage).toMatchObject({ estimated: true })
  expect(unchanged.usage.inputTokens).toBeGreaterThan(10_000)
  expect(unchanged.usage.outputTokens).toBeGreaterThan(8_000)
})
