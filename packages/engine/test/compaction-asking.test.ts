/**
 * How a summary is asked for, and what counts of its answer (context systems §5.4, §5.6). Would catch: a model that thinks before it sums up,
 * and never gets a summary taken; a request for a summary that is itself too long, asked again and again until the run has no summary left to try; a
 * provider that asks for patience, and is asked again at once; an answer that broke off, and that nobody counts.
 */
import type { FactPayload, JsonObject, ModelTurn, Usage } from '@signalbox/core'
import { factSchemas, payloadOf } from '@signalbox/core'
import { type Model, type ModelRequest, systemClock } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  byTurn,
  dumping,
  eventsOf,
  readerAgent,
  reads,
  said,
  summaryText,
} from './support/compacting.ts'
import { counting, isSummary, tokensIn } from './support/counting.ts'
import { begin, eventOf, outcomeOf } from './support/governed.ts'
import { type Turn, world } from './support/world.ts'

type Asked = Parameters<Model['call']>
/** The answer of a model to a request for a summary, given how often it was asked for before. */
type Summary = (n: number, ...call: Asked) => Partial<ModelTurn> | Promise<Partial<ModelTurn>>

interface Played {
  readonly play?: (turn: number) => Turn
  readonly summary: Summary
  /** Tokens that the provider takes, whatever is configured. */
  readonly window?: number
  /** Of the agent. */
  readonly more?: JsonObject
}

/** Plays a run of an agent that waits ten milliseconds before it asks again, and at most a second. */
async function played({ play = reads(12), summary, window = 32_000, more = {} }: Played) {
  const register = createMemoryRegister(systemClock)
  const counted = counting(byTurn(play), window)
  const summaries: { readonly request: ModelRequest; readonly at: number }[] = []
  const model: Model = {
    async call(request, sink, signal) {
      const turn = await counted.model.call(request, sink, signal)
      if (!isSummary(request)) return turn
      const n = summaries.push({ request, at: performance.now() }) - 1
      return turn.verdict === 'error'
        ? turn
        : { ...turn, ...(await summary(n, request, sink, signal)) }
    },
  }
  const { engine } = world({ model, tools: dumping(), register })
  await engine.start()
  onTestFinished(() => engine.stop(1_000))
  const definition = readerAgent({ modelRetries: { max: 0, baseMs: 10, capMs: 1_000 }, ...more })
  const runId = await begin(engine, definition)
  const outcome = await outcomeOf(register, runId)
  const compacted = async (): Promise<FactPayload<'context.compacted'>> =>
    payloadOf(factSchemas['context.compacted'], await eventOf(register, runId, 'context.compacted'))
  const unchanged = await eventsOf(register, runId, 'context.unchanged')
  const reasons = unchanged.map(({ verdict }) => verdict)
  const usages = unchanged.map((each) => payloadOf(factSchemas['context.unchanged'], each).usage)
  return { outcome, compacted, reasons, usages, summaries, requests: counted.requests }
}

const short: Summary = () => said(summaryText)

const counts = (usage: Usage) => said(summaryText, { usage })

const thoughts: readonly (readonly [string, Partial<ModelTurn>])[] = [
  [
    'counted by the provider',
    counts({ inputTokens: 20_000, outputTokens: 9_000, reasoningTokens: 8_990 }),
  ],
  [
    'shown, and counted with the answer',
    {
      usage: { inputTokens: 20_000, outputTokens: 9_000 },
      message: {
        id: 's',
        role: 'assistant',
        parts: [
          { type: 'reasoning', text: 'hm '.repeat(9_000) },
          { type: 'text', text: summaryText },
        ],
      },
    },
  ],
  // More than the answer that it is a part of.
  [
    'counted beside the answer',
    counts({ inputTokens: 20_000, outputTokens: 10, reasoningTokens: 8_990 }),
  ],
]

test.each(thoughts)('what is thought before a summary is no part of it: %s', async (_, answer) => {
  const { outcome, compacted, reasons } = await played({ summary: () => answer })
  expect([outcome, reasons]).toEqual(['completed', []])
  expect((await compacted()).tokens.summary).toBeLessThanOrEqual(12)
})

