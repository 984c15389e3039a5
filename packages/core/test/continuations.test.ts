/** Answers that reached their length limit, and answers that say nothing after tools did. */
import { describe, expect, test } from 'vitest'
import { agentWith, modelNamed, type Patch } from './support/agent.ts'
import {
  admitted,
  answers,
  asks,
  completes,
  created,
  cut,
  overloaded,
  says,
  saysNothing,
} from './support/facts.ts'
import { said } from './support/log.ts'
import { given } from './support/story.ts'

const started = (patch: Patch = {}) => given(agentWith(patch), created, admitted)
const half = says('Once upon', cut('length', 0))
const goOn = 'user: Your answer was cut off at its length limit. Go on exactly where it ended.'

describe('length', () => {
  test('without continuations the run ends, and keeps what was said', () => {
    const story = started()
      .when(half)
      .gives({
        state: 'completed',
        path: ['model', 'safety', 'completed'],
        outcome: 'length_stopped',
        verdicts: ['turn.cut length'],
        timeout: 'cleared',
      })
    expect(story.prompt(said(['and?']))[1]).toBe(
      'assistant: Once upon|[The answer reached its length limit.]',
    )
  })

  test('with one, another turn goes on, once', () => {
    const story = started({ continuations: 1 })
      .when(half)
      .gives({
        state: 'model',
        path: ['model', 'safety', 'loop', 'model'],
        effects: ['2 model.call'],
        verdicts: ['turn.cut length', 'turn.continued length'],
      })
    expect(story.decision.effects).toMatchObject([{ turn: 2, messageId: 'm_0123456789ab_2' }])
    expect(story.prompt().slice(1)).toEqual([
      'assistant: Once upon|[The answer reached its length limit.]',
      goOn,
    ])
    story.when(half).gives({
      state: 'completed',
      outcome: 'length_stopped',
      verdicts: ['turn.cut length'],
      timeout: 'cleared',
    })
  })

  const cutInCall = says('', cut('length', 1))

  test('in the middle of a call, without a word: the model is told to take smaller pieces, once', () => {
    const story = started({ continuations: 1, continueCutCalls: true })
      .when(cutInCall)
      .gives({
        state: 'model',
        path: ['model', 'safety', 'loop', 'model'],
        effects: ['2 model.call'],
        verdicts: ['turn.cut length', 'turn.continued length'],
      })
    const prompt = story.prompt().slice(1).join('\n')
    expect(prompt).toContain('in the middle of a call of write.')
    expect(prompt).toContain('Nothing of it was executed')
    expect(prompt).toContain('smaller pieces')
    story.when(cutInCall).gives({
      state: 'completed',
      outcome: 'length_stopped',
      verdicts: ['turn.cut length'],
      timeout: 'cleared',
    })
  })

  test.each([{ continuations: 0, continueCutCalls: true }, { continuations: 1 }])(
    'in the middle of a call the run ends with %j, as definitions of before say',
    (patch) => {
      started(patch)
        .when(cutInCall)
        .gives({
          state: 'completed',
          path: ['model', 'safety', 'completed'],
          outcome: 'length_stopped',
          verdicts: ['turn.cut length'],
          timeout: 'cleared',
        })
    },
  )

  test('the turn that went on is read as one answer afterwards', () => {
    const story = started({ continuations: 1 }).and(half).and(says(' a time'))
    expect(story.decision.outcome).toBe('completed')
    expect(story.prompt(said(['thanks']))).toEqual([
      'user: hello',
      'assistant: Once upon|[The answer reached its length limit.]| a time',
      'user: thanks',
    ])
  })

  test('and so is one that asks for calls then', () => {
    const story = started({ continuations: 1 }).and(half).and(asks('search')).and(completes(0))
    expect(story.prompt()).toEqual([
      'user: hello',
      'assistant: Once upon|[The answer reached its length limit.]|tool_call c_0123456789ab_2_0',
      'result c_0123456789ab_2_0 search: result 0',
    ])
  })

  test('a retry of the turn that goes on reads the reminder too', () => {
    const story = started({ continuations: 1 }).and(half).and(answers(overloaded()))
    expect(story.prompt().at(-1)).toBe(goOn)
  })

  test('calls that were cut do not run; the turn goes on without them', () => {
    const story = started({ continuations: 1 })
      .when(says('Let me', cut('length', 2)))
      .gives({
        state: 'model',
        effects: ['2 model.call'],
        verdicts: ['turn.cut length', 'turn.continued length'],
      })
    expect(story.decision.verdicts[0]?.payload).toMatchObject({
      calls: [{ name: 'write' }, { name: 'write' }],
    })
  })

  test('an answer that has not even begun is not gone on with', () => {
    started({ continuations: 1 })
      .when(saysNothing(cut('length', 1)))
      .gives({
        state: 'completed',
        outcome: 'length_stopped',
        verdicts: ['turn.cut length'],
        timeout: 'cleared',
      })
  })

  test('no turn beyond the budget goes on: the run says which', () => {
    const story = started({ continuations: 1, limits: { maxTurns: 1 } })
      .when(half)
      .gives({
        state: 'completed',
        path: ['model', 'safety', 'loop', 'completed'],
        outcome: 'budget_exhausted',
        verdicts: ['turn.cut length', 'turn.continued length', 'budget.exhausted turns'],
        timeout: 'cleared',
      })
    expect(story.prompt(said(['and?']))[1]).toMatch(
      /^assistant: Once upon\|.*\|\[BUDGET EXHAUSTED\]/,
    )
  })

  test('the count is of the run', () => {
    started({ continuations: 2 })
      .and(half)
      .and(asks('search'))
      .and(completes(0))
      .and(half)
      .and(asks('search:b'))
      .and(completes(0))
      .when(half)
      .gives({
        state: 'completed',
        outcome: 'length_stopped',
        verdicts: ['turn.cut length'],
        timeout: 'cleared',
      })
  })
})

