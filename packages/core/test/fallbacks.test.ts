/** Other models: asked in their order when the one before will not serve us, never after a safety stop. */
import { describe, expect, test } from 'vitest'
import type { ModelErrorClass } from '../src/index.ts'
import { agentWith, modelNamed } from './support/agent.ts'
import {
  admitted,
  answers,
  asks,
  completes,
  created,
  cut,
  overloaded,
  tripped,
} from './support/facts.ts'
import { given } from './support/story.ts'

const fallbackModels = [modelNamed('b'), modelNamed('c')]
const started = (max = 1) =>
  given(agentWith({ fallbackModels, modelRetries: { max, baseMs: 100 } }), created, admitted)
const busy = answers(overloaded())
const failed = (error: ModelErrorClass, retryable = false) =>
  answers(overloaded({ class: error, retryable }))

test('when the retries of one are used up the next is asked, at once, with retries of its own', () => {
  const story = started()
    .and(busy)
    .when(busy)
    .gives({
      state: 'model',
      path: ['model', 'safety', 'model'],
      effects: ['3 model.call'],
      verdicts: ['model.replaced overloaded'],
    })
  expect(story.decision.verdicts[0]?.payload).toEqual({
    turn: 1,
    from: 'm',
    to: 'b',
    class: 'overloaded',
    message: 'busy',
  })
  expect(story.decision.effects).toMatchObject([
    { model: 1, turn: 1, retry: 2, messageId: 'm_0123456789ab_1' },
  ])
  story
    .when(busy)
    .gives({
      state: 'model',
      effects: ['4 model.call after 100'],
      verdicts: ['model.retried overloaded'],
    })
    .when(busy)
    .gives({ state: 'model', effects: ['5 model.call'], verdicts: ['model.replaced overloaded'] })
    .and(busy)
    .when(busy)
    .gives({ state: 'failed', outcome: 'failed', verdicts: ['turn.cut error'], timeout: 'cleared' })
})

test.each(['quota', 'auth', 'circuit_open', 'context_overflow', 'tool_use_failed'] as const)(
  '%s: the next is asked without a retry',
  (error) => {
    started()
      .when(failed(error))
      .gives({ state: 'model', effects: ['2 model.call'], verdicts: [`model.replaced ${error}`] })
  },
)

test.each(['safety', 'invalid_request', 'unknown'] as const)('%s: no other is asked', (error) => {
  started()
    .when(failed(error))
    .gives({ state: 'failed', outcome: 'failed', verdicts: ['turn.cut error'], timeout: 'cleared' })
})

test.each(['safety', 'refusal', 'unknown_terminal'] as const)(
  'a turn that ended with %s is asked of no other model',
  (verdict) => {
    const story = started().and(answers(cut(verdict)))
    expect(story.decision.status).toBe('ended')
    expect(story.decision.effects).toEqual([])
  },
)

test('a stream that broke for good is asked of the next', () => {
  started(0)
    .when(answers(cut('interrupted', 0)))
    .gives({ state: 'model', effects: ['2 model.call'], verdicts: ['model.replaced network'] })
})

test('calls that the lost attempt had begun are recorded', () => {
  started(0)
    .when(answers(cut('interrupted', 2)))
    .gives({
      state: 'model',
      effects: ['2 model.call'],
      verdicts: ['turn.cut interrupted', 'model.replaced network'],
    })
})

test('a model that was replaced stays replaced for the rest of the run', () => {
  const story = started().and(failed('quota')).and(asks('search')).and(completes(0))
  expect(story.decision.effects).toMatchObject([{ kind: 'model.call', model: 1, retry: 0 }])
})

test('a correction is asked of the model at hand, and begins its retries anew', () => {
  const story = started().and(failed('quota')).and(busy).and(answers(tripped()))
  expect(story.decision.effects).toMatchObject([{ model: 1, correction: 1, delayMs: 0 }])
  story.when(busy).gives({
    state: 'model',
    effects: ['5 model.call after 100'],
    verdicts: ['model.retried overloaded'],
  })
})

const small = (limits: { maxTokens?: number; maxCost?: number }, patch = {}) =>
  given(
    agentWith({
      fallbackModels,
      model: { price: { inputPerMTok: 1, outputPerMTok: 1 } },
      limits,
      ...patch,
    }),
    created,
    admitted,
  )

describe('a budget that is used up by the failed attempt', () => {
  const usage = { inputTokens: 90, outputTokens: 10 }
  const ended = {
    state: 'completed',
    path: ['model', 'safety', 'completed'],
    outcome: 'budget_exhausted',
    timeout: 'cleared',
  } as const

  test('no retry: the answer says why', () => {
    const story = small({ maxTokens: 100 })
      .when(answers({ ...overloaded(), usage }))
      .gives({ ...ended, verdicts: ['turn.cut error', 'budget.exhausted tokens'] })
    expect(story.decision.verdicts[1]?.payload).toMatchObject({
      used: 100,
      limit: 100,
      messageId: 'm_0123456789ab_1',
      text: expect.stringContaining('[BUDGET EXHAUSTED]'),
    })
  })

  test('no fallback', () => {
    small({ maxCost: 0.0001 })
      .when(answers({ ...overloaded({ class: 'quota', retryable: false }), usage }))
      .gives({ ...ended, verdicts: ['turn.cut error', 'budget.exhausted money'] })
  })

  test('no correction', () => {
    small({ maxTokens: 100 })
      .when(answers({ ...tripped(), usage }))
      .gives({ ...ended, verdicts: ['guardrail.stopped g', 'budget.exhausted tokens'] })
  })

  test('one token less, and the retry is made; turns do not count against it', () => {
    small({ maxTokens: 101 }, { limits: { maxTokens: 101, maxTurns: 1 } })
      .when(answers({ ...overloaded(), usage }))
      .gives({
        state: 'model',
        effects: ['2 model.call after 1000'],
        verdicts: ['model.retried overloaded'],
      })
  })
})
