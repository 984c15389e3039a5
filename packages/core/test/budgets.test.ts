/** Budgets: a word before they are used up, an end when they are. */
import { describe, expect, test } from 'vitest'
import { agentWith, modelNamed, type Patch } from './support/agent.ts'
import {
  admitted,
  answers,
  asks,
  completes,
  created,
  fires,
  overloaded,
  type Move,
  turnOf,
} from './support/facts.ts'
import { said } from './support/log.ts'
import { given, type Story } from './support/story.ts'

const started = (limits: Patch['limits'], patch: Patch = {}) =>
  given(agentWith({ ...patch, limits: limits ?? {} }), created, admitted)

/** Asks for calls with an answer that used this many tokens. */
const using =
  (inputTokens: number, ...calls: readonly string[]): Move =>
  (known) => {
    const fact = asks(...calls)(known)
    if (fact.type !== 'model.completed') return fact
    const turn = { ...turnOf(known), ...fact.payload.turn, usage: { inputTokens } }
    return { ...fact, payload: { ...fact.payload, turn } }
  }

const budgetsOf = (story: Story): readonly unknown[] =>
  story.verdicts.flatMap(({ type, verdict }) => (type === 'budget.warned' ? [verdict] : []))

describe('a warning', () => {
  test('comes at the share, in the next request, last, once', () => {
    const story = started({ maxTokens: 100 })
      .and(using(80, 'search:a'))
      .when(completes(0))
      .gives({
        state: 'model',
        effects: ['3 model.call'],
        verdicts: ['budget.warned tokens'],
      })
    expect(story.decision.verdicts[0]?.payload).toEqual({
      budget: 'tokens',
      used: 80,
      limit: 100,
      text: '[BUDGET] You have used 80 of 100 tokens. Finish with what you have.',
    })
    expect(story.prompt().at(-1)).toMatch(/^user: \[BUDGET\]/)
    const next = story.and(using(1, 'search:b')).and(completes(0))
    expect(budgetsOf(next)).toEqual(['tokens'])
    expect(next.prompt().join('\n')).not.toContain('[BUDGET]')
  })

  test('one token less, and it does not', () => {
    started({ maxTokens: 100 })
      .and(using(79, 'search'))
      .when(completes(0))
      .gives({ state: 'model', effects: ['3 model.call'] })
  })

  test('is read by every attempt of that turn, and in no later run', () => {
    const warned = started({ maxTokens: 100 }).and(using(80, 'search')).and(completes(0))
    expect(warned.and(answers(overloaded())).prompt().at(-1)).toMatch(/^user: \[BUDGET\]/)
    expect(warned.prompt(said(['next'])).join('\n')).not.toContain('[BUDGET]')
  })

  test('one for each budget: turns, calls, money and time', () => {
    const priced = { model: { price: { inputPerMTok: 10, outputPerMTok: 0 } } }
    const limits = { maxTurns: 2, maxToolCalls: 2, maxCost: 0.001, timeoutMs: 1_000, warnAt: 0.5 }
    const story = started(limits, priced).and(using(60, 'search')).after(500).and(completes(0))
    expect(budgetsOf(story)).toEqual(['turns', 'calls', 'time', 'money'])
    expect(story.prompt().at(-1)?.split('\n\n')).toEqual([
      'user: [BUDGET] You have used 1 of 2 turns. Finish with what you have.',
      '[BUDGET] You have used 1 of 2 tool calls. Finish with what you have.',
      '[BUDGET] You have used 500 of 1000 milliseconds. Finish with what you have.',
      '[BUDGET] You have used 600 of 1000 millionths of the currency unit. Finish with what you have.',
    ])
  })

  test('at most four reminders are read: the newest', () => {
    const priced = { model: { price: { inputPerMTok: 10, outputPerMTok: 0 } } }
    const limits = { maxTurns: 2, maxToolCalls: 2, maxCost: 0.001, maxTokens: 100, warnAt: 0.5 }
    const story = started(limits, { ...priced, loop: { warnThreshold: 1, hardLimit: 2 } })
      .and(using(60, 'search'))
      .and(completes(0))
    const read = story.prompt().at(-1)?.split('\n\n') ?? []
    expect(read).toHaveLength(4)
    expect(read.join()).not.toContain('[LOOP')
  })

  test('a share of all of it never warns: at the limit the run ends', () => {
    const story = started({ maxTokens: 100, warnAt: 1 }).and(using(99, 'search')).and(completes(0))
    expect(budgetsOf(story)).toEqual([])
  })
})

