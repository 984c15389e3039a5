/**
 * Conversations that no sensible client has, and what happens while one is summed up (context systems §5.3, §5.6, §18 row 3; "bad input" of a long
 * conversation). Would catch: words that a summary swallows, a second summary of the same, a result or a message that is larger than the window
 * and ends the run, an agent that is told at its first request that nothing of it fits, and goes round.
 */
import { checkPairing, factSchemas, payloadOf, type Prompt } from '@signalbox/core'
import {
  type Model,
  type ModelRequest,
  systemClock,
  withLeftOut,
  withReadResult,
} from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  byTurn,
  dump,
  dumping,
  eventsOf,
  reads,
  readerAgent,
  resultNo,
  roomy,
  said,
  summaryText,
  wide,
} from './support/compacting.ts'
import { counting, isSummary, tokensIn } from './support/counting.ts'
import { ask, named, runsOf } from './support/family.ts'
import { approveFirst, begin, caller, eventOf, outcomeOf } from './support/governed.ts'
import { agent, functionTools, toolSpec, type Turn, until, world } from './support/world.ts'

type Parts = Partial<Parameters<typeof world>[0]>

async function scene(model: Model, window = 32_000, parts: Parts = {}) {
  const register = createMemoryRegister(systemClock)
  const counted = counting(model, window)
  const { engine } = world({ model: counted.model, tools: dumping(), register, ...parts })
  await engine.start()
  onTestFinished(() => engine.stop(1_000))
  return { engine, register, requests: counted.requests }
}

const message = (id: string, text: string) => ({
  id,
  role: 'user' as const,
  parts: [{ type: 'text' as const, text }],
})

const partsOf = (text: string) => [{ type: 'text', text }]

/** The prompt of the request that follows the first summary. */
const behindSummary = (requests: readonly ModelRequest[]): Prompt =>
  requests[requests.findIndex(isSummary) + 1]?.prompt ?? []

const expectFits = (requests: readonly ModelRequest[], window = 32_000): void => {
  for (const request of requests) {
    expect(tokensIn(request)).toBeLessThanOrEqual(window)
    expect(checkPairing(request.prompt)).toEqual([])
  }
}

describe('words that are said while it is summed up', () => {
  test('are kept, and the turn behind it reads them whole', async () => {
    const begun = Promise.withResolvers<void>()
    const spoken = Promise.withResolvers<void>()
    const model = byTurn(reads(12), async () => {
      begun.resolve()
      await spoken.promise
      return said(summaryText)
    })
    const at = await scene(model)
    const runId = await begin(at.engine, readerAgent())
    await begun.promise
    const messages = [message('u_more', 'Leave out the <last> one & stop.')]
    const injected = { ...caller, runId, messages, key: 'more' }
    expect(await at.engine.commands.injectInput(injected)).toMatchObject({ code: 'accepted' })
    spoken.resolve()
    expect(await outcomeOf(at.register, runId)).toBe('completed')
    const shown = JSON.stringify(behindSummary(at.requests))
    expect(shown).toContain(summaryText)
    expect(shown).toContain('Leave out the <last> one & stop.')
    const [first] = at.requests.filter(isSummary)
    expect(JSON.stringify(first?.prompt)).not.toContain('Leave out')
    expectFits(at.requests)
  })
})