describe('a stream that broke off', () => {
  const broken = says('Once upon', cut('interrupted', 1))
  const tried = { continuations: 1, modelRetries: { max: 0, baseMs: 0 } }

  test('is gone on with when the retries are used up: what was said stays, its calls do not run', () => {
    const story = started(tried)
      .when(broken)
      .gives({
        state: 'model',
        path: ['model', 'safety', 'loop', 'model'],
        effects: ['2 model.call'],
        verdicts: ['turn.cut interrupted', 'turn.continued interrupted'],
      })
    expect(story.prompt().at(-1)).toBe(
      'user: Your answer was cut off when the connection broke. Go on exactly where it ended.',
    )
    expect(story.prompt()[1]).toMatch(/^assistant: Once upon\|\[The provider's stream broke off\./)
    expect(story.and(says(' a time')).decision.outcome).toBe('completed')
  })

  test('is asked for again first, and by all models', () => {
    started({ ...tried, modelRetries: { max: 1, baseMs: 0 } })
      .when(broken)
      .gives({
        state: 'model',
        effects: ['2 model.call'],
        verdicts: ['turn.cut interrupted', 'model.retried network'],
      })
    started({ ...tried, fallbackModels: [modelNamed('b')] })
      .when(broken)
      .gives({
        state: 'model',
        effects: ['2 model.call'],
        verdicts: ['turn.cut interrupted', 'model.replaced network'],
      })
  })

  test('twice, or with nothing said, it ends the run as interrupted', () => {
    const ends = { state: 'failed', outcome: 'interrupted', timeout: 'cleared' } as const
    started(tried)
      .and(broken)
      .when(broken)
      .gives({ ...ends, verdicts: ['turn.cut interrupted'] })
    started(tried)
      .when(saysNothing(cut('interrupted', 1)))
      .gives({ ...ends, verdicts: ['turn.cut interrupted'] })
  })
})

const used = () => started().and(asks('search')).and(completes(0))

describe('an empty answer', () => {
  test('after tools is asked again, once, in the same turn', () => {
    const story = used()
      .when(saysNothing())
      .gives({
        state: 'model',
        path: ['model', 'safety', 'model'],
        effects: ['4 model.call'],
        verdicts: ['model.retried empty_answer'],
      })
    expect(story.decision.effects).toMatchObject([{ turn: 2, retry: 1, delayMs: 0 }])
    expect(story.prompt().slice(2)).toEqual([
      'result c_0123456789ab_1_0 search: result 0',
      'user: Your last answer was empty. Answer the user now, using the results of the tools.',
    ])
  })

  test('the answer that follows stands in its place', () => {
    const story = used().and(saysNothing()).and(says('42'))
    expect(story.decision.outcome).toBe('completed')
    expect(story.prompt(said(['thanks'])).slice(-2)).toEqual(['assistant: 42', 'user: thanks'])
  })

  test('so do the calls that follow', () => {
    const story = used().and(saysNothing()).and(asks('search:b')).and(completes(0, 'found'))
    expect(story.prompt().slice(-2)).toEqual([
      'assistant: tool_call c_0123456789ab_2_0',
      'result c_0123456789ab_2_0 search: found',
    ])
  })

  test('twice: the run fails, and its answer says so', () => {
    const story = used()
      .and(saysNothing())
      .when(saysNothing())
      .gives({
        state: 'failed',
        path: ['model', 'safety', 'failed'],
        outcome: 'failed',
        verdicts: ['answer.missing missing'],
        timeout: 'cleared',
      })
    expect(story.decision.verdicts[0]?.payload).toEqual({
      turn: 2,
      messageId: 'm_0123456789ab_2',
      text: '[The model gave no answer.]',
    })
    expect(story.prompt(said(['so?'])).slice(-2)).toEqual([
      'assistant: [The model gave no answer.]',
      'user: so?',
    ])
  })

  test('in two turns of a run: the second is not asked again', () => {
    used()
      .and(saysNothing())
      .and(asks('search:b'))
      .and(completes(0))
      .when(saysNothing())
      .gives({
        state: 'failed',
        outcome: 'failed',
        verdicts: ['answer.missing missing'],
        timeout: 'cleared',
      })
  })

  test('before any tool is the answer', () => {
    started()
      .when(saysNothing())
      .gives({ state: 'completed', outcome: 'completed', timeout: 'cleared' })
  })

  test('without words, but with calls, is none', () => {
    used()
      .when(asks('search:b'))
      .gives({ state: 'tools', effects: ['4 tool.call search'] })
  })

  test('that the provider stopped for safety is not asked again', () => {
    used()
      .when(saysNothing(cut('safety', 0)))
      .gives({
        state: 'completed',
        outcome: 'safety_stopped',
        verdicts: ['safety.suppressed suppressed'],
        timeout: 'cleared',
      })
  })

  test('a reminder of the turn is read again', () => {
    const story = started({ loop: { warnThreshold: 1, hardLimit: 2 } })
      .and(asks('search'))
      .and(completes(0))
      .and(saysNothing())
    expect(story.prompt().at(-1)).toMatch(
      /^user: \[LOOP DETECTED\][^|]*\n\nYour last answer was empty/,
    )
  })
})
