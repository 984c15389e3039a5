/**
 * A question of the model: asked by a call that waits for a person, while its siblings go on. Would catch: a question that ends the run, one
 * that costs a job, an answer that is taken twice, time that runs while somebody thinks, and a run that waits for nobody.
 */
import { describe, expect, test } from 'vitest'
import { limits, persist } from '../src/index.ts'
import { asked } from './support/agent.ts'
import {
  admitted,
  answers,
  asks,
  cancels,
  completes,
  created,
  fires,
  injects,
  type Move,
} from './support/facts.ts'
import { reviveState } from './support/machine.ts'
import { approves, approvesHere, judged, policiesSay, rejects } from './support/permissions.ts'
import { curiousAgent, questionExpires, tells, wonders } from './support/questions.ts'
import { given } from './support/story.ts'

const question = { question: 'Which account?' }
const agent = curiousAgent({ limits: { timeoutMs: 60_000 } })
const wondering = (...calls: readonly (string | object)[]) =>
  given(agent, created, admitted).and(wonders(...calls))

/** The newest verdict of a kind. */
const newest = (story: ReturnType<typeof given>, type: string) =>
  story.verdicts.findLast((each) => each.type === type)?.payload

test('the run asks without an effect, waits in `input`, and the same run goes on with the answer', () => {
  const story = given(agent, created, admitted)
    .when(wonders({ ...question, why: 'There are two.' }))
    .gives({
      state: 'input',
      status: 'waiting',
      path: ['model', 'safety', 'guardrail', 'input'],
      verdicts: ['input.requested asked ask_clarification'],
      timeout: 'cleared',
    })
  expect(newest(story, 'input.requested')).toMatchObject({
    callId: 'c_0123456789ab_1_0',
    turn: 1,
    kind: 'text',
    question: 'Which account?',
    why: 'There are two.',
    expiresAt: 1_700_000_000_000 + 60_000,
  })
  expect(reviveState(persist(story.state))).toEqual(story.state)
  const answered = story.when(tells(0, 'The savings account.')).gives({
    state: 'model',
    status: 'running',
    path: ['input', 'loop', 'model'],
    effects: ['2 model.call'],
    timeout: 60_000,
  })
  expect(answered.prompt().at(-1)).toBe(
    'result c_0123456789ab_1_0 ask_clarification: The user answered: The savings account.',
  )
  expect(answered.state.context).toMatchObject({ calls: 1, open: {} })
})

describe('§19 question 1 siblings finish', () => {
  test('while somebody thinks', () => {
    wondering(question, 'search')
      .when(completes(1))
      .gives({ state: 'input', status: 'waiting', timeout: 'cleared' })
      .when(tells(0, 'x'))
      .gives({
        state: 'model',
        path: ['input', 'loop', 'model'],
        effects: ['3 model.call'],
        timeout: 60_000,
      })
  })

  test('or after the answer', () => {
    wondering('search', question)
      .when(tells(1, 'x'))
      .gives({ state: 'tools', status: 'running', path: ['input', 'tools'] })
      .when(completes(0))
      .gives({ state: 'model', path: ['tools', 'loop', 'model'], effects: ['3 model.call'] })
  })

  test('beside an approval, each is answered by itself, in any order', () => {
    wondering('pay', question)
      .when(tells(1, 'x'))
      .gives({ state: 'approval', status: 'waiting' })
      .when(approves(0, 'pay'))
      .gives({
        state: 'tools',
        path: ['approval', 'tools'],
        effects: ['2 tool.call pay'],
        timeout: 60_000,
      })
    wondering('pay', question)
      .when(approves(0, 'pay'))
      .gives({
        state: 'input',
        status: 'running',
        path: ['approval', 'input'],
        effects: ['2 tool.call pay'],
        timeout: 60_000,
      })
      .when(completes(0))
      .gives({ state: 'input', status: 'waiting', timeout: 'cleared' })
      .when(tells(1, 'x'))
      .gives({
        state: 'model',
        path: ['input', 'loop', 'model'],
        effects: ['3 model.call'],
        timeout: 60_000,
      })
    wondering('pay', question)
      .when(rejects(0, 'pay'))
      .gives({
        state: 'input',
        status: 'waiting',
        path: ['approval', 'input'],
        verdicts: ['call.denied denied pay'],
      })
  })
})

