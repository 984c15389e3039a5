/** Budgets of runs that have children: what these used counts, and what the whole tree has used up ends whoever asks for more. */
import { describe, expect, test } from 'vitest'
import { resultOf, type Verdict } from '../src/index.ts'
import type { Patch } from './support/agent.ts'
import {
  callRefused,
  createdAt,
  ends,
  modelRefused,
  parentWith,
  starts,
} from './support/children.ts'
import {
  admitted,
  answers,
  asks,
  cancels,
  completes,
  created,
  fails,
  modelAborted,
  overloaded,
} from './support/facts.ts'
import { said } from './support/log.ts'
import { approves } from './support/permissions.ts'
import { given, type Story } from './support/story.ts'
import { changed, unmoved } from './support/unmoved.ts'

const begun = (limits: Patch['limits'] = {}, patch: Patch = {}) =>
  given(parentWith({ ...patch, limits }), created, admitted)

const ignored = ['event.ignored ignored']
const exhausted = (story: Story): readonly Verdict[] =>
  story.verdicts.filter(({ type }) => type === 'budget.exhausted')
const forced = (story: Story): readonly string[] =>
  story.prompt(said(['so?'])).filter((line) => line.includes('[BUDGET EXHAUSTED]'))

describe('what children used ends the run', () => {
  test.each([
    ['turns', { maxTurns: 5 }, { turns: 4 }],
    ['tokens', { maxTokens: 100 }, { tokens: 85 }],
    ['money', { maxCost: 0.001 }, { cost: 1_000 }],
  ] as const)('%s', (budget, limits, spent) => {
    begun({ ...limits, warnAt: 1 })
      .and(asks('task'))
      .and(starts(0))
      .when(ends(0, spent))
      .gives({
        state: 'completed',
        path: ['tools', 'loop', 'completed'],
        outcome: 'budget_exhausted',
        verdicts: [`budget.exhausted ${budget}`],
      })
  })

  test('one less, and it goes on', () => {
    const limits = { maxTurns: 5, maxTokens: 100, maxCost: 0.001, warnAt: 1 }
    const spent = { turns: 3, tokens: 84, cost: 999 }
    const story = begun(limits).and(asks('task')).and(ends(0, spent))
    expect(story.state.name).toBe('model')
  })

  test('calls, when it asks for more of its own', () => {
    const story = begun({ maxToolCalls: 4, warnAt: 1 })
      .and(asks('task'))
      .and(ends(0, { calls: 3 }))
    story.when(asks('search')).gives({
      state: 'completed',
      outcome: 'budget_exhausted',
      verdicts: ['budget.exhausted calls'],
      timeout: 'cleared',
    })
    story.when(answers()).gives({ state: 'completed', outcome: 'completed', timeout: 'cleared' })
  })

  test('it is warned before, once, with the children’s share', () => {
    const story = begun({ maxTokens: 1_000, maxTurns: 10 })
      .and(asks('task'))
      .and(starts(0))
      .when(ends(0, { tokens: 785, turns: 7 }))
      .gives({
        state: 'model',
        effects: ['3 model.call shared'],
        verdicts: ['budget.warned turns', 'budget.warned tokens'],
        timeout: 3_600_000,
      })
    expect(story.prompt().at(-1)).toContain('You have used 8 of 10 turns.')
    expect(story.prompt().at(-1)).toContain('You have used 800 of 1000 tokens.')
  })

  test('turns of children are none of a retry’s', () => {
    const story = begun({ maxTurns: 3, warnAt: 1 })
      .and(asks('task'))
      .and(ends(0, { turns: 1 }))
    story.when(answers(overloaded())).gives({
      state: 'model',
      effects: ['4 model.call shared after 1000'],
      verdicts: ['model.retried overloaded'],
    })
  })
})

describe('a refused model call', () => {
  test('ends the run, with words in the place of the answer, once', () => {
    const story = begun()
      .and(asks('task'))
      .and(ends(0))
      .when(modelRefused)
      .gives({
        state: 'completed',
        path: ['model', 'completed'],
        outcome: 'budget_exhausted',
        verdicts: ['budget.exhausted tokens'],
        timeout: 'cleared',
      })
    const text = '[BUDGET EXHAUSTED] The run was stopped: it has used 1000 of 900 tokens.'
    expect(exhausted(story).map(({ payload }) => payload)).toEqual([
      { budget: 'tokens', used: 1_000, limit: 900, messageId: 'm_0123456789ab_2', text },
    ])
    expect(story.prompt(said(['so?'])).slice(2)).toEqual([
      'result c_0123456789ab_1_0 task: answer 0',
      `assistant: ${text}`,
      'user: so?',
    ])
    unmoved(story, modelRefused)
    expect(forced(story)).toHaveLength(1)
  })

  test('the first one of a child: there is nothing but the words', () => {
    const story = given(parentWith(), createdAt(1), admitted).and(modelRefused)
    expect(story.decision.outcome).toBe('budget_exhausted')
    expect(exhausted(story)).toMatchObject([{ payload: { messageId: 'm_0123456789ab_1' } }])
    expect(story.prompt(said(['so?']))).toHaveLength(3)
  })

  test('a repeated one: the words stand where the failed attempt did', () => {
    const story = begun()
      .and(answers(overloaded()))
      .when(modelRefused)
      .gives({
        state: 'completed',
        outcome: 'budget_exhausted',
        verdicts: ['budget.exhausted tokens'],
        timeout: 'cleared',
      })
    expect(exhausted(story)).toMatchObject([{ payload: { messageId: 'm_0123456789ab_1' } }])
    expect(forced(story)).toHaveLength(1)
  })

  test('in a run that is being cancelled, it is settled, and the cancel stays the end', () => {
    begun()
      .and(cancels())
      .when(modelRefused)
      .gives({ state: 'cancelled', outcome: 'cancelled', timeout: 'cleared' })
  })

  test('of another effect, or one that is answered or aborted, it changes nothing', () => {
    const asking = begun()
    unmoved(asking, changed(modelRefused, { effectId: 'other.1' }))
    unmoved(asking.and(answers(overloaded())), changed(modelRefused, { effectId: 'none' }))
    unmoved(asking, changed(modelRefused, { callId: 'c_0123456789ab_1_0' }))
    unmoved(asking.and(asks('search')), modelRefused)
    unmoved(asking.and(asks('search')).and(cancels()), modelRefused)
    unmoved(asking.and(cancels()).and(modelAborted), modelRefused)
    const retried = asking.and(answers(overloaded()))
    const stale = asking.decision.effects[0]?.id
    unmoved(retried, changed(modelRefused, { effectId: stale }))
  })
})

