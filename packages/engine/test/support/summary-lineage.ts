/**
 * Summaries and what a thread goes on from (context systems §17, "summary, prune"; §18 row 1), on any register. Would catch: a fork from before a summary
 * that reads it, one from behind it that reads all, a summary that outlives the run that was rolled back, a rerun that is shown the other run's
 * summary of what it has yet to do itself.
 */
import { factSchemas, payloadOf, type Prompt } from '@signalbox/core'
import type { ModelRequest, Register } from '@signalbox/engine'
import { expect, onTestFinished, test } from 'vitest'
import {
  asked,
  byTurn,
  dumping,
  eventsOf,
  reads,
  readerAgent,
  resultNo,
  roomy,
  summaryText,
  turnOf,
  wide,
} from './compacting.ts'
import { counting, isSummary } from './counting.ts'
import { aborted } from './family.ts'
import { begin, caller, eventOf, outcomeOf } from './governed.ts'
import { agent, type Turn, until, world } from './world.ts'

type Play = Parameters<typeof byTurn>[0]

/** An engine whose reader plays what the test says by now. */
async function scene(register: Register, first: Play) {
  let play = first
  const { model, requests } = counting(
    byTurn((turn, of) => play(turn, of)),
    1_000_000,
  )
  const { engine } = world({ model, tools: dumping(), register })
  await engine.start()
  onTestFinished(() => engine.stop(1_000))
  return {
    engine,
    register,
    requests,
    plays(next: Play) {
      play = next
    },
    /** The first prompt of a run, whatever becomes of it afterwards. */
    async firstPrompt(start: () => Promise<string>): Promise<Prompt> {
      const before = requests.length
      const runId = await start()
      await outcomeOf(register, runId)
      return requests[before]?.prompt ?? []
    },
  }
}

const done = (): Turn => 'done'
/** A run that asks once, and has room for everything. */
const asking = agent([], wide)
/** Registers are shared by the tests of a file. */
const newThread = (): string => `books-${Math.random()}`

const summaryAt = (requests: readonly ModelRequest[]): number => {
  const at = requests.findIndex(isSummary)
  if (at < 1) throw new Error('nothing was summed up')
  return at
}

const head = (prompt: Prompt, of: Prompt | undefined): Prompt => prompt.slice(0, of?.length ?? 0)

/** Has the request a summary in it, and is none itself? */
const isBehind = (request: ModelRequest): boolean =>
  !isSummary(request) && JSON.stringify(request.prompt).includes(summaryText)

