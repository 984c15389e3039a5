/** Calls of which nobody knows whether they happened: never run again by themselves (I8). */
import { describe, test } from 'vitest'
import { agentWith } from './support/agent.ts'
import {
  aborts,
  admitted,
  asks,
  cancels,
  completes,
  created,
  resolves,
  unknown,
} from './support/facts.ts'
import { given } from './support/story.ts'

describe('the policy `ask`', () => {
  const agent = agentWith({ onUnknown: 'ask', limits: { timeoutMs: 60_000 } })
  const lost = () => given(agent, created, admitted).and(asks('write')).and(unknown(0))

  test('the run waits for an operator, and its time with it', () => {
    given(agent, created, admitted)
      .and(asks('write'))
      .when(unknown(0))
      .gives({ state: 'tools', status: 'waiting', path: ['tools'], timeout: 'cleared' })
  })

  test.each(['happened', 'not_happened'] as const)('%s settles the call', (resolution) => {
    lost()
      .when(resolves(0, resolution))
      .gives({ state: 'model', status: 'running', effects: ['3 model.call'], timeout: 60_000 })
  })

  test('retry runs the same effect again, under the same id', () => {
    lost()
      .when(resolves(0, 'retry'))
      .gives({ state: 'tools', status: 'running', retries: [2], timeout: 60_000 })
      .when(completes(0))
      .gives({ state: 'model', effects: ['3 model.call'] })
  })

  test('a retried call may be lost again', () => {
    lost()
      .and(resolves(0, 'retry'))
      .when(unknown(0))
      .gives({ state: 'tools', status: 'waiting', timeout: 'cleared' })
  })

  test('while a sibling runs, the run is not waiting', () => {
    given(agent, created, admitted)
      .and(asks('write', 'search'))
      .when(unknown(0))
      .gives({ state: 'tools', status: 'running' })
      .when(completes(1))
      .gives({ state: 'tools', status: 'waiting', timeout: 'cleared' })
  })

  test('a cancel gives the call up: nothing else is open, the run ends', () => {
    lost().when(cancels()).gives({ state: 'cancelled', outcome: 'cancelled' })
  })

  test('a resolution of a call that is running, or settled, changes nothing', () => {
    given(agent, created, admitted)
      .and(asks('write', 'search'))
      .when(resolves(0, 'happened'))
      .gives({ state: 'tools', verdicts: ['event.ignored ignored'] })
      .and(completes(1))
      .when(resolves(1, 'retry'))
      .gives({ state: 'tools', verdicts: ['event.ignored ignored'] })
  })

  test('the answer of a worker that was given up comes too late', () => {
    lost()
      .when(completes(0))
      .gives({ state: 'tools', status: 'waiting', verdicts: ['event.ignored ignored'] })
  })
})

test('the policy `tell` goes on at once; the model reads that the outcome is unknown', () => {
  given(agentWith({ onUnknown: 'tell' }), created, admitted)
    .and(asks('write'))
    .when(unknown(0))
    .gives({ state: 'model', status: 'running', effects: ['3 model.call'] })
    .when(resolves(0, 'retry'))
    .gives({ state: 'model', verdicts: ['event.ignored ignored'] })
})

test('unknown while the run is being cancelled settles the call: nobody is asked any more', () => {
  given(agentWith(), created, admitted)
    .and(asks('write', 'search'))
    .and(cancels())
    .when(unknown(0))
    .gives({ state: 'cancelling' })
    .when(aborts(1))
    .gives({ state: 'cancelled', outcome: 'cancelled', timeout: 'cleared' })
})
