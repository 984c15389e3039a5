/**
 * Threads of many short runs, and runs that begin in a long thread (context systems §4.1, §5.2): the marks hold for the first request of a run, too, of
 * which the state of the run knows nothing. Would catch: a chat that is summed up only where its window ends, a summary that is paid again with
 * every run though nothing comes of it, a run that fails because its summary did.
 */
import { factSchemas, type JsonObject, payloadOf, type Prompt } from '@signalbox/core'
import { systemClock } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { expect, onTestFinished, test } from 'vitest'
import {
  byTurn,
  dumping,
  eventsOf,
  readerAgent,
  reads,
  roomy,
  said,
  summaryText,
  wide,
} from './support/compacting.ts'
import { counting, isSummary, tokensIn } from './support/counting.ts'
import { begin, eventOf, outcomeOf } from './support/governed.ts'
import { agent, world } from './support/world.ts'

type Play = Parameters<typeof byTurn>

async function scene(play: Play[0], summary: Play[1], window = 32_000) {
  const register = createMemoryRegister(systemClock)
  const { model, requests } = counting(byTurn(play, summary), window)
  const { engine } = world({ model, tools: dumping(), register })
  await engine.start()
  onTestFinished(() => engine.stop(1_000))
  return { engine, register, requests }
}

const message = (n: number) => ({
  id: `u_${n}`,
  role: 'user' as const,
  parts: [{ type: 'text' as const, text: `question ${n}` }],
})

/** An answer of some 1,000 tokens. */
const answer = `answer ${'w'.repeat(4_000)}`
/** In a window of 32,000: its room is 25,600, and 2,560 of the newest conversation stay. */
const [mark, keep] = [20_480, 2_560]

const chatter = (compact: JsonObject = {}) => agent([], { ...roomy, context: { compact } })

/** Plays a chat of so many runs, each one answer. */
async function chat(
  { engine, register }: Pick<Awaited<ReturnType<typeof scene>>, 'engine' | 'register'>,
  definition: ReturnType<typeof chatter>,
  runs: number,
) {
  const threadId = `chat-${Math.random()}`
  const played: string[] = []
  for (let n = 0; n < runs; n += 1) {
    const runId = await begin(engine, definition, { threadId, input: [message(n)] })
    expect(await outcomeOf(register, runId)).toBe('completed')
    played.push(runId)
  }
  return played
}

test('a chat of short runs is summed up at its mark, before a request over it is paid', async () => {
  const at = await scene(
    () => answer,
    () => said(summaryText),
  )
  const runs = await chat(at, chatter(), 45)
  const turns = at.requests.filter((request) => !isSummary(request))
  expect(turns).toHaveLength(45)
  for (const request of turns) expect(tokensIn(request)).toBeLessThan(mark)
  const summaries = at.requests.filter(isSummary)
  expect(summaries.length).toBeGreaterThanOrEqual(2)
  expect(summaries.length).toBeLessThanOrEqual(4)
  const cuts = []
  for (const runId of runs) cuts.push(...(await eventsOf(at.register, runId, 'context.compacted')))
  expect(cuts.map(({ payload }) => payload['how'])).toEqual(summaries.map(() => 'shared'))
  const [first] = cuts
  const unsent = payloadOf(
    factSchemas['model.completed'],
    await eventOf(at.register, first?.runId ?? '', 'model.completed'),
  )
  expect(unsent.room).toMatchObject({ unsent: true, early: true, window: 32_000 })
})

/** The text of a prompt without the ids of messages: they differ from run to run, and providers are not sent them. */
const shown = (prompt: Prompt): string =>
  JSON.stringify(prompt, (name, value: unknown) => (name === 'id' ? undefined : value))

const empty = () => said('')

test('where nothing comes of it, the run goes on as if nobody had asked, and the next tries it once there is more', async () => {
  const at = await scene(() => answer, empty)
  await chat(at, chatter(), 30)
  const control = await scene(() => answer, empty)
  await chat(control, chatter({ maxPerRun: 0 }), 30)
  const turns = at.requests.filter((request) => !isSummary(request))
  expect(turns.map(({ prompt }) => shown(prompt))).toEqual(
    control.requests.map(({ prompt }) => shown(prompt)),
  )
  const asked = at.requests.flatMap((request, n) => {
    const next = at.requests[n + 1]
    return isSummary(request) && next ? [tokensIn(next)] : []
  })
  expect(asked.length).toBeGreaterThanOrEqual(2)
  for (const [n, tokens] of asked.slice(1).entries())
    expect(tokens).toBeGreaterThanOrEqual((asked[n] ?? 0) + keep)
})

test('a run that begins behind many results has them cleared first', async () => {
  let count = 38
  const at = await scene(
    (turn) => reads(count)(turn),
    () => said(summaryText),
    1_000_000,
  )
  const threadId = 'long'
  const first = await begin(at.engine, readerAgent(wide), { threadId })
  expect(await outcomeOf(at.register, first)).toBe('completed')
  count = 0
  const before = at.requests.length
  const large = { ...roomy, model: { ...roomy.model, contextWindow: 128_000 } }
  const second = await begin(at.engine, readerAgent(large), { threadId })
  expect(await outcomeOf(at.register, second)).toBe('completed')
  const sent = at.requests.slice(before)
  expect(sent).toHaveLength(1)
  const [pruned] = await eventsOf(at.register, second, 'context.pruned')
  expect(pruned?.payload).toMatchObject({ turn: 1 })
  // Four turns of 2,000 tokens stay whole, and lines for the others.
  for (const request of sent) expect(tokensIn(request)).toBeLessThan(15_000)
})

test('an agent that says nothing of its context is asked as before', async () => {
  const at = await scene(
    () => answer,
    () => said(summaryText),
  )
  const { model, limits, loop } = roomy
  const runs = await chat(at, agent([], { model, limits, loop }), 25)
  expect(at.requests).toHaveLength(25)
  for (const runId of runs)
    expect(await eventsOf(at.register, runId, 'model.completed')).toHaveLength(1)
})
