/**
 * Instructions of skills in the conversation, in memory (context-systems §5.5, §9, §19 skills). Would catch: a long skill of which the model reads head
 * and tail, one that is summed up and so forgotten, one that is told twice, and a summary that grows with skills until it gains nothing.
 */
import {
  catalogueOf,
  decisionSchemas,
  factSchemas,
  type JsonObject,
  payloadOf,
  type Prompt,
} from '@signalbox/core'
import { type ModelRequest, systemClock } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { describe, expect, onTestFinished, test } from 'vitest'
import { byTurn, dump, eventsOf, wide } from './support/compacting.ts'
import { counting, isSummary, tokensIn } from './support/counting.ts'
import { begin, eventOf, outcomeOf } from './support/governed.ts'
import { skilledReader, skilledTools } from './support/skills.ts'
import { type Turn, until, world } from './support/world.ts'

const load = (name: string) => ({ tool: 'load_skill', args: { name } })

/** Plays these turns, and reads until the turn `last`. */
const reading =
  (last: number, ...first: readonly Turn[]) =>
  (turn: number): Turn =>
    first[turn - 1] ?? (turn < last ? dump(turn) : 'done')

const user = (text: string) => ({
  id: `u_${Math.random()}`,
  role: 'user' as const,
  parts: [{ type: 'text' as const, text }],
})

/** Lines of which each is another one, so that a text is found whole or not at all. */
const lines = (count: number): string =>
  Array.from({ length: count }, (_, n) => `${n}. Do step ${n}.`).join('\n')

/** All texts of a prompt: words and results. */
const textsIn = (prompt: Prompt): readonly string[] =>
  prompt.flatMap((message): readonly string[] => {
    if (message.role === 'system') return []
    if (message.role === 'tool')
      return message.results.flatMap(({ output }) => partsText(output.content))
    return message.role === 'user' ? partsText(message.parts) : []
  })

const partsText = (parts: readonly { type: string; text?: string; preview?: string }[]) =>
  parts.map(({ text, preview }) => text ?? preview ?? '')

const times = (request: ModelRequest | undefined, words: string): number =>
  textsIn(request?.prompt ?? [])
    .join('\n')
    .split(words).length - 1

/** A process with skills, and the turns that its model plays. */
async function scene(
  bodies: Readonly<Record<string, string>>,
  play: (turn: number) => Turn,
  more: JsonObject = {},
) {
  const register = createMemoryRegister(systemClock)
  const { definition, own } = await skilledReader(bodies, more)
  const { model, requests } = counting(byTurn(play), definition.model.contextWindow ?? 0)
  const { engine } = world({ model, tools: skilledTools(), register, skills: own })
  await engine.start()
  onTestFinished(() => engine.stop(1_000))
  const threadId = 'thread'
  const run = async (text: string | null) => {
    const asked = text === null ? { input: [], compact: {} } : { input: [user(text)] }
    const runId = await begin(engine, definition, { threadId, ...asked })
    expect(await outcomeOf(register, runId)).toBe('completed')
    return runId
  }
  const keptIn = async (runId: string) =>
    (await eventsOf(register, runId, 'context.compacted')).map((event) =>
      (payloadOf(factSchemas['context.compacted'], event).skills ?? []).map(({ name }) => name),
    )
  return { register, requests, definition, run, keptIn }
}

describe('a skill that is longer than a result may be', () => {
  const body = lines(3_000)

  test('is read whole by whoever loads it, and by whoever a user named it for', async () => {
    expect(body.length).toBeGreaterThan(48_000)
    expect(Buffer.byteLength(body)).toBeLessThan(64 * 1024)
    const at = await scene({ pdf: body }, reading(0, [load('pdf')]), wide)
    await at.run('Go.')
    const whole = textsIn(at.requests[1]?.prompt ?? []).join('\n')
    expect(whole).toContain(`<skill name="pdf">\n${body}\n</skill>`)
    await at.run('/pdf go')
    // Once in the run before, and once in this one.
    expect(times(at.requests[2], `<skill name="pdf">\n${body}\n</skill>`)).toBe(2)
    // In the same run it is loaded already.
    expect(textsIn(at.requests[3]?.prompt ?? []).at(-1)).toContain('is already loaded')
  })
})

