/** After a refusal: what later requests of the thread show of it, by the agent's policy. */
import { expect, test } from 'vitest'
import { createProjection, project } from '../src/index.ts'
import { agentWith } from './support/agent.ts'
import { admitted, asks, cancels, completes, created, cut, says } from './support/facts.ts'
import { answered, said, text } from './support/log.ts'
import { lines } from './support/prompt.ts'
import { given } from './support/story.ts'

const before = [said(['earlier']), answered('m_earlier', [text('an answer')])]
const later = said(['later'])

const refused = (
  afterRefusal: 'keep' | 'drop-turn' | 'reset-context',
  verdict: 'safety' | 'refusal',
) =>
  given(agentWith({ safety: { afterRefusal } }), created, admitted)
    .and(asks('search'))
    .and(completes(0))
    .and(says('I will', cut(verdict, 0)))

test.each(['safety', 'refusal'] as const)('%s', (verdict) => {
  const read = (policy: 'keep' | 'drop-turn' | 'reset-context') =>
    project('', [...before, ...refused(policy, verdict).log, later]).flatMap(lines)
  expect(read('keep')).toEqual([
    'user: earlier',
    'assistant: an answer',
    'user: hello',
    'assistant: tool_call c_0123456789ab_1_0',
    'result c_0123456789ab_1_0 search: result 0',
    'assistant: I will',
    'user: later',
  ])
  expect(read('drop-turn')).toEqual(['user: earlier', 'assistant: an answer', 'user: later'])
  expect(read('reset-context')).toEqual(['user: later'])
})

test('a conversation that is read as it grows forgets the same: an answer that was cut off, and is the last again, is left out', () => {
  const cutOff = answered('m_cut', [text('so far')], { verdict: 'length' })
  const events = [said(['earlier']), cutOff, ...refused('drop-turn', 'safety').log]
  const projection = createProjection('')
  for (const each of events) {
    projection.take(each)
    projection.prompt()
  }
  expect(projection.prompt()).toEqual(project('', events))
  expect(projection.prompt().flatMap(lines)).toEqual(['user: earlier'])
})

test('the event says what will be shown', () => {
  expect(refused('drop-turn', 'safety').decision.verdicts[0]).toMatchObject({
    type: 'safety.suppressed',
    payload: { context: 'drop-turn' },
  })
  expect(refused('reset-context', 'refusal').decision.verdicts[0]).toMatchObject({
    type: 'turn.cut',
    payload: { context: 'reset-context' },
  })
})

test.each(['length', 'interrupted', 'unknown_terminal'] as const)(
  '%s is no refusal: everything stays',
  (verdict) => {
    const agent = agentWith({ safety: { afterRefusal: 'reset-context' }, modelRetries: { max: 0 } })
    const story = given(agent, created, admitted).and(says('I will', cut(verdict, 1)))
    expect(story.decision.verdicts[0]).toMatchObject({
      type: 'turn.cut',
      payload: { context: 'keep' },
    })
    expect(story.prompt(later)[0]).toBe('user: hello')
  },
)

test('a refusal that came while the run was being cancelled counts like any other', () => {
  const agent = agentWith({ safety: { afterRefusal: 'drop-turn' } })
  const story = given(agent, created, admitted)
    .and(cancels())
    .and(says('No.', cut('safety', 0)))
  expect(story.decision.outcome).toBe('cancelled')
  expect(story.prompt(later)).toEqual(['user: later'])
})