describe('two in a row', () => {
  const keeping = readerAgent({ ...wide, context: { compact: { keep: 1 } } })

  test('by hand: the second finds nothing, fails, and changes nothing', async () => {
    const at = await scene(byTurn(reads(6)), 1_000_000)
    const threadId = 'twice'
    const first = await begin(at.engine, keeping, { threadId })
    expect(await outcomeOf(at.register, first)).toBe('completed')
    const byHand = () => begin(at.engine, keeping, { threadId, input: [], compact: {} })
    const second = await byHand()
    expect(await outcomeOf(at.register, second)).toBe('completed')
    expect(await eventsOf(at.register, second, 'context.compacted')).toHaveLength(1)
    const third = await byHand()
    expect(await outcomeOf(at.register, third)).toBe('failed')
    const { payload } = await eventOf(at.register, third, 'context.unchanged')
    expect(payload).toMatchObject({ reason: 'no_gain', usage: {} })
    // One summary was asked for in all.
    expect(at.requests.filter(isSummary)).toHaveLength(1)
    const last = await begin(at.engine, keeping, { threadId })
    await outcomeOf(at.register, last)
    const shown = JSON.stringify(at.requests.at(-7)?.prompt)
    expect(shown).toContain(summaryText)
    expect(shown).not.toContain(resultNo(1))
  })

  test('by hand, behind a summary and little more: nobody is asked, and it works again once there is more', async () => {
    let count = 6
    const long = `What was read. ${'s'.repeat(3_000)}`
    const model = byTurn(
      (turn) => reads(count)(turn),
      () => said(long),
    )
    const at = await scene(model, 1_000_000)
    const threadId = 'little'
    const play = async (more: object = {}) =>
      outcomeOf(at.register, await begin(at.engine, keeping, { threadId, ...more }))
    const byHand = () => play({ input: [], compact: {} })
    expect(await play()).toBe('completed')
    expect(await byHand()).toBe('completed')
    count = 0
    expect(await play()).toBe('completed')
    expect(await play()).toBe('completed')
    expect(await byHand()).toBe('failed')
    expect(at.requests.filter(isSummary)).toHaveLength(1)
    count = 2
    expect(await play()).toBe('completed')
    expect(await byHand()).toBe('completed')
    expect(at.requests.filter(isSummary)).toHaveLength(2)
  })

  test('what the first one quotes is escaped once, also where the second repeats it (C6)', async () => {
    let count = 6
    const words = ['Of <b> & co.', 'Of &lt;b&gt; &amp; co.', 'Of &lt;b&gt; &amp; co. and <i>.']
    const model = byTurn(
      (turn) => reads(count)(turn),
      () => said(words.shift() ?? ''),
    )
    const at = await scene(model, 1_000_000)
    const threadId = 'escaped'
    const summaries: unknown[] = []
    for (let n = 0; n < 3; n += 1) {
      const run = await begin(at.engine, keeping, { threadId })
      expect(await outcomeOf(at.register, run)).toBe('completed')
      const byHand = await begin(at.engine, keeping, { threadId, input: [], compact: {} })
      expect(await outcomeOf(at.register, byHand)).toBe('completed')
      const { payload } = await eventOf(at.register, byHand, 'context.compacted')
      summaries.push(payload['summary'])
      count = 3
    }
    expect(summaries).toEqual([
      partsOf('Of &lt;b&gt; &amp; co.'),
      partsOf('Of &lt;b&gt; &amp; co.'),
      partsOf('Of &lt;b&gt; &amp; co. and &lt;i&gt;.'),
    ])
  })

  test('by hand, of a few words: the task of summing them up would be longer', async () => {
    const at = await scene(byTurn(() => 'done'))
    const threadId = 'short'
    for (let n = 0; n < 3; n += 1)
      await outcomeOf(at.register, await begin(at.engine, keeping, { threadId }))
    const byHand = await begin(at.engine, keeping, { threadId, input: [], compact: {} })
    expect(await outcomeOf(at.register, byHand)).toBe('failed')
    const { payload } = await eventOf(at.register, byHand, 'context.unchanged')
    expect(payload).toMatchObject({ reason: 'no_gain', usage: {} })
    expect(at.requests.filter(isSummary)).toEqual([])
  })

  test('of two that are asked for at once, one waits or is refused; one summary stands', async () => {
    const at = await scene(byTurn(reads(6)), 1_000_000)
    const threadId = 'twice'
    const first = await begin(at.engine, keeping, { threadId })
    expect(await outcomeOf(at.register, first)).toBe('completed')
    const asked = { ...caller, threadId, definition: keeping, input: [], metadata: {}, alias: null }
    const byHand = { ...asked, compact: {}, multitask: 'reject' as const }
    const answers = await Promise.all([
      at.engine.commands.createRun(byHand),
      at.engine.commands.createRun(byHand),
    ])
    const created = answers.flatMap((answer) => (answer.code === 'created' ? [answer.runId] : []))
    for (const runId of created) await outcomeOf(at.register, runId)
    const cuts = []
    for (const runId of created)
      cuts.push(...(await eventsOf(at.register, runId, 'context.compacted')))
    expect(cuts).toHaveLength(1)
  })
})

