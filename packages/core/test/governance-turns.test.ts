/**
 * The acceptance table of agent governance, the rows of pairing, errors, retries, budgets and ends: one test per numbered behaviour that the core decides, named
 * after its row. Defaults are the table's: what a test does not set is as an agent has it that configures nothing.
 */
import { describe, expect, test } from 'vitest'
import { agentWith, type Patch } from './support/agent.ts'
import {
  admitted,
  answers,
  asks,
  completes,
  created,
  cut,
  fails,
  overloaded,
  says,
  saysNothing,
  type Move,
} from './support/facts.ts'
import { approves } from './support/permissions.ts'
import { answered, asked, completed, said, text } from './support/log.ts'
import { promptOf } from './support/prompt.ts'
import { given, type Story } from './support/story.ts'

const started = (patch: Patch = {}) => given(agentWith(patch), created, admitted)
const typesOf = (story: Story): readonly string[] => story.verdicts.map(({ type }) => type)
const next = said(['and now?'])

describe('Dangling calls', () => {
  const lost = [asked('a'), asked('b')]

  test('Dangling calls: 1) each call has exactly one result, adjacent, in order', () => {
    const events = [said(['x']), answered('m1', lost), completed('b'), completed('b'), next]
    expect(promptOf(events)).toEqual([
      'user: x',
      'assistant: tool_call a|tool_call b',
      'error a search: Error: this call has no result; the run ended before it settled.',
      'result b search: result of b',
      'user: and now?',
    ])
  })

  test('Dangling calls: 2) orphans dropped, reused ids in order', () => {
    const orphan = [said(['x']), completed('z'), answered('m1', [text('hi')]), next]
    expect(promptOf(orphan)).toEqual(['user: x', 'assistant: hi', 'user: and now?'])
    const reused = [said(['x']), answered('m1', [asked('a'), asked('a')]), completed('a'), next]
    expect(promptOf(reused).slice(1, 4)).toEqual([
      'assistant: tool_call a|tool_call a_2',
      'result a search: result of a',
      'result a_2 search: result of a',
    ])
  })

  test('Dangling calls: 3) stored history unchanged', () => {
    const events = [said(['x']), answered('m1', lost), completed('b'), next]
    const before = structuredClone(events)
    expect(promptOf(events)).toEqual(promptOf(events))
    expect(events).toEqual(before)
  })
})

test('Tool errors: 1) exception → error result ≤500 detail, siblings complete', () => {
  const story = started()
    .and(asks('search:a', 'search:b'))
    .and(fails(0, 'x'.repeat(9_000)))
    .and(completes(1))
  expect(story.state.name).toBe('model')
  expect(story.prompt().slice(2)).toEqual([
    `error c_0123456789ab_1_0 search: Error: the tool failed (e). ${'x'.repeat(500)}…`,
    'result c_0123456789ab_1_1 search: result 1',
  ])
})

describe('LLM retry', () => {
  const busy = answers(overloaded())

  test('LLM retry: 1) 503,503,ok → 3 calls, success, 2 model.retried', () => {
    const story = started().and(busy).and(busy).and(says('at last'))
    expect(story.decision.outcome).toBe('completed')
    expect(typesOf(story)).toEqual(['model.retried', 'model.retried'])
    expect(story.state.context.effects).toBe(3)
    expect(story.prompt(next)[1]).toBe('assistant: at last')
  })

  test('LLM retry: 2) Retry-After obeyed', () => {
    const story = started().and(answers(overloaded({ retryAfterMs: 45_000 })))
    expect(story.decision.effects).toMatchObject([{ delayMs: 45_000 }])
  })

  test.each(['quota', 'auth'] as const)(
    'LLM retry: 3) %s → 1 call, visible fallback, run error',
    (error) => {
      const story = started().and(answers(overloaded({ class: error, retryable: false })))
      expect(story.decision).toMatchObject({ outcome: 'failed', effects: [] })
      expect(story.state.context.effects).toBe(1)
      expect(story.prompt(next)[1]).toMatch(/\[The provider ended this answer with an error\.\]$/)
    },
  )
})

const used =
  (inputTokens: number, ...calls: readonly string[]): Move =>
  (known) => {
    const fact = asks(...calls)(known)
    if (fact.type !== 'model.completed') return fact
    const turn = { ...fact.payload.turn, usage: { inputTokens } }
    return { ...fact, payload: { ...fact.payload, turn } }
  }

describe('Token budget', () => {
  const limits = { maxTokens: 100 }
  test('Token budget: 1) warn once at 80 %', () => {
    const story = started({ limits }).and(used(80, 'search:a')).and(completes(0))
    expect(typesOf(story)).toEqual(['budget.warned'])
    expect(story.prompt().at(-1)).toMatch(/^user: .*80 of 100 tokens/)
    expect(typesOf(story.and(used(5, 'search:b')).and(completes(0)))).toEqual(['budget.warned'])
  })

  test('Token budget: 2) 100 % → forced final, budget_exhausted', () => {
    const story = started({ limits }).and(used(100, 'search:a')).and(completes(0))
    expect(story.decision).toMatchObject({ outcome: 'budget_exhausted', effects: [] })
    expect(story.decision.verdicts[0]).toMatchObject({ verdict: 'tokens' })
    expect(story.prompt(next).at(-2)).toMatch(/^assistant: \[BUDGET EXHAUSTED\].*100 of 100 tokens/)
  })
})

describe('Terminal/length', () => {
  test('Terminal/length: 1) empty final after tools → 1 retry, then error', () => {
    const story = started().and(asks('pay')).and(approves(0, 'pay')).and(completes(0))
    const again = story.and(saysNothing())
    expect(again.decision.effects).toMatchObject([{ kind: 'model.call', turn: 2, retry: 1 }])
    const ended = again.and(saysNothing())
    expect(ended.decision).toMatchObject({ outcome: 'failed', effects: [] })
    expect(ended.prompt(next).at(-2)).toBe('assistant: [The model gave no answer.]')
  })

  test('Terminal/length: 2) length + text → length_stopped', () => {
    const story = started().and(says('As long as', cut('length', 0)))
    expect(story.decision).toMatchObject({ outcome: 'length_stopped', effects: [] })
    expect(story.prompt(next)[1]).toMatch(/^assistant: As long as\|/)
  })
})
