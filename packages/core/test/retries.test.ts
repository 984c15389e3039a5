/** Model calls that are made again: when, how often, how late, and what the log says of the attempt before. */
import { expect, test } from 'vitest'
import { agentWith } from './support/agent.ts'
import { admitted, answers, asks, completes, created, cut, overloaded } from './support/facts.ts'
import { given } from './support/story.ts'

const started = (modelRetries: { max?: number; baseMs?: number; capMs?: number } = {}) =>
  given(agentWith({ modelRetries }), created, admitted)

test.each([
  // Decorrelated jitter: from the base to three times the last wait, within the cap; the chance is in the fact.
  ['no chance', [undefined, undefined, undefined], [100, 100, 100]],
  ['the least', [0, 0, 0], [100, 100, 100]],
  ['the most', [1, 1, 1], [100, 300, 350]],
  ['half way', [0.5, 0.5, 0.5], [100, 200, 225]],
  ['most, then least, then most', [1, 0, 1], [100, 100, 300]],
])('the wait before a retry: %s', (_, chances, waits) => {
  let story = started({ max: 4, baseMs: 100, capMs: 350 })
  for (const [n, chance] of chances.entries())
    story = story.when(answers(overloaded(), chance === undefined ? {} : { chance })).gives({
      state: 'model',
      path: ['model', 'safety', 'model'],
      effects: [`${n + 2} model.call after ${waits[n]}`],
      verdicts: ['model.retried overloaded'],
    })
})

test('a base beyond the cap waits the cap', () => {
  const story = started({ baseMs: 500, capMs: 200 }).and(answers(overloaded(), { chance: 1 }))
  expect(story.decision.effects).toMatchObject([{ delayMs: 200 }])
})

test('what the provider asks us to wait is waited, even beyond the cap', () => {
  started({ max: 2, baseMs: 100, capMs: 350 })
    .when(answers(overloaded({ retryAfterMs: 9_000 })))
    .gives({
      state: 'model',
      effects: ['2 model.call after 9000'],
      verdicts: ['model.retried overloaded'],
    })
    .when(answers(overloaded({ retryAfterMs: 50 }), { chance: 1 }))
    .gives({
      state: 'model',
      effects: ['3 model.call after 350'],
      verdicts: ['model.retried overloaded'],
    })
})

test('a retry writes the same message under an effect of its own', () => {
  const story = started().and(answers(overloaded()))
  expect(story.decision.effects).toMatchObject([
    { turn: 1, retry: 1, messageId: 'm_0123456789ab_1', id: expect.stringMatching(/\.2$/) },
  ])
})

test('the count of retries begins anew in each turn', () => {
  started({ max: 1, baseMs: 100 })
    .and(answers(overloaded()))
    .and(asks('search'))
    .and(completes(0))
    .when(answers(overloaded()))
    .gives({
      state: 'model',
      effects: ['5 model.call after 100'],
      verdicts: ['model.retried overloaded'],
    })
    .when(answers(overloaded()))
    .gives({ state: 'failed', outcome: 'failed', verdicts: ['turn.cut error'], timeout: 'cleared' })
})

test('calls that a retried attempt had begun are recorded as suppressed', () => {
  const story = started()
    .when(answers(cut('interrupted', 3)))
    .gives({
      state: 'model',
      effects: ['2 model.call after 1000'],
      verdicts: ['turn.cut interrupted', 'model.retried network'],
    })
  expect(story.decision.verdicts[0]?.payload).toMatchObject({
    turn: 1,
    calls: [{ name: 'write' }, { name: 'write' }, { name: 'write' }],
  })
})

test.each(['safety', 'refusal', 'length', 'unknown_terminal'] as const)(
  'a turn that ended with %s is never asked for again',
  (verdict) => {
    const story = started().and(answers(cut(verdict)))
    expect(story.decision.status).toBe('ended')
    expect(story.decision.effects).toEqual([])
  },
)

test('an interruption whose cause will not go away is not retried', () => {
  const { error } = overloaded({ retryable: false })
  started()
    .when(answers({ ...cut('interrupted', 0), error }))
    .gives({
      state: 'failed',
      outcome: 'interrupted',
      verdicts: ['turn.cut interrupted'],
      timeout: 'cleared',
    })
})

test('without retries the first failure is the last', () => {
  started({ max: 0 })
    .when(answers(overloaded()))
    .gives({ state: 'failed', outcome: 'failed', verdicts: ['turn.cut error'], timeout: 'cleared' })
})

test.each(['limit_burst_rate', 'Throttling.BurstRate'])(
  'after a burst (%s) the model is asked once more, however many retries there are',
  (code) => {
    const error = overloaded({ class: 'rate_limit', code, retryAfterMs: 5_000 })
    started({ max: 4 })
      .when(answers(error))
      .gives({
        state: 'model',
        effects: ['2 model.call after 5000'],
        verdicts: ['model.retried rate_limit'],
      })
      .when(answers(error))
      .gives({
        state: 'failed',
        outcome: 'failed',
        verdicts: ['turn.cut error'],
        timeout: 'cleared',
      })
  },
)
