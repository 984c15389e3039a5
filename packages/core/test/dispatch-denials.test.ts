/** Policies are asked again right before an execution: a denial there settles the call like any result. */
import { expect, test } from 'vitest'
import { agentWith } from './support/agent.ts'
import { admitted, asks, cancels, completes, created } from './support/facts.ts'
import { approves, deniedAtDispatch } from './support/permissions.ts'
import { given } from './support/story.ts'

const running = () => given(agentWith(), created, admitted).and(asks('search', 'write'))

test('a denial settles the call, which did not run; its siblings go on', () => {
  const story = running()
    .when(deniedAtDispatch(0, 'search'))
    .gives({ state: 'tools', status: 'running' })
    .when(completes(1))
    .gives({ state: 'model', effects: ['4 model.call'] })
  expect(story.prompt().slice(2)).toEqual([
    'error c_0123456789ab_1_0 search: Error: this call was not executed (oap.passport_suspended). The policy says deny.',
    'result c_0123456789ab_1_1 write: result 1',
  ])
})

test('twice, or after a result, it changes nothing', () => {
  const settled = running().and(completes(0))
  settled
    .when(deniedAtDispatch(0, 'search'))
    .gives({ state: 'tools', verdicts: ['event.ignored ignored'] })
  running()
    .and(deniedAtDispatch(0, 'search'))
    .when(completes(0))
    .gives({ state: 'tools', verdicts: ['event.ignored ignored'] })
})

test('a denial beats the human who approved', () => {
  given(agentWith(), created, admitted)
    .and(asks('pay'))
    .and(approves(0, 'pay'))
    .when(deniedAtDispatch(0, 'pay'))
    .gives({ state: 'model', path: ['tools', 'loop', 'model'], effects: ['3 model.call'] })
})

test('while the run is being cancelled, it settles the call, too', () => {
  running()
    .and(cancels())
    .and(deniedAtDispatch(0, 'search'))
    .when(deniedAtDispatch(1, 'write'))
    .gives({ state: 'cancelled', outcome: 'cancelled', timeout: 'cleared' })
})