describe('a turn that was stopped (compaction 5, C7)', () => {
  test('and stands behind the cut: the request of the turn shows it, so the summary is asked for without that', async () => {
    let isStopped = false
    const plays = byTurn(reads(6))
    const model: Model = {
      async call(request, sink, signal) {
        const turn = await plays.call(request, sink, signal)
        if (!isStopped) return turn
        const cut = {
          ...turn.message,
          parts: [{ type: 'text' as const, text: 'forbidden words' }],
        }
        return {
          ...turn,
          message: cut,
          verdict: 'safety',
          evidence: [{ detector: 'd', field: 'f', value: 'v' }],
        }
      },
    }
    const at = await scene(model)
    const keeping = readerAgent({ context: { compact: { keep: 12_000 } } })
    const threadId = 'stopped'
    const ends: string[] = []
    for (const stops of [false, true, false]) {
      isStopped = stops
      ends.push(await outcomeOf(at.register, await begin(at.engine, keeping, { threadId })))
    }
    expect(ends).toEqual(['completed', 'safety_stopped', 'completed'])
    const summaries = at.requests.filter(isSummary)
    expect(summaries.length).toBeGreaterThan(0)
    for (const { prompt } of summaries) expect(JSON.stringify(prompt)).not.toContain('forbidden')
    // Up to that turn, the request of the turn is shared, and all of the part is before it.
    const [first] = summaries
    const before = at.requests[at.requests.findIndex(isSummary) - 1]?.prompt ?? []
    const shared = first?.prompt.slice(0, -1) ?? []
    expect(shared.length).toBeGreaterThan(3)
    expect(before.slice(0, shared.length)).toEqual(shared)
    expect(first?.tools).not.toEqual([])
    expect(JSON.stringify(first?.prompt.at(-1))).not.toContain('written out')
    // It was not summed up: behind the summary, the model reads it as it was said.
    expect(JSON.stringify(behindSummary(at.requests))).toContain('forbidden words')
  })
})

const more = reads(24)
const dumped = (n: number) => ({ tool: 'dump', args: { n } })
const pays = (turn: number): Turn =>
  turn === 10 ? [{ tool: 'pay', args: { n: turn } }, dumped(turn)] : more(turn)

describe('what is open when the mark is reached', () => {
  test('a human is asked, and nothing is summed up before the answer; the summary knows of it', async () => {
    const tools = functionTools({
      dump: async ({ n }) => resultNo(Number(n ?? 0)),
      pay: async () => `paid ${'p'.repeat(3_000)}`,
    })
    const at = await scene(byTurn(pays), 32_000, { tools })
    const governed = { guardrails: { approvalTools: ['pay'] } }
    const definition = agent([toolSpec('dump'), toolSpec('pay', 'once')], { ...roomy, ...governed })
    const runId = await begin(at.engine, definition, { threadId: 'asks' })
    await eventOf(at.register, runId, 'approval.requested')
    await until(async () => (await at.register.head(runId))?.stateName === 'approval')
    expect(at.requests.filter(isSummary)).toEqual([])
    // A summary by hand is refused: the thread is taken.
    const asked = { ...caller, threadId: 'asks', definition, input: [], metadata: {}, alias: null }
    const byHand = { ...asked, compact: {}, multitask: 'reject' as const }
    expect(await at.engine.commands.createRun(byHand)).toMatchObject({ code: 'busy' })
    expect(await approveFirst(at.engine, at.register, runId)).toBe('accepted')
    expect(await outcomeOf(at.register, runId)).toBe('completed')
    const [cut] = await eventsOf(at.register, runId, 'context.compacted')
    expect(cut).toBeDefined()
    expectFits(at.requests)
    // The second summary stands for the turn in which it was paid; what was decided is told beside it.
    expect(JSON.stringify(at.requests.at(-1)?.prompt)).toMatch(
      /What people decided about calls:\\n- pay \d*: approve/,
    )
  })

  test('a run that was started goes on; its end is told first', async () => {
    const begun = Promise.withResolvers<void>()
    const helped = Promise.withResolvers<void>()
    const plays = byTurn(async (turn, { request }) => {
      const [first] = request.prompt
      if (first?.role === 'system' && first.text === 'helper') {
        begun.resolve()
        await helped.promise
        return 'helped'
      }
      return turn === 10 ? [ask('go'), dumped(turn)] : more(turn)
    })
    const at = await scene(plays, 32_000, { agents: () => named('helper') })
    const parent = named('parent', [toolSpec('dump'), runsOf('helper')], roomy)
    const runId = await begin(at.engine, parent)
    await begun.promise
    expect(at.requests.filter(isSummary)).toEqual([])
    helped.resolve()
    expect(await outcomeOf(at.register, runId)).toBe('completed')
    const ended = await eventOf(at.register, runId, 'child.ended')
    const cut = await eventOf(at.register, runId, 'context.compacted')
    expect(cut.seq).toBeGreaterThan(ended.seq)
    expectFits(at.requests)
  })
})