test.each([0, 1_000_000_000])(
  'a few words are no long summary where %d tokens are counted',
  async (n) => {
    const summary = () => counts({ inputTokens: 20_000, outputTokens: n })
    const { outcome, reasons, compacted } = await played({ summary })
    expect([outcome, reasons]).toEqual([n === 0 ? 'completed' : outcome, []])
    const { tokens } = await compacted()
    expect(tokens.summary).toBeGreaterThan(0)
    expect(tokens.summary).toBeLessThanOrEqual(12)
  },
)

test('many words are a long one, however few tokens are counted', async () => {
  const words = said('s'.repeat(40_000), { usage: { inputTokens: 20_000, outputTokens: 1 } })
  expect((await played({ summary: () => words })).reasons[0]).toBe('too_long')
})

/** Never ends. */
const thinking: Summary = async (_, _request, sink, signal) => {
  for (let n = 0; n < 100; n += 1) {
    signal.throwIfAborted()
    sink.delta('reasoning', 'hm '.repeat(100_000))
    await Promise.resolve()
  }
  return said('never')
}

test('thoughts without an end are broken off', async () => {
  const { outcome, reasons } = await played({ summary: thinking })
  expect(outcome).not.toBe('failed')
  expect(reasons[0]).toBe('too_long')
})

/** Asks for a call without an end: of what comes, its length is told. */
const asking: Summary = async (_n, _request, sink, signal) => {
  for (let n = 0; n < 100; n += 1) {
    signal.throwIfAborted()
    sink.arguments?.(1_000)
    await Promise.resolve()
  }
  return said('never')
}

test('arguments without an end are broken off, and count', async () => {
  const { outcome, reasons, usages } = await played({ summary: asking })
  expect(outcome).toBe('completed')
  expect(reasons[0]).toBe('calls')
  // 4,000 tokens of six characters, and the piece that was one too many; a token has three bytes at least.
  expect(usages[0]).toMatchObject({ estimated: true })
  expect(usages[0]?.outputTokens).toBeGreaterThanOrEqual(25_000 / 3)
  expect(usages[0]?.outputTokens).toBeLessThan(25_000 / 3 + 50)
})

/** Ten results at once, on top of seven. */
const wide = (turn: number): Turn =>
  turn === 8
    ? Array.from({ length: 10 }, (_, n) => ({ tool: 'dump', args: { n: n + 100 } }))
    : reads(10)(turn)

test('where the request of the turn does not fit, the conversation is written out for its summary', async () => {
  const { outcome, reasons, compacted, requests } = await played({ play: wide, summary: short })
  expect([outcome, reasons]).toEqual(['completed', []])
  expect((await compacted()).how).toBe('serialised')
  for (const request of requests) expect(tokensIn(request)).toBeLessThanOrEqual(32_000)
})

test('a window that is smaller than it was said to be is found out by the summary, and costs none', async () => {
  const { outcome, reasons, compacted, summaries } = await played({
    summary: short,
    window: 20_800,
  })
  expect([outcome, reasons]).toEqual(['completed', []])
  expect((await compacted()).how).toBe('serialised')
  expect(summaries[0]?.request.prompt.length).toBeGreaterThan(1)
  expect(summaries[1]?.request.prompt).toHaveLength(1)
})

const failed = (retryAfterMs?: number): Partial<ModelTurn> =>
  said('', {
    verdict: 'error',
    error: {
      class: 'rate_limit',
      retryable: true,
      message: 'slow down',
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    },
  })

test('a provider that asks for patience is given it', async () => {
  const { outcome, reasons, summaries } = await played({
    summary: (n) => (n === 0 ? failed(300) : said(summaryText)),
  })
  expect([outcome, reasons]).toEqual(['completed', []])
  const [first, second] = summaries.map(({ at }) => at)
  expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(295)
})

test('one that asks for more of it than the agent has is not asked again', async () => {
  const { outcome, reasons, summaries } = await played({ summary: () => failed(3_600_000) })
  expect([outcome, reasons.length, summaries.length]).toEqual(['completed', 3, 3])
})

