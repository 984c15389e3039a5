/** A cancel and a fault, in every state. */
import { describe, expect, test } from 'vitest'
import { StateName } from '../src/index.ts'
import { agentWith, asked } from './support/agent.ts'
import {
  aborts,
  admitted,
  answers,
  asks,
  cancels,
  completes,
  created,
  cut,
  faults,
  modelAborted,
  type Move,
  overloaded,
  run,
  unknown,
} from './support/facts.ts'
import { approves } from './support/permissions.ts'
import { given, type Story } from './support/story.ts'

const agent = agentWith()
const judging = agentWith({ guardrails: { policies: [asked] } })
const at: Readonly<Record<string, () => Story>> = {
  nothing: () => given(agent),
  queued: () => given(agent, created),
  model: () => given(agent, created, admitted),
  'model, retrying': () => given(agent, created, admitted).and(answers(overloaded())),
  tools: () => given(agent, created, admitted).and(asks('search', 'write')),
  'tools, one done': () =>
    given(agent, created, admitted).and(asks('search', 'write')).and(completes(0)),
  'tools, waiting': () => given(agent, created, admitted).and(asks('write')).and(unknown(0)),
  guardrail: () => given(judging, created, admitted).and(asks('pay', 'search')),
  approval: () => given(agent, created, admitted).and(asks('pay', 'search')),
  'approval, waiting': () => given(agent, created, admitted).and(asks('pay')),
  cancelling: () => given(agent, created, admitted).and(cancels()),
}

describe.each(Object.keys(at))('in %s', (name) => {
  const story = () => at[name]?.() ?? given(agent)

  test('a fault ends the run `failed`, once, and stops its clock', () => {
    const before = story()
    const failed = before.and(faults)
    expect(failed.decision).toMatchObject({ status: 'ended', outcome: 'failed', effects: [] })
    expect(failed.state.name).toBe('failed')
    expect(failed.state.context).toMatchObject({ since: null, open: {}, modelOpen: false })
    const ran = before.state.context.since !== null
    expect(failed.decision.clearTimers.includes('timeout')).toBe(ran)
    failed
      .when(faults)
      .gives({ state: 'failed', outcome: 'failed', verdicts: ['event.ignored ignored'] })
  })

  test('a cancel asks for nothing more', () => {
    const cancelled = story().and(cancels())
    expect(['cancelling', 'cancelled']).toContain(cancelled.state.name)
    expect(cancelled.decision).toMatchObject({ effects: [], retries: [], timers: [] })
  })
})

test('an open model call is waited for: aborted', () => {
  given(agent, created, admitted)
    .when(cancels())
    .gives({ state: 'cancelling', status: 'running', path: ['model', 'cancelling'] })
    .when(modelAborted)
    .gives({ state: 'cancelled', outcome: 'cancelled', timeout: 'cleared' })
})

test('an open model call is waited for: answered, its tokens count, its calls never run', () => {
  const story = given(agent, created, admitted)
    .and(cancels())
    .when(asks('search'))
    .gives({ state: 'cancelled', outcome: 'cancelled', timeout: 'cleared' })
  expect(story.state.context.tokens).toBe(15)
})

test('an answer that was cut while the run is being cancelled still says what was suppressed', () => {
  given(agent, created, admitted)
    .and(cancels())
    .when(answers(cut('safety')))
    .gives({
      state: 'cancelled',
      outcome: 'cancelled',
      verdicts: ['safety.suppressed suppressed'],
      timeout: 'cleared',
    })
})

test('a failed answer is not retried any more', () => {
  given(agent, created, admitted)
    .and(cancels())
    .when(answers(overloaded()))
    .gives({
      state: 'cancelled',
      outcome: 'cancelled',
      verdicts: ['turn.cut error'],
      timeout: 'cleared',
    })
})

test('open calls are waited for, asked ones are not', () => {
  given(agent, created, admitted)
    .and(asks('search', 'pay', 'write'))
    .when(cancels('rollback'))
    .gives({ state: 'cancelling' })
    .when(approves(1, 'pay'))
    .gives({ state: 'cancelling', verdicts: ['event.ignored ignored'] })
    .when(completes(0))
    .gives({ state: 'cancelling' })
    .when(aborts(2))
    .gives({ state: 'cancelled', outcome: 'rolled_back', timeout: 'cleared' })
})

test('the first cancel counts', () => {
  given(agent, created, admitted)
    .and(cancels())
    .when(cancels('rollback'))
    .gives({ state: 'cancelling', verdicts: ['event.ignored ignored'] })
    .when(modelAborted)
    .gives({ state: 'cancelled', outcome: 'cancelled', timeout: 'cleared' })
})

test('a cancel in the batch that ends the run comes too late', () => {
  given(agent, created, admitted)
    .when(answers(), cancels())
    .gives({
      state: 'completed',
      outcome: 'completed',
      verdicts: ['event.ignored ignored'],
      timeout: 'cleared',
    })
})

const firstAborted: Move = () => ({
  type: 'model.aborted',
  payload: { effectId: `${run}.1`, attempt: 1 },
})

test('a decision that ends the run starts nothing, though facts of its batch asked for it', () => {
  given(agent, created)
    .when(admitted, cancels(), firstAborted)
    .gives({
      state: 'cancelled',
      path: ['queued', 'model', 'cancelling', 'cancelled'],
      outcome: 'cancelled',
      timeout: 'cleared',
    })
})

test('a model call that was aborted though nobody cancelled ends the run: nothing else will come', () => {
  given(agent, created, admitted)
    .when(modelAborted)
    .gives({
      state: 'failed',
      path: ['model', 'safety', 'failed'],
      outcome: 'failed',
      timeout: 'cleared',
    })
})

test('a batch that holds a fault folds nothing else of it (I22)', () => {
  given(agent, created, admitted)
    .when(asks('search'), faults)
    .gives({ state: 'failed', path: ['model', 'failed'], outcome: 'failed', timeout: 'cleared' })
})

test('every state in which a run can rest is told of above', () => {
  const rests = Object.values(at).map((story) => story().state.name)
  const passing = ['context', 'safety', 'input', 'loop', 'completed', 'failed', 'cancelled']
  expect(StateName.options.filter((name) => !rests.includes(name))).toEqual(passing)
})