/** A reader whose results have so many bytes, and that may read on. */
async function hugeScene(bytes: number, play: (turn: number, prompt: Prompt) => Turn) {
  const dumps = functionTools({ dump: async () => `begin ${'x'.repeat(bytes)} end` })
  const host = withReadResult(dumps)
  const plays = byTurn((turn, { request }) => play(turn, request.prompt))
  const at = await scene(plays, 32_000, { tools: host })
  return { ...at, definition: agent((await host.specs()).map(withLeftOut), roomy) }
}

describe('long words of a user, which stand elsewhere', () => {
  test('are summed up whole, also by another model, which is given them written out', async () => {
    const words = `begin ${'y'.repeat(30_000)} in the middle ${'y'.repeat(30_000)} end`
    const at = await scene(byTurn(reads(2)), 1_000_000)
    const small = { ...wide.model, model: 'small' }
    const keeping = readerAgent({
      ...wide,
      fallbackModels: [small],
      context: { compact: { keep: 1, model: 'small' } },
    })
    const threadId = 'whole'
    const first = await begin(at.engine, keeping, { threadId, input: [message('u_long', words)] })
    expect(await outcomeOf(at.register, first)).toBe('completed')
    const second = await begin(at.engine, keeping, { threadId })
    expect(await outcomeOf(at.register, second)).toBe('completed')
    const byHand = await begin(at.engine, keeping, { threadId, input: [], compact: {} })
    expect(await outcomeOf(at.register, byHand)).toBe('completed')
    const [summary] = at.requests.filter(isSummary)
    expect(summary?.model.model).toBe('small')
    expect(JSON.stringify(summary?.prompt)).toContain(' in the middle ')
  })
})

