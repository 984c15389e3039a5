/**
 * The words of the log in the fact of a summary, folded from where the last one has left it. Would catch: an event that is told twice or not at
 * all, one from behind the place.
 */
import { createHash } from 'node:crypto'
import { createAppendix, exampleOf } from '@signalbox/core'
import { systemClock, type StoredEvent } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { expect, it } from 'vitest'
import { createPast } from '../src/perform/past.ts'
import { begin, outcomeOf } from './support/governed.ts'
import { agent, functionTools, toolSpec, turnModel, world } from './support/world.ts'

const failing = async () => {
  throw new Error('it broke')
}

/** The log of a run whose calls fail, so that each of them is in the appendix. */
async function failingRun(calls: number): Promise<readonly StoredEvent[]> {
  const register = createMemoryRegister(systemClock)
  const turns = Array.from({ length: calls }, (_, n) => [{ tool: 'look', args: { n } }])
  const tools = functionTools({ look: failing })
  const { engine } = world({ model: turnModel(turns), tools, register })
  await engine.start()
  const runId = await begin(engine, agent([toolSpec('look')], { loop: { enabled: false } }))
  await outcomeOf(register, runId)
  await engine.stop(1_000)
  return register.events(runId, {})
}

function appendixOf(events: readonly StoredEvent[]): string {
  const appendix = createAppendix()
  for (const event of events) appendix.take(event)
  return appendix.text()
}

/** The same, of all events up to the moment at once. */
function toldOf(events: readonly StoredEvent[], seq: number) {
  const range = events.filter((event) => event.seq <= seq)
  const runId = events[0]?.runId ?? ''
  return {
    appendix: appendixOf(range),
    sources: {
      from: { runId, seq: 1 },
      through: { runId, seq },
      events: range.length,
      digest: createHash('sha256')
        .update(range.map(({ hash }) => hash).join('\n'))
        .digest('hex'),
    },
  }
}

it('tells of the events up to a moment, whatever it has told before', async () => {
  const events = await failingRun(5)
  const runId = events[0]?.runId ?? ''
  const past = createPast()
  // While it grows; for the same place again; for one before it.
  for (const [known, seq] of [
    [12, 9],
    [20, 17],
    [events.length, 17],
    [events.length, events.length],
    [events.length, 13],
    [events.length, 25],
  ] as const)
    expect(past(events.slice(0, known), { runId, seq })).toEqual(toldOf(events, seq))
  expect(toldOf(events, events.length).appendix).toContain('look 4: tool_error')
})

it('tells nothing of a moment that is not in the conversation', async () => {
  const events = await failingRun(1)
  const through = { runId: 'another', seq: 4 }
  const { appendix, sources } = createPast()(events, through)
  expect([appendix, sources.events, sources.from]).toEqual(['', 0, through])
})

/** The log with a summary up to its event `through`, told right before its event `at`. */
function summedUp(
  events: readonly StoredEvent[],
  {
    through,
    at,
    appendix,
  }: { readonly through: number; readonly at: number; readonly appendix: string },
): readonly StoredEvent[] {
  const [first] = events
  if (!first) throw new Error('there is no event')
  const { runId } = first
  const payload = {
    ...exampleOf('context.compacted'),
    through: { runId, seq: through },
    keep: { runId, seq: through + 1 },
    appendix,
  }
  const summary = { ...first, seq: at, type: 'context.compacted', version: 1, payload }
  const moved = events.map((event) => (event.seq < at ? event : { ...event, seq: event.seq + 1 }))
  return [...moved.slice(0, at - 1), summary, ...moved.slice(at - 1)]
}

it('tells the same of a conversation that was read whole, and of one that was read from its newest summary on', async () => {
  const told = 'Calls that failed:\n- look 90: tool_error'
  const before = await failingRun(3)
  const run = await failingRun(5)
  const events = summedUp(run, { through: 14, at: 18, appendix: told })
  const through = { runId: run[0]?.runId ?? '', seq: events.length }
  const whole = createPast()([...before, ...events], through)
  expect(createPast()(events, through)).toEqual(whole)
  // While it grows, too.
  const growing = createPast()
  for (const count of [5, 17, 18, 19, 25, events.length])
    growing([...before, ...events.slice(0, count)], { ...through, seq: count })
  expect(growing([...before, ...events], through)).toEqual(whole)
  const later = createAppendix(told)
  for (const event of events.slice(14)) later.take(event)
  expect(whole.appendix).toBe(later.text())
  expect(whole.sources).toMatchObject({
    from: { runId: through.runId, seq: 15 },
    events: events.length - 14,
  })
})

it('a summary whose place is before the one of another says nothing', async () => {
  const run = await failingRun(5)
  const once = summedUp(run, { through: 14, at: 18, appendix: 'Calls that failed:\n- new' })
  const twice = summedUp(once, { through: 6, at: 22, appendix: 'Calls that failed:\n- old' })
  const { appendix } = createPast()(twice, { runId: run[0]?.runId ?? '', seq: twice.length })
  expect(appendix).toContain('- new')
  expect(appendix).not.toContain('- old')
})