/** The tests, over a register. */
export function summaryLineage(registerOf: () => Register): void {
  test('a fork from before a summary reads what was said, one from right behind it reads the summary', async () => {
    const threadId = newThread()
    const at = await scene(registerOf(), reads(12))
    const first = await begin(at.engine, readerAgent(), { threadId })
    expect(await outcomeOf(at.register, first)).toBe('completed')
    const { seq } = await eventOf(at.register, first, 'context.compacted')
    const n = summaryAt(at.requests)
    const [before, after] = [at.requests[n - 1]?.prompt, at.requests[n + 1]?.prompt]
    at.plays(done)
    const fork = (base: number) =>
      at.firstPrompt(() =>
        begin(at.engine, asking, { threadId, base: { runId: first, seq: base } }),
      )

    const early = await fork(seq - 1)
    expect(before?.length).toBeGreaterThan(2)
    expect(head(early, before)).toEqual(before)
    expect(JSON.stringify(early)).toContain(resultNo(1))
    expect(JSON.stringify(early)).not.toContain(summaryText)

    const late = await fork(seq)
    expect(after?.length).toBeGreaterThan(2)
    expect(head(late, after)).toEqual(after)
    expect(JSON.stringify(late)).toContain(summaryText)
    expect(JSON.stringify(late)).not.toContain(resultNo(1))

    // From its end, too, although other runs of the thread came after it.
    const whole = await fork((await at.register.head(first))?.seq ?? 0)
    expect(head(whole, after)).toEqual(after)
  })

  test('a rollback of a run takes its summary with it, and the next run reads what was said', async () => {
    const threadId = newThread()
    const at = await scene(registerOf(), reads(12))
    const first = await begin(at.engine, readerAgent(wide), { threadId })
    expect(await outcomeOf(at.register, first)).toBe('completed')
    const last = at.requests.at(-1)?.prompt

    // The second run sums up what the first has read, and is rolled back in the turn behind that.
    at.plays((turn, { signal }) => (turn === 1 ? reads(1)(turn) : aborted(signal)))
    const second = await begin(at.engine, readerAgent(), { threadId })
    await eventOf(at.register, second, 'context.compacted')
    await until(async () =>
      at.requests.some((request) => turnOf(request) === 2 && isBehind(request)),
    )
    await at.engine.commands.cancel({ ...caller, runId: second, action: 'rollback' })
    expect(await outcomeOf(at.register, second)).toBe('rolled_back')

    at.plays(done)
    const next = await at.firstPrompt(() => begin(at.engine, asking, { threadId }))
    expect(head(next, last)).toEqual(last)
    expect(JSON.stringify(next)).not.toContain(summaryText)
    expect(next.length).toBe((last?.length ?? 0) + 2)
  })

  test('a run that is rolled back while it is summed up leaves nothing', async () => {
    const threadId = newThread()
    const begun = Promise.withResolvers<void>()
    const register = registerOf()
    const model = byTurn(reads(12), ({ signal }) => {
      begun.resolve()
      return aborted(signal)
    })
    const { engine } = world({
      model: counting(model, 1_000_000).model,
      tools: dumping(),
      register,
    })
    await engine.start()
    onTestFinished(() => engine.stop(1_000))
    const runId = await begin(engine, readerAgent(), { threadId })
    await begun.promise
    await engine.commands.cancel({ ...caller, runId, action: 'rollback' })
    expect(await outcomeOf(register, runId)).toBe('rolled_back')
    expect(await eventsOf(register, runId, 'context.compacted')).toEqual([])
  })

  test('a rerun hears the summaries before its run, and sums up anew what it does itself', async () => {
    const threadId = newThread()
    const at = await scene(registerOf(), reads(12))
    const first = await begin(at.engine, readerAgent(), { threadId })
    expect(await outcomeOf(at.register, first)).toBe('completed')
    const second = await begin(at.engine, readerAgent(), { threadId })
    expect(await outcomeOf(at.register, second)).toBe('completed')
    const own = await eventsOf(at.register, second, 'context.compacted')
    expect(own.length).toBeGreaterThan(0)
    const before = asked(at.requests, second)

    const answer = await at.engine.commands.rerun({
      ...caller,
      runId: second,
      threadId: newThread(),
      definition: null,
      metadata: {},
      alias: null,
    })
    if (answer.code !== 'created') throw new Error(answer.code)
    expect(await outcomeOf(at.register, answer.runId)).toBe('completed')
    // Byte for byte what the other was asked, and as many summaries, each asked for and paid.
    expect(asked(at.requests, answer.runId)).toEqual(before)
    const again = await eventsOf(at.register, answer.runId, 'context.compacted')
    expect(again).toHaveLength(own.length)
    for (const event of again) {
      const { effectId, usage } = payloadOf(factSchemas['context.compacted'], event)
      expect(effectId.startsWith(answer.runId)).toBe(true)
      expect(usage.inputTokens).toBeGreaterThan(10_000)
    }
    const firstText = [...(before.get('turn 1') ?? [])][0] ?? ''
    expect(firstText).toContain(summaryText)
  })

  test('a thread that goes on from before a summary of another thread reads what was said', async () => {
    const threadId = newThread()
    const at = await scene(registerOf(), reads(12))
    const first = await begin(at.engine, readerAgent(), { threadId })
    expect(await outcomeOf(at.register, first)).toBe('completed')
    const { seq } = await eventOf(at.register, first, 'context.compacted')
    at.plays(done)
    for (const [n, [base, isRaw]] of [[seq - 1, true] as const, [seq, false] as const].entries()) {
      const copy = { tenantId: caller.tenantId, threadId: `${threadId}-copy-${n}` }
      await at.register.ensureThread({
        ...copy,
        metadata: {},
        createdAt: 0,
        contentKey: '00'.repeat(32),
        origin: { runId: first, seq: base },
      })
      const prompt = await at.firstPrompt(() =>
        begin(at.engine, asking, { threadId: copy.threadId }),
      )
      expect(JSON.stringify(prompt).includes(resultNo(1))).toBe(isRaw)
      expect(JSON.stringify(prompt).includes(summaryText)).toBe(!isRaw)
    }
  })

  test('what was cleared stays so for a fork from behind the prune, and is read whole from before it', async () => {
    const threadId = newThread()
    const pruning = { ...roomy, context: { prune: { at: 0.3, keepTurns: 2 } } }
    const at = await scene(registerOf(), reads(9))
    const first = await begin(at.engine, readerAgent(pruning), { threadId })
    expect(await outcomeOf(at.register, first)).toBe('completed')
    const { seq } = await eventOf(at.register, first, 'context.pruned')
    at.plays(done)
    const shown = async (base: number) =>
      JSON.stringify(
        await at.firstPrompt(() =>
          begin(at.engine, asking, { threadId, base: { runId: first, seq: base } }),
        ),
      )
    // A decision and the events of it have one place: what it folds is before it.
    const { seq: decided } = (await at.register.events(first, {})).findLast(
      (event) => event.type === 'run.transitioned' && event.seq < seq,
    ) ?? { seq: 0 }
    const early = await shown(decided - 1)
    expect(early).toContain(resultNo(1))
    expect(early).not.toContain('was left out to save room')
    const late = await shown(seq)
    expect(late).not.toContain(resultNo(1))
    expect(late).toContain('was left out to save room')
  })
}