describe('money', () => {
  const price = { inputPerMTok: 2, outputPerMTok: 8, cachedInputPerMTok: 0.5 }

  test.each([
    ['input and output', { inputTokens: 100, outputTokens: 50 }, 600],
    ['cached input is cheaper', { inputTokens: 100, cachedInputTokens: 40 }, 140],
    ['more cached than input is not believed', { inputTokens: 10, cachedInputTokens: 40 }, 5],
    ['nothing counted costs nothing', {}, 0],
    ['a part of a millionth is one', { inputTokens: 1, cachedInputTokens: 1 }, 1],
  ])('%s', (_, usage, cost) => {
    const story = started({}, { model: { price } }).and(answers({ usage }))
    expect(story.state.context.cost).toBe(cost)
  })

  const written = { ...price, cacheWritePerMTok: 3 }

  test.each([
    ['input that is written to a cache', { inputTokens: 100, cacheWriteTokens: 40 }, 240],
    [
      'read, written and new input, each once',
      { inputTokens: 100, cachedInputTokens: 30, cacheWriteTokens: 50 },
      205,
    ],
    ['more written than input is not believed', { inputTokens: 10, cacheWriteTokens: 40 }, 30],
    [
      'nor more than was not read',
      { inputTokens: 10, cachedInputTokens: 8, cacheWriteTokens: 8 },
      10,
    ],
  ])('§19 cache 2: %s', (_, usage, cost) => {
    const story = started({}, { model: { price: written } }).and(answers({ usage }))
    expect(story.state.context.cost).toBe(cost)
  })

  test('§19 cache 2: without a price for writes they cost what other input costs', () => {
    const usage = { inputTokens: 100, cachedInputTokens: 40, cacheWriteTokens: 60 }
    const story = started({}, { model: { price } }).and(answers({ usage }))
    expect(story.state.context.cost).toBe(140)
  })

  test('without a price for cached input it costs what other input costs', () => {
    const plain = { inputPerMTok: 2, outputPerMTok: 8 }
    const usage = { inputTokens: 100, cachedInputTokens: 40 }
    const story = started({}, { model: { price: plain } }).and(answers({ usage }))
    expect(story.state.context.cost).toBe(200)
  })

  test('each model has its own price; without one a call costs nothing', () => {
    const fallbackModels = [{ ...modelNamed('b'), price: { inputPerMTok: 100, outputPerMTok: 0 } }]
    const usage = { inputTokens: 1, outputTokens: 0 }
    const story = started({}, { fallbackModels })
      .and(answers({ ...overloaded({ class: 'quota', retryable: false }), usage }))
      .and(answers({ usage }))
    expect(story.state.context.cost).toBe(100)
  })

  test('used up: no further turn, and the answer says why', () => {
    const story = started({ maxCost: 0.0006 }, { model: { price } })
      .and(using(300, 'search'))
      .when(completes(0))
      .gives({
        state: 'completed',
        outcome: 'budget_exhausted',
        verdicts: ['budget.exhausted money'],
        timeout: 'cleared',
      })
    expect(story.prompt(said(['so?'])).at(-2)).toBe(
      'assistant: [BUDGET EXHAUSTED] The run was stopped: it has used 600 of 600 millionths of the currency unit.',
    )
  })
})

test('calls beyond the limit: their message says why in their place, under its own id', () => {
  const story = started({ maxToolCalls: 1, warnAt: 1 }).and(asks('search', 'write'))
  expect(story.decision.outcome).toBe('budget_exhausted')
  const prompt = story.prompt(said(['so?']))
  expect(prompt).toHaveLength(3)
  expect(prompt[1]).toMatch(/^assistant: \[BUDGET EXHAUSTED\]/)
})

test('time ends a run by its timer, and never by a budget of its own', () => {
  const story = started({ timeoutMs: 1_000 }).and(asks('search')).after(5_000).and(completes(0))
  expect(story.state.name).toBe('model')
  expect(story.and(fires()).state.name).toBe('cancelling')
})