test('what broke off is counted with the answer that stands', async () => {
  const usage = { inputTokens: 20_000, outputTokens: 700, estimated: true } as const
  const error = { class: 'network', retryable: true, message: 'broke off' } as const
  const summary: Summary = (n) =>
    n === 0
      ? said('Some', { verdict: 'interrupted', error, usage })
      : counts({ inputTokens: 20_100, outputTokens: 10, cachedInputTokens: 20_000 })
  const { compacted } = await played({ summary })
  expect((await compacted()).usage).toEqual({
    inputTokens: 40_100,
    outputTokens: 710,
    cachedInputTokens: 20_000,
    estimated: true,
  })
})

/** Of 3,000,000 tokens, so much. A request for a summary has some 21,000. */
const share = (maxShare: number): JsonObject => ({
  limits: { maxTurns: 1_000, maxToolCalls: 1_000, maxTokens: 3_000_000 },
  context: { compact: { maxShare } },
})

describe('all of it is within the share of the summaries', () => {
  const usage = { inputTokens: 20_000, outputTokens: 700 } as const
  const error = { class: 'network', retryable: true, message: 'broke off' } as const
  const breaksOff: Summary = (n) =>
    n === 0 ? said('Some', { verdict: 'interrupted', error, usage }) : said(summaryText)

  test('a second try is made of what the first has left', async () => {
    const much = await played({ summary: breaksOff, more: share(0.02) })
    expect([much.reasons, much.summaries.length]).toEqual([[], 2])
    const little = await played({ summary: breaksOff, more: share(0.01) })
    expect(little.summaries).toHaveLength(1)
    expect(little.reasons).toEqual(['failed', 'cap'])
  })

  test('thoughts are broken off where nothing is left for them', async () => {
    let sent = 0
    const thinks: Summary = async (_, _request, sink, signal) => {
      for (let n = 0; n < 100; n += 1) {
        signal.throwIfAborted()
        sent += 6_000
        sink.delta('reasoning', 'hm '.repeat(2_000))
        await Promise.resolve()
      }
      return said('never')
    }
    const { reasons } = await played({ summary: thinks, more: share(0.01) })
    expect(reasons[0]).toBe('too_long')
    // Some 9,000 tokens are left, of six characters at most.
    expect(sent).toBeLessThan(9_600 * 6 + 12_000)
  })
})

/** Runs of a thread, of one turn each: what everybody chats with. */
async function chatted(
  { runs, window }: { readonly runs: number; readonly window: number },
  say: (n: number) => { readonly user: string; readonly answer: string },
) {
  const register = createMemoryRegister(systemClock)
  let n = 0
  const counted = counting(
    byTurn(() => say(n).answer),
    window,
  )
  const { engine } = world({ model: counted.model, tools: dumping(), register })
  await engine.start()
  onTestFinished(() => engine.stop(1_000))
  const model = { provider: 'scripted', model: 'test', contextWindow: window }
  const definition = readerAgent({ model, modelRetries: { max: 0 } })
  const outcomes: string[] = []
  for (; n < runs; n += 1) {
    const parts = [{ type: 'text' as const, text: say(n).user }]
    const input = [{ id: `u_${n}`, role: 'user' as const, parts }]
    const runId = await begin(engine, definition, { threadId: 'chat', input })
    outcomes.push(await outcomeOf(register, runId))
  }
  return { outcomes, requests: counted.requests }
}

test.each([
  ['long answers', 8_000, 24, 500, 3_000],
  ['long questions', 8_000, 24, 3_000, 100],
  ['many short words', 2_000, 100, 60, 60],
] as const)('a chat goes on for ever: %s', async (_, window, runs, user, answer) => {
  const say = (n: number) => ({
    user: `question ${n} ${'ü'.repeat(user / 2)}`,
    answer: `answer ${n} ${'w'.repeat(answer)}`,
  })
  const { outcomes, requests } = await chatted({ runs, window }, say)
  expect(outcomes).toEqual(outcomes.map(() => 'completed'))
  expect(requests.some(isSummary)).toBe(true)
  for (const request of requests) expect(tokensIn(request)).toBeLessThanOrEqual(window)
})