test('four questions of one turn are answered each by itself; a fifth is denied, and the model reads why', () => {
  const five = Array.from({ length: limits.questionsPerTurnMax + 1 }, (_, n) => ({
    question: `${n}?`,
  }))
  const story = wondering(...five)
  expect(newest(story, 'call.denied')).toMatchObject({
    callId: 'c_0123456789ab_1_4',
    code: 'too_many_questions',
  })
  const last = [2, 0, 3].reduce((each, n) => each.and(tells(n, `answer ${n}`)), story)
  expect(last.state.name).toBe('input')
  expect(last.and(tells(1, 'answer 1')).prompt().slice(-5)).toEqual([
    ...[0, 1, 2, 3].map(
      (n) => `result c_0123456789ab_1_${n} ask_clarification: The user answered: answer ${n}`,
    ),
    expect.stringContaining('too_many_questions'),
  ])
})

test('§19 question 3 a second answer changes nothing, nor does one to a call that asks nothing', () => {
  wondering(question, { question: 'When?' })
    .and(tells(0, 'x'))
    .when(tells(0, 'y'))
    .gives({ state: 'input', status: 'waiting', verdicts: ['event.ignored ignored'] })
  wondering(question, 'search')
    .when(tells(1, 'x'))
    .gives({ state: 'input', status: 'running', verdicts: ['event.ignored ignored'] })
})

describe('§19 question 4', () => {
  test('expiry: the model reads that nobody answered, and the run goes on', () => {
    const story = wondering(question)
      .after(60_000)
      .when(questionExpires(0))
      .gives({
        state: 'model',
        path: ['input', 'loop', 'model'],
        effects: ['2 model.call'],
        verdicts: ['input.expired expired ask_clarification'],
        timeout: 60_000,
      })
    expect(story.prompt().at(-1)).toContain('Nobody answered in time. Go on with assumptions')
    story.when(tells(0, 'late')).gives({ state: 'model', verdicts: ['event.ignored ignored'] })
  })

  test('expiry beside an approval', () => {
    wondering('pay', question)
      .when(questionExpires(1))
      .gives({
        state: 'approval',
        status: 'waiting',
        verdicts: ['input.expired expired ask_clarification'],
      })
  })

  test('cancel: nothing is waited for any more, and an answer comes too late', () => {
    wondering(question)
      .when(cancels('interrupt'))
      .gives({
        state: 'cancelled',
        status: 'ended',
        outcome: 'cancelled',
        path: ['input', 'cancelling', 'cancelled'],
      })
  })

  test('waiting counts in no timeout, and a timeout that was set before it does not end the run', () => {
    const story = wondering(question).after(3_600_000)
    story
      .when(fires('timeout'))
      .gives({ state: 'input', status: 'waiting', verdicts: ['event.ignored ignored'] })
    story.when(tells(0, 'x')).gives({
      state: 'model',
      path: ['input', 'loop', 'model'],
      effects: ['2 model.call'],
      timeout: 60_000,
    })
  })

  test('words that are said to the run meanwhile are shown with the answer', () => {
    const story = wondering(question).and(injects('and be quick')).and(tells(0, 'x'))
    expect(story.prompt().slice(-2)).toEqual([
      'result c_0123456789ab_1_0 ask_clarification: The user answered: x',
      'user: and be quick',
    ])
  })
})

const options = (count: number) => Array.from({ length: count }, (_, n) => `${n}`)

