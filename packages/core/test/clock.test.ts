/** The run's own clock: time spent waiting for a human does not count (DESIGN §2). */
import { test } from 'vitest'
import { agentWith } from './support/agent.ts'
import {
  admitted,
  answers,
  asks,
  cancels,
  completes,
  created,
  fires,
  modelAborted,
} from './support/facts.ts'
import { approves } from './support/permissions.ts'
import { given } from './support/story.ts'

const agent = agentWith({ limits: { timeoutMs: 10_000 } })
const started = () => given(agent, created, admitted)

test('what is left of the time is set anew after the wait', () => {
  started()
    .after(4_000)
    .when(asks('pay'))
    .gives({
      state: 'approval',
      status: 'waiting',
      verdicts: ['approval.requested asked pay'],
      timeout: 'cleared',
    })
    .after(86_400_000)
    .when(approves(0, 'pay'))
    .gives({ state: 'tools', effects: ['2 tool.call pay'], timeout: 6_000 })
    .after(6_000)
    .when(fires())
    .gives({ state: 'cancelling' })
})

test('several waits, several pieces of work: the pieces add up', () => {
  started()
    .after(1_000)
    .and(asks('pay'))
    .after(50_000)
    .and(approves(0, 'pay'))
    .after(2_000)
    .and(completes(0))
    .after(3_000)
    .and(asks('pay'))
    .after(50_000)
    .when(approves(0, 'pay'))
    .gives({ state: 'tools', effects: ['4 tool.call pay'], timeout: 4_000 })
})

test('time in the queue does not count', () => {
  given(agent, created)
    .after(20_000)
    .when(admitted)
    .gives({ state: 'model', effects: ['1 model.call'], timeout: 10_000 })
})

test('wait and answer in one batch: the timer is set again with what is left', () => {
  started()
    .after(4_000)
    .when(asks('pay'), approves(0, 'pay'))
    .gives({
      state: 'tools',
      effects: ['2 tool.call pay'],
      verdicts: ['approval.requested asked pay'],
      timeout: 6_000,
    })
})

test('a timeout that comes while the run waits is of a timer set before, and does not count', () => {
  started()
    .after(4_000)
    .and(asks('pay'))
    .after(6_000)
    .when(fires())
    .gives({ state: 'approval', status: 'waiting', verdicts: ['event.ignored ignored'] })
})

test('a timeout set before a wait that has ended is too early: it is set again', () => {
  started()
    .after(4_000)
    .and(asks('pay'))
    .after(5_000)
    .and(approves(0, 'pay'))
    .after(1_000)
    .when(fires())
    .gives({ state: 'tools', status: 'running', timeout: 5_000 })
    .after(5_000)
    .when(fires())
    .gives({ state: 'cancelling' })
})

test('a clock that went backwards takes no time away', () => {
  started()
    .after(-7_000)
    .when(asks('pay'))
    .gives({
      state: 'approval',
      status: 'waiting',
      verdicts: ['approval.requested asked pay'],
      timeout: 'cleared',
    })
    .when(approves(0, 'pay'))
    .gives({ state: 'tools', effects: ['2 tool.call pay'], timeout: 10_000 })
})

test('a timer nobody set, and a timeout before the run is active, mean nothing', () => {
  started()
    .after(10_000)
    .when(fires('tea'))
    .gives({ state: 'model', verdicts: ['event.ignored ignored'] })
  given(agent, created)
    .after(10_000)
    .when(fires())
    .gives({ state: 'queued', verdicts: ['event.ignored ignored'] })
})

test('in the model: the call is waited for, as in a cancel', () => {
  started()
    .after(10_000)
    .when(fires())
    .gives({ state: 'cancelling', path: ['model', 'cancelling'] })
    .when(modelAborted)
    .gives({ state: 'cancelled', outcome: 'timed_out', timeout: 'cleared' })
})

test('a timeout of a run that is being cancelled changes nothing', () => {
  started()
    .and(cancels())
    .after(10_000)
    .when(fires())
    .gives({ state: 'cancelling', verdicts: ['event.ignored ignored'] })
    .when(answers())
    .gives({ state: 'cancelled', outcome: 'cancelled', timeout: 'cleared' })
})
