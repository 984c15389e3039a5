/** Stream guardrails: an attempt that one ended is history with its feedback, and the model tries again. */
import { describe, expect, test } from 'vitest'
import { agentWith } from './support/agent.ts'
import {
  admitted,
  answers,
  asks,
  cancels,
  completes,
  created,
  overloaded,
  says,
  tripped,
} from './support/facts.ts'
import { said } from './support/log.ts'
import { given } from './support/story.ts'

const started = (maxGuardrailRetries = 3) =>
  given(agentWith({ guardrails: { maxGuardrailRetries } }), created, admitted)
const trips = says('Dear ', tripped())
const goOn = 'Answer again, with this corrected.'

test('the attempt is an event, and another follows at once', () => {
  const story = started()
    .when(answers({ ...tripped(), suppressed: [{ name: 'write', argsBytes: 7, argsHmac: 'ab' }] }))
    .gives({
      state: 'model',
      path: ['model', 'safety', 'model'],
      effects: ['2 model.call'],
      verdicts: ['guardrail.tripped g'],
    })
  expect(story.decision.verdicts[0]?.payload).toEqual({
    turn: 1,
    correction: 1,
    messageId: 'm_0123456789ab_1',
    trip: {
      guardrail: { id: 'g', name: 'Names' },
      outcome: 'fail',
      feedback: 'I must not name the customer.',
      partType: 'text',
      offset: 4,
    },
    calls: [{ name: 'write', argsBytes: 7, argsHmac: 'ab' }],
  })
  expect(story.decision.effects).toMatchObject([{ correction: 1, retry: 1, turn: 1 }])
})

test('the model reads what was released, its own feedback, and to go on', () => {
  expect(started().and(trips).prompt()).toEqual([
    'user: hello',
    'assistant: Dear |I must not name the customer.',
    `user: ${goOn}`,
  ])
})

test('two corrections: both are history, in their order', () => {
  const story = started()
    .and(trips)
    .and(says('Hi ', tripped('fail', 'No names at all.')))
  expect(story.decision.verdicts[0]?.payload).toMatchObject({ correction: 2 })
  expect(story.prompt()).toEqual([
    'user: hello',
    'assistant: Dear |I must not name the customer.',
    `user: ${goOn}`,
    'assistant: Hi |No names at all.',
    `user: ${goOn}`,
  ])
})

test('correction, then success: later prompts keep both', () => {
  const story = started()
    .and(trips)
    .when(says('Dear customer'))
    .gives({ state: 'completed', outcome: 'completed', timeout: 'cleared' })
  expect(story.prompt(said(['thanks']))).toEqual([
    'user: hello',
    'assistant: Dear |I must not name the customer.',
    `user: ${goOn}`,
    'assistant: Dear customer',
    'user: thanks',
  ])
})

test('correction, then calls: they run, and are paired', () => {
  const story = started().and(trips).and(asks('search')).and(completes(0))
  expect(story.prompt().slice(3)).toEqual([
    'assistant: tool_call c_0123456789ab_1_0',
    'result c_0123456789ab_1_0 search: result 0',
  ])
})

test.each([
  [0, ['guardrail.stopped']],
  [1, ['guardrail.tripped', 'guardrail.stopped']],
  [3, ['guardrail.tripped', 'guardrail.tripped', 'guardrail.tripped', 'guardrail.stopped']],
])(
  '%i retries are as many after the first attempt, and then the run ends saying so',
  (max, types) => {
    let story = started(max)
    for (let n = 0; n < max; n++) story = story.and(trips)
    const ended = story.when(trips).gives({
      state: 'completed',
      path: ['model', 'safety', 'completed'],
      outcome: 'guardrail_stopped',
      verdicts: ['guardrail.stopped g'],
      timeout: 'cleared',
    })
    expect(ended.verdicts.map(({ type }) => type)).toEqual(types)
    expect(ended.state.context.effects).toBe(max + 1)
    expect(ended.decision.verdicts[0]?.payload).toMatchObject({
      corrections: max,
      explanation: '[A guardrail (Names) stopped this answer.]',
    })
    expect(ended.prompt(said(['why?'])).slice(-2)).toEqual([
      'assistant: Dear |[A guardrail (Names) stopped this answer.]',
      'user: why?',
    ])
  },
)

test('stop: no retry, whatever is left of them; what was released stays, and says so', () => {
  const story = started()
    .when(says('Dear ', tripped('stop', 'no names')))
    .gives({
      state: 'completed',
      outcome: 'guardrail_stopped',
      verdicts: ['guardrail.stopped g'],
      timeout: 'cleared',
    })
  expect(story.decision.verdicts[0]?.payload).toMatchObject({
    corrections: 0,
    trip: { outcome: 'stop' },
  })
  expect(story.prompt(said(['why?']))).toEqual([
    'user: hello',
    'assistant: Dear |[A guardrail (Names) stopped this answer.]',
    'user: why?',
  ])
})

test('the count begins anew in each turn', () => {
  started(1)
    .and(trips)
    .and(asks('search'))
    .and(completes(0))
    .when(trips)
    .gives({ state: 'model', effects: ['5 model.call'], verdicts: ['guardrail.tripped g'] })
})

test('retries of a broken stream are counted apart', () => {
  started(1)
    .and(answers(overloaded()))
    .when(trips)
    .gives({ state: 'model', effects: ['3 model.call'], verdicts: ['guardrail.tripped g'] })
    .when(answers(overloaded()))
    .gives({
      state: 'model',
      effects: ['4 model.call after 1000'],
      verdicts: ['model.retried overloaded'],
    })
    .when(trips)
    .gives({
      state: 'completed',
      outcome: 'guardrail_stopped',
      verdicts: ['guardrail.stopped g'],
      timeout: 'cleared',
    })
})

describe('while the run is being cancelled', () => {
  test('an attempt that a guardrail ended is recorded, and not corrected', () => {
    started()
      .and(cancels())
      .when(trips)
      .gives({
        state: 'cancelled',
        outcome: 'cancelled',
        verdicts: ['guardrail.stopped g'],
        timeout: 'cleared',
      })
  })
})

test('a reminder is read in the correction, too', () => {
  const warned = given(agentWith({ loop: { warnThreshold: 1, hardLimit: 2 } }), created, admitted)
    .and(asks('search'))
    .and(completes(0))
  expect(warned.prompt().at(-1)).toMatch(/^user: \[LOOP DETECTED\]/)
  expect(warned.and(trips).prompt().at(-1)).toMatch(/^user: Answer again.*\|\[LOOP DETECTED\]/)
})
