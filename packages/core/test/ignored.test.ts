/** Late, duplicate and misdirected facts: recorded once, and harmless (D2, D4). */
import { describe, expect, test } from 'vitest'
import { decide } from '../src/index.ts'
import { agentWith } from './support/agent.ts'
import {
  admitted,
  answers,
  asks,
  cancels,
  completes,
  created,
  faults,
  fails,
  run,
  unknown,
} from './support/facts.ts'
import { given } from './support/story.ts'
import { changed, unmoved } from './support/unmoved.ts'
import { machine } from './support/machine.ts'

const agent = agentWith()
const ignored = ['event.ignored ignored']

test('a second creation and a second admission change nothing', () => {
  given(agent, created).when(created).gives({ state: 'queued', verdicts: ignored })
  given(agent, created, admitted).when(admitted).gives({ state: 'model', verdicts: ignored })
  given(agent, created, admitted).when(created).gives({ state: 'model', verdicts: ignored })
})

test('nothing is admitted before it is created', () => {
  given(agent).when(admitted).gives({ state: 'queued', verdicts: ignored })
})

describe('answers of the model', () => {
  const calling = given(agent, created, admitted)
  test('of another effect', () => unmoved(calling, changed(answers(), { effectId: `${run}.9` })))
  test('of another run', () => unmoved(calling, changed(answers(), { effectId: 'other.1' })))
  test('twice', () => unmoved(calling.and(asks('search')), asks('search')))
  test('twice, while its calls are being cancelled: its tokens count once', () =>
    unmoved(calling.and(asks('search')).and(cancels()), answers()))
  test('of an attempt that was retried', () => {
    const retried = calling.and(answers({ verdict: 'interrupted' }))
    unmoved(retried, changed(answers(), { effectId: `${run}.1` }))
  })
})

describe('results of calls', () => {
  const open = given(agent, created, admitted).and(asks('search', 'write'))
  test.each([
    ['of another effect', completes(0), { effectId: `${run}.9` }],
    ['under the id of a sibling', completes(0), { callId: 'c_0123456789ab_1_1' }],
    ['of another turn', completes(0), { callId: 'c_0123456789ab_2_0' }],
    ['of a call that is none', completes(0), { callId: 'c_0123456789ab_1_constructor' }],
    ['spelt otherwise', completes(0), { callId: 'c_0123456789ab_1_00' }],
  ])('%s', (_, move, patch) => unmoved(open, changed(move, patch)))

  test.each([
    ['completed', completes(0)],
    ['failed', fails(0)],
    ['unknown', unknown(0)],
  ])('%s after it was settled', (_, move) => unmoved(open.and(completes(0)), move))

  test('when the turn is over', () => unmoved(open.and(completes(0)).and(fails(1)), completes(0)))
})

test('what nothing waits for: policies and input', () => {
  const open = given(agent, created, admitted).and(asks('search'))
  unmoved(open, () => ({
    type: 'policy.answered',
    payload: { effectId: 'x', attempt: 1, decisions: [], durationMs: 1 },
  }))
  unmoved(open, () => ({
    type: 'input.answered',
    payload: { callId: 'c_0123456789ab_1_0', output: { content: [], isError: false } },
  }))
})

test('an ended run absorbs everything, faults too', () => {
  const ended = given(agent, created, admitted, answers())
  for (const move of [created, admitted, answers(), completes(0), faults]) unmoved(ended, move)
})

test('each ignored fact is named by its sequence number', () => {
  const fact = {
    seq: 41,
    at: 1,
    actor: 't',
    type: 'timer.fired',
    payload: { timerId: 'x' },
  } as const
  const { state } = given(agent, created)
  const { verdicts } = decide({ run, agent, machine }, state, [fact, { ...fact, seq: 42 }])
  expect(verdicts.map((verdict) => verdict.payload)).toEqual([
    { seq: 41, type: 'timer.fired', state: 'queued' },
    { seq: 42, type: 'timer.fired', state: 'queued' },
  ])
})