describe('§5.5 a summary', () => {
  const body = 'Always write `x <= y`.\nNever guess.'

  test('of the turns that loaded skills leaves their instructions as they were, however often it happens', async () => {
    const play = reading(32, [load('pdf')], [load('csv')])
    const at = await scene({ pdf: body, csv: 'Mind the quotes.', other: 'Not loaded.' }, play)
    const runId = await at.run('Go.')
    const kept = await at.keptIn(runId)
    expect(kept.length).toBeGreaterThan(2)
    expect(new Set(kept.map((names) => names.join()))).toEqual(new Set(['pdf,csv']))
    const turns = at.requests.filter((request) => !isSummary(request))
    for (const request of turns.slice(2)) {
      expect(times(request, `<skill name="pdf">\n${body}\n</skill>`)).toBe(1)
      expect(times(request, '<skill name="csv">\nMind the quotes.\n</skill>')).toBe(1)
      expect(times(request, 'Not loaded.')).toBe(0)
      expect(tokensIn(request)).toBeLessThanOrEqual(32_000)
    }
    expect(await eventsOf(at.register, runId, 'skill.activated')).toHaveLength(2)
    // The catalogue is where it was in every request, also of those for the summaries.
    const catalogue = catalogueOf(at.definition)
    const begins = at.requests.map(({ prompt }) => textsIn(prompt)[0])
    expect(new Set(begins)).toEqual(new Set([catalogue]))
  })

  test('keeps words that name a skill with its instructions, and says them once', async () => {
    const play = reading(14)
    const at = await scene({ pdf: body }, play)
    const runId = await at.run('/pdf read all of it')
    const kept = await at.keptIn(runId)
    expect(kept.length).toBeGreaterThan(0)
    expect(kept.flat()).toEqual([])
    for (const request of at.requests) expect(times(request, `<skill name="pdf">\n${body}`)).toBe(1)
  })

  test('by hand leaves those of the run before', async () => {
    const play = reading(5, [load('pdf')])
    const at = await scene({ pdf: body }, play)
    await at.run('Go.')
    const byHand = await at.run(null)
    expect(await at.keptIn(byHand)).toEqual([['pdf']])
    const before = at.requests.length
    await at.run('And now?')
    expect(times(at.requests[before], body)).toBe(1)
  })

  test('has the newest eight of them, within their tokens: a long one has its beginning', async () => {
    const names = Array.from({ length: 10 }, (_, n) => `s${n}`)
    const bodies = Object.fromEntries(names.map((name) => [name, `How to ${name}.`]))
    const play = reading(16, names.slice(0, 5).map(load), [...names.slice(5), 'long'].map(load))
    const at = await scene({ ...bodies, long: lines(1_400) }, play)
    const runId = await at.run('Go.')
    const [kept] = await at.keptIn(runId)
    expect(kept).toEqual([...names.slice(3), 'long'])
    const next = at.requests[at.requests.findIndex(isSummary) + 1]
    const shown = textsIn(next?.prompt ?? []).find((text) => text.includes('0. Do step 0.'))
    expect(shown).toContain('It stands in skills/long/SKILL.md]\n</skill>')
    // §9: 5,000 tokens of each. Four bytes are a token here.
    expect(Buffer.byteLength(shown ?? '')).toBeLessThan(5_000 * 4)
    expect(Buffer.byteLength(shown ?? '')).toBeGreaterThan(3_000 * 4)
    const { tokens } = payloadOf(
      factSchemas['context.compacted'],
      await eventOf(at.register, runId, 'context.compacted'),
    )
    const real = next ? tokensIn(next) : 0
    expect(tokens.after).toBeGreaterThan(real * 0.9)
    expect(tokens.after).toBeLessThan(real * 1.25)
  })
})

describe('a skill whose files are gone', () => {
  test('is a failure that the model reads', async () => {
    const register = createMemoryRegister(systemClock)
    const { definition, own } = await skilledReader({ pdf: 'x' })
    const play = reading(0, [load('pdf')])
    const { model, requests } = counting(byTurn(play), 32_000)
    const first = world({ model, tools: skilledTools(), register, skills: own, roles: [] })
    const runId = await begin(first.engine, definition)
    register.tables.blobs.clear()
    const { engine } = world({ model, tools: skilledTools(), register })
    await engine.start()
    onTestFinished(() => engine.stop(1_000))
    expect(await outcomeOf(register, runId)).toBe('completed')
    expect(textsIn(requests[1]?.prompt ?? []).at(-1)).toContain(
      'The files of the skill "pdf" are not there any more.',
    )
    expect(await eventsOf(register, runId, 'skill.activated')).toEqual([])
  })

  test('refuses a run that no process has them for', async () => {
    const register = createMemoryRegister(systemClock)
    const { definition } = await skilledReader({ pdf: 'x' })
    const { engine } = world({ model: byTurn(() => 'done'), tools: skilledTools(), register })
    await expect(begin(engine, definition)).rejects.toThrow('are not stored')
    expect(register.tables.runs.size).toBe(0)
  })
})

test('each of two calls in one turn for a skill is answered, and the skill is loaded once', async () => {
  const play = reading(0, [load('pdf'), load('pdf')])
  const at = await scene({ pdf: 'x' }, play)
  const runId = await at.run('Go.')
  const told = await until(async () => {
    const all = await eventsOf(at.register, runId, 'skill.activated')
    return all.length > 0 ? all : null
  })
  expect(told.map((event) => payloadOf(decisionSchemas['skill.activated'], event).name)).toEqual([
    'pdf',
  ])
})