/** Three calls run, one of them a child's, in a run that shares its budget. */
const open = () =>
  begun()
    .and(asks('task'))
    .and(ends(0))
    .and(asks('search', 'write', 'task:b'))

describe('a refused call', () => {
  test('ends the run once its siblings have settled: nothing more is asked for', () => {
    const story = open()
      .and(starts(2))
      .when(callRefused(0))
      .gives({
        state: 'cancelling',
        status: 'running',
        path: ['tools', 'cancelling'],
        verdicts: ['budget.exhausted calls'],
      })
      .when(completes(1))
      .gives({ state: 'cancelling' })
      .when(ends(2))
      .gives({
        state: 'cancelled',
        path: ['cancelling', 'cancelled'],
        outcome: 'budget_exhausted',
        timeout: 'cleared',
      })
    expect(exhausted(story)).toMatchObject([
      { payload: { budget: 'calls', used: 40, limit: 40, messageId: 'm_0123456789ab_3' } },
    ])
    expect(story.prompt(said(['so?'])).slice(4)).toEqual([
      'error c_0123456789ab_2_0 search: Error: this call was not executed: the budget of calls is used up.',
      'result c_0123456789ab_2_1 write: result 1',
      'result c_0123456789ab_2_2 task: answer 2',
      'assistant: [BUDGET EXHAUSTED] The run was stopped: it has used 40 of 40 tool calls.',
      'user: so?',
    ])
  })

  test('of several the first says it', () => {
    const story = open()
      .and(callRefused(0))
      .when(callRefused(1))
      .gives({ state: 'cancelling' })
      .when(callRefused(2))
      .gives({ state: 'cancelled', outcome: 'budget_exhausted', timeout: 'cleared' })
    expect(exhausted(story)).toHaveLength(1)
    expect(forced(story)).toHaveLength(1)
  })

  test('all in one batch', () => {
    const story = open().and(callRefused(0), callRefused(1), callRefused(2))
    expect(story.decision).toMatchObject({ status: 'ended', outcome: 'budget_exhausted' })
    expect(exhausted(story)).toHaveLength(1)
  })

  test('while a human is asked: nobody answers any more', () => {
    begun()
      .and(asks('search', 'hire'))
      .when(callRefused(0))
      .gives({
        state: 'cancelled',
        path: ['approval', 'cancelling', 'cancelled'],
        outcome: 'budget_exhausted',
        verdicts: ['budget.exhausted calls'],
        timeout: 'cleared',
      })
      .when(approves(1, 'hire'))
      .gives({ state: 'cancelled', outcome: 'budget_exhausted', verdicts: ignored })
  })

  test('a human had approved it', () => {
    begun()
      .and(asks('pay', 'hire'))
      .and(approves(1, 'hire'))
      .and(approves(0, 'pay'))
      .when(callRefused(1))
      .gives({ state: 'cancelling', verdicts: ['budget.exhausted calls'] })
      .when(fails(0))
      .gives({ state: 'cancelled', outcome: 'budget_exhausted', timeout: 'cleared' })
  })

  test('in a run that is being cancelled, it is settled, and the cancel stays the end', () => {
    const story = open()
      .and(cancels())
      .and(completes(1))
      .and(ends(2))
      .when(callRefused(0))
      .gives({ state: 'cancelled', outcome: 'cancelled', timeout: 'cleared' })
    expect(exhausted(story)).toEqual([])
  })

  test('a cancel after it comes too late to be the end', () => {
    open()
      .and(callRefused(0))
      .when(cancels())
      .gives({ state: 'cancelling', verdicts: ignored })
      .and(completes(1))
      .when(ends(2))
      .gives({ state: 'cancelled', outcome: 'budget_exhausted', timeout: 'cleared' })
  })

  test('that is settled, unknown, of a child, or none of the turn’s: it changes nothing', () => {
    unmoved(open().and(completes(0)), callRefused(0))
    unmoved(open().and(starts(2)), callRefused(2))
    unmoved(open(), changed(callRefused(0), { effectId: 'other.4' }))
    unmoved(open(), changed(callRefused(0), { callId: 'c_0123456789ab_1_0' }))
    unmoved(open(), changed(callRefused(0), { callId: undefined }))
  })
})

test('a refused model call is the result of no call', () => {
  const fact = { seq: 1, at: 1, actor: 't', type: 'budget.refused' as const }
  const payload = { effectId: 'e', attempt: 1, budget: 'tokens' as const, used: 2, limit: 1 }
  expect(resultOf({ ...fact, payload })).toBeNull()
})