describe('what is larger than its window', () => {
  test('instructions and tools: the run ends at once, says so, and asks nobody', async () => {
    const at = await scene(byTurn(reads(2)), 1_000)
    const big = { ...toolSpec('dump'), description: 'd'.repeat(9_000) }
    const model = { ...roomy.model, contextWindow: 1_000 }
    const definition = agent([big], { ...roomy, model, instructions: 'i'.repeat(9_000) })
    const runId = await begin(at.engine, definition)
    expect(await outcomeOf(at.register, runId)).toBe('failed')
    const { payload, verdict } = await eventOf(at.register, runId, 'context.exhausted')
    expect(verdict).toBe('context_full')
    expect(payload).toMatchObject({ window: 1_000 })
    expect(JSON.stringify(payload['text'])).toContain('[CONTEXT FULL]')
    expect(at.requests).toEqual([])
  })

  test('the same, and a fallback model has the room: it is asked', async () => {
    const at = await scene(
      byTurn(() => 'done'),
      100_000,
    )
    const model = { ...roomy.model, contextWindow: 1_000 }
    const large = { ...roomy.model, model: 'large', contextWindow: 100_000 }
    const definition = agent([], {
      ...roomy,
      model,
      fallbackModels: [large],
      instructions: 'i'.repeat(9_000),
    })
    const runId = await begin(at.engine, definition)
    expect(await outcomeOf(at.register, runId)).toBe('completed')
    expect(at.requests.map((request) => request.model.model)).toEqual(['large'])
  })

  test('a result of 16 MiB in the last turn is shown as head and tail, and read on', async () => {
    let key = ''
    const at = await hugeScene(16 * 1024 * 1024, (turn, prompt) => {
      if (turn === 1) return dump(1)
      if (turn === 2) {
        key = /result\\":\\"([0-9a-f]{64})/.exec(JSON.stringify(prompt))?.[1] ?? 'no key'
        return [{ tool: 'read_result', args: { result: key, offset: 1_000_000 } }]
      }
      return 'done'
    })
    const runId = await begin(at.engine, at.definition)
    expect(await outcomeOf(at.register, runId)).toBe('completed')
    expect(key).toMatch(/^[0-9a-f]{64}$/)
    expectFits(at.requests)
    expect(at.requests).toHaveLength(3)
    const last = JSON.stringify(at.requests.at(-1)?.prompt)
    expect(last).toContain('[Characters 1000000 to 1010000 of')
    expect(await eventsOf(at.register, runId, 'context.exhausted')).toEqual([])
  })

  test('a first message of 2 MB is shown as head and tail before anybody is asked, and is read again', async () => {
    const words = `first words ${'y'.repeat(2_000_000)} last words`
    const at = await hugeScene(10, (turn) =>
      turn === 1 ? [{ tool: 'read_result', args: { call: 'u_huge', offset: 1_000_000 } }] : 'done',
    )
    const runId = await begin(at.engine, at.definition, { input: [message('u_huge', words)] })
    expect(await outcomeOf(at.register, runId)).toBe('completed')
    expectFits(at.requests)
    const [first, second] = at.requests.map(({ prompt }) => JSON.stringify(prompt))
    for (const shown of ['first words', 'last words', 'read_result']) expect(first).toContain(shown)
    expect(second).toContain('[Characters 1000000 to 1010000 of')
    const pruned = await eventsOf(at.register, runId, 'context.pruned')
    expect(pruned.map(({ payload }) => payload['inputs'])).toEqual([1])
    const unsent = payloadOf(
      factSchemas['model.completed'],
      await eventOf(at.register, runId, 'model.completed'),
    )
    expect(unsent.room).toMatchObject({ unsent: true, window: 32_000 })
  })

  const many: Turn = Array.from({ length: 20 }, (_, n) => dumped(n))

  test('the results of the newest turn: they are cleared, as nothing else is left, and can be read again', async () => {
    const host = withReadResult(dumping())
    const plays = byTurn((turn) => (turn === 1 ? many : 'done'))
    const at = await scene(plays, 32_000, { tools: host })
    const definition = agent((await host.specs()).map(withLeftOut), roomy)
    const runId = await begin(at.engine, definition)
    expect(await outcomeOf(at.register, runId)).toBe('completed')
    // Nobody can be certain that the second does not fit, so the provider says it (O2).
    expect(at.requests.map((request) => tokensIn(request) <= 32_000)).toEqual([true, false, true])
    for (const { prompt } of at.requests) expect(checkPairing(prompt)).toEqual([])
    expect(JSON.stringify(at.requests.at(-1)?.prompt)).toContain('Read it again with read_result')
    const pruned = await eventsOf(at.register, runId, 'context.pruned')
    expect(pruned.map(({ payload }) => payload['results'])).toEqual([20])
  })

  test('the same, and the model cannot read them again: the run ends, and they stand in the log', async () => {
    const plays = byTurn((turn) => (turn === 1 ? many : 'done'))
    const at = await scene(plays, 32_000)
    const runId = await begin(at.engine, readerAgent())
    expect(await outcomeOf(at.register, runId)).toBe('failed')
    const { verdict } = await eventOf(at.register, runId, 'context.exhausted')
    expect(verdict).toBe('context_full')
    expect(await eventsOf(at.register, runId, 'tool.completed')).toHaveLength(20)
  })
})
