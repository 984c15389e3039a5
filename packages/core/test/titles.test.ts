/**
 * Which decisions ask for a title. Would catch: a title of what ended badly, one that is asked for twice, one for an agent that gives none,
 * and one for a run that has nothing to do with that of its thread.
 */
import { expect, test } from 'vitest'
import {
  type FactPayload,
  type Outcome,
  persist,
  type TitleEffect,
  type Webhook,
} from '../src/index.ts'
import { agentWith } from './support/agent.ts'
import {
  admitted,
  answers,
  cancels,
  created,
  cut,
  faults,
  type Move,
  says,
  tripped,
} from './support/facts.ts'
import { reviveState } from './support/machine.ts'
import { given } from './support/story.ts'

const entitled =
  (
    title: FactPayload<'run.created'>['title'],
    more: Partial<FactPayload<'run.created'>> = {},
  ): Move =>
  (known) => {
    const fact = created(known)
    if (fact.type !== 'run.created') return fact
    return { ...fact, payload: { ...fact.payload, title, ...more } }
  }

const byModel = { title: { maxWords: 6 } }
const byWords = { title: 'words' } as const

const made = (
  ...[patch, title, end]: readonly [Parameters<typeof agentWith>[0], 'made' | 'open', Move]
) => {
  const { decision } = given(agentWith(patch), entitled(title), admitted).and(end)
  const titles = decision.effects.filter(
    (effect): effect is TitleEffect => effect.kind === 'title.make',
  )
  return { outcome: decision.outcome, make: titles.map(({ make }) => make) }
}

const refused = says('I will not', cut('refusal', 0))
const unsafe = says('', cut('safety', 0))
const stopped = answers(tripped('stop'))

test('after a run that completed: by a model, or of its words where the title is of others', () => {
  const outcome = 'completed'
  expect(made(byModel, 'made', answers())).toEqual({ outcome, make: ['model'] })
  expect(made(byModel, 'open', answers())).toEqual({ outcome, make: ['model'] })
  expect(made(byWords, 'open', answers())).toEqual({ outcome, make: ['words'] })
  // It has that of its own words already: a pass costs nothing.
  expect(made(byWords, 'made', answers())).toEqual({ outcome, make: [] })
})

test.each<readonly [Outcome, Move]>([
  ['safety_stopped', unsafe],
  ['refused', refused],
  ['guardrail_stopped', stopped],
])('§19 title 3: after %s nothing is told, and no model is asked', (outcome, end) => {
  for (const agent of [byModel, byWords]) {
    expect(made(agent, 'made', end)).toEqual({ outcome, make: ['untitled'] })
    expect(made(agent, 'open', end)).toEqual({ outcome, make: [] })
  }
})

test('after a cancel, or a fault, the title stays as it is', () => {
  given(agentWith(byModel), entitled('made'))
    .when(cancels())
    .gives({
      state: 'cancelled',
      outcome: 'cancelled',
      path: ['queued', 'cancelling', 'cancelled'],
    })
  expect(made(byModel, 'made', faults)).toEqual({ outcome: 'failed', make: [] })
})

test('nothing for an agent that gives no titles, and nothing for a run that has nothing to do with one', () => {
  given(agentWith(), created, admitted)
    .when(answers())
    .gives({ state: 'completed', outcome: 'completed', timeout: 'cleared' })
  given(agentWith(byModel), created, admitted)
    .when(answers())
    .gives({ state: 'completed', outcome: 'completed', timeout: 'cleared' })
  given(agentWith(), entitled('made'), admitted)
    .when(answers())
    .gives({ state: 'completed', outcome: 'completed', timeout: 'cleared' })
})

test('it is counted behind those who are told, and absorbs nothing after the end', () => {
  const webhooks: Webhook[] = [{ on: ['completed'], origin: 'https://a.test' }]
  given(agentWith(byModel), entitled('made', { webhooks }), admitted)
    .when(answers())
    .gives({
      state: 'completed',
      outcome: 'completed',
      effects: ['2 webhook.deliver', '3 title.make'],
      timeout: 'cleared',
    })
    .when(cancels())
    .gives({ state: 'completed', outcome: 'completed', verdicts: ['event.ignored ignored'] })
})

test('the mark is remembered in the cached state, and costs nothing where there is none', () => {
  const marked = given(agentWith(byModel), entitled('open'), admitted).state
  expect(marked.context.title).toBe(2)
  expect(reviveState(persist(marked))).toEqual(marked)
  const plain = given(agentWith(byModel), created, admitted).state
  expect(persist(plain)['context']).not.toMatchObject({ counts: expect.stringContaining('N') })
})