describe('questions that are none are denied, and the model reads what is wrong', () => {
  const field = { name: 'amount', type: 'number' }
  test.each<[string, object, string]>([
    ['no words', { question: ' ' }, 'question'],
    ['2,001 characters', { question: 'x'.repeat(2001) }, '<=2000 characters'],
    ['100 options', { ...question, options: options(100) }, '<=24 items'],
    ['an option of 201 characters', { ...question, options: ['x'.repeat(201)] }, 'options[0]'],
    ['two equal options', { ...question, options: ['a', 'a'] }, 'takes each option once'],
    ['no options', { ...question, options: [] }, 'options'],
    ['options and a form', { ...question, options: ['a'], form: [field] }, 'ask two questions'],
    [
      '17 fields',
      { ...question, form: options(17).map((n) => ({ ...field, name: `f${n}` })) },
      '<=16 items',
    ],
    ['two fields of one name', { ...question, form: [field, field] }, 'takes each name once'],
    [
      'a field with a bad name',
      { ...question, form: [{ ...field, name: 'a b' }] },
      'takes a letter, then letters',
    ],
    ['a field of no type', { ...question, form: [{ ...field, type: 'date' }] }, 'form[0].type'],
    [
      'a choice without values',
      { ...question, form: [{ ...field, type: 'choice' }] },
      'form[0].options',
    ],
    [
      'values of a number',
      { ...question, form: [{ ...field, options: ['1'] }] },
      'form[0].options',
    ],
    [
      'a form of more than 16 KiB',
      {
        ...question,
        form: options(16).map((n) => ({
          name: `f${n}`,
          type: 'choice',
          options: options(24).map((o) => `${o}${'x'.repeat(100)}`),
        })),
      },
      '16384 bytes',
    ],
    ['a field more', { ...question, to: 'ann' }, 'to'],
  ])('%s', (_, args, words) => {
    const story = wondering(args)
    expect(story.state.name).toBe('model')
    expect(newest(story, 'call.denied')).toMatchObject({
      code: 'invalid_arguments',
      message: expect.stringContaining(words),
    })
    expect(newest(story, 'input.requested')).toBeUndefined()
  })
})

const alone: Move = (known) => {
  const fact = created(known)
  return fact.type === 'run.created'
    ? { ...fact, payload: { ...fact.payload, interactive: false } }
    : fact
}

test('a run in which nobody is there asks nobody: the model reads so', () => {
  const story = given(agent, alone, admitted)
    .when(wonders(question))
    .gives({
      state: 'model',
      path: ['model', 'safety', 'guardrail', 'tools', 'loop', 'model'],
      effects: ['2 model.call'],
      verdicts: ['call.denied denied ask_clarification'],
    })
  expect(newest(story, 'call.denied')).toMatchObject({ code: 'nobody_to_ask' })
  expect(reviveState(persist(story.state))).toEqual(story.state)
})

describe('a question is judged like every call', () => {
  test('a list may deny it', () => {
    const story = given(
      curiousAgent({ guardrails: { deniedTools: ['ask_clarification'] } }),
      created,
      admitted,
    ).and(wonders(question))
    expect(newest(story, 'call.denied')).toMatchObject({ code: 'oap.tool_not_allowed' })
  })

  test('a person may have to approve it: then it is asked by the decision that takes the approval', () => {
    const careful = curiousAgent({ guardrails: { approvalTools: ['ask_clarification'] } })
    const story = given(careful, created, admitted, wonders(question))
    expect(story.state.name).toBe('approval')
    story.when(approvesHere(0, 'ask_clarification', { args: question })).gives({
      state: 'input',
      status: 'waiting',
      path: ['approval', 'input'],
      verdicts: ['input.requested asked ask_clarification'],
    })
  })

  test('policies with I/O are asked first', () => {
    const guarded = curiousAgent({ guardrails: { policies: [asked] } })
    given(guarded, created, admitted)
      .when(wonders(question))
      .gives({
        state: 'guardrail',
        path: ['model', 'safety', 'guardrail'],
        effects: ['2 policy.evaluate'],
      })
      .when(
        policiesSay((known) => ({
          ...judged(0, 'ask_clarification', 'allow')(known),
          args: question,
        })),
      )
      .gives({
        state: 'input',
        status: 'waiting',
        path: ['guardrail', 'input'],
        verdicts: ['input.requested asked ask_clarification'],
        timeout: 'cleared',
      })
  })
})

const again: Move = (known) => {
  const fact = created(known)
  return fact.type === 'run.created'
    ? {
        ...fact,
        payload: { ...fact.payload, rerun: { runId: '01930000-0000-7000-8000-000000000001' } },
      }
    : fact
}

test('a rerun asks nobody: the answer is looked up', () => {
  given(agent, again, admitted)
    .when(wonders(question))
    .gives({
      state: 'tools',
      path: ['model', 'safety', 'guardrail', 'tools'],
      effects: ['2 tool.recall ask_clarification'],
    })
})

test('an agent that may not ask has neither the state nor the event', () => {
  const story = given(curiousAgent(), created, admitted)
    .and(asks('search'))
    .and(completes(0))
    .and(answers())
  expect(story.verdicts).toEqual([])
  expect(story.state.name).toBe('completed')
})
