/**
 * What is said to a run that goes on (J1, J2, D7). Would catch: an answer that ends a run although somebody has spoken since,
 * words between a call and its result, words that are in no prompt and in no `input.left`.
 */
import assert from 'node:assert/strict'
import { describe, expect, test } from 'vitest'
import { conversationTypes, type FoldableEvent, persist, project } from '../src/index.ts'
import { agentWith } from './support/agent.ts'
import {
  admitted,
  answers,
  asks,
  cancels,
  completes,
  created,
  cut,
  faults,
  fires,
  injects,
  overloaded,
  says,
} from './support/facts.ts'
import { event, said } from './support/log.ts'
import { checker } from './support/plays.ts'
import { promptOf } from './support/prompt.ts'
import { given } from './support/story.ts'
import { reviveState } from './support/machine.ts'

const agent = agentWith()
const started = () => given(agent, created, admitted)

describe('the model is shown it before its next turn', () => {
  test('while the model answers, the answer goes on, and one more turn follows it', () => {
    const spoken = started().and(injects('in German'))
    expect(spoken.prompt()).toEqual(['user: hello'])
    const story = spoken.when(says('Done.')).gives({
      state: 'model',
      path: ['model', 'safety', 'loop', 'model'],
      effects: ['2 model.call'],
      verdicts: ['input.taken taken'],
    })
    expect(story.prompt()).toEqual(['user: hello', 'assistant: Done.', 'user: in German'])
    story.when(says('Fertig.')).gives({
      state: 'completed',
      path: ['model', 'safety', 'completed'],
      outcome: 'completed',
      timeout: 'cleared',
    })
  })

  test('while calls run, it waits until each has its result', () => {
    const open = started().and(asks('search', 'write')).and(injects('stop at two'))
    const half = open.and(completes(1))
    expect(half.verdicts.map(({ type }) => type)).not.toContain('input.taken')
    const story = half.and(completes(0))
    expect(story.prompt()).toEqual([
      'user: hello',
      'assistant: tool_call c_0123456789ab_1_0|tool_call c_0123456789ab_1_1',
      'result c_0123456789ab_1_0 search: result 0',
      'result c_0123456789ab_1_1 write: result 1',
      'user: stop at two',
    ])
  })

  test('while a human is asked, it waits, and so does the run', () => {
    const asking = given(
      agentWith({ guardrails: { approvalTools: ['search'] } }),
      created,
      admitted,
    )
    asking
      .and(asks('search'))
      .when(injects('hurry'))
      .gives({ state: 'approval', status: 'waiting' })
  })

  test('before the run begins, it stands behind what the run is about', () => {
    const story = given(agent, created).and(injects('and')).and(injects('also')).and(admitted)
    expect(story.prompt()).toEqual(['user: hello|and|also'])
  })

  test('a retry of the turn does not show it, for the answer may still come', () => {
    const retried = started().and(injects('in German')).and(answers(overloaded()))
    expect(retried.prompt()).toEqual(['user: hello'])
    expect(retried.and(says('Done.')).prompt().at(-1)).toBe('user: in German')
  })

  test('behind an answer that was cut and goes on', () => {
    const cutting = given(agentWith({ continuations: 1 }), created, admitted)
    const story = cutting.and(injects('shorter')).and(says('It begins', cut('length', 0)))
    expect(story.prompt()[1]).toMatch(/^assistant: It begins/)
    expect(story.prompt()[2]).toMatch(/^user: shorter\|/)
  })

  test('blank words are none, and no request ends with an answer', () => {
    const story = started().and(injects(' ')).and(says('Done.'))
    expect(story.prompt()).toEqual(['user: hello', 'assistant: Done.', 'user: (no input)'])
  })
})

describe('a run that ends', () => {
  test('hears what came behind the answer that would have ended it (D7)', () => {
    started()
      .when(says('Done.'), injects('in German'))
      .gives({
        state: 'model',
        path: ['model', 'safety', 'loop', 'model'],
        effects: ['2 model.call'],
        verdicts: ['input.taken taken'],
      })
  })

  test('at its last turn ends as by the limit, and says what it left', () => {
    const story = given(agentWith({ limits: { maxTurns: 1 } }), created, admitted)
      .and(injects('in German'))
      .when(says('Done.'))
      .gives({
        state: 'completed',
        path: ['model', 'safety', 'loop', 'completed'],
        outcome: 'budget_exhausted',
        verdicts: ['budget.exhausted turns', 'input.left left'],
        timeout: 'cleared',
      })
    const later = story.prompt(said(['go on']))
    expect(later.at(-1)).toBe('user: in German|go on')
  })

  test.each([
    ['cancelled', cancels(), 'cancelled'],
    ['timed out', fires(), 'timed_out'],
  ])('%s says what it left, also what came while it was ending', (_, ends, outcome) => {
    const slow = given(agentWith({ limits: { timeoutMs: 5 } }), created, admitted).after(10)
    const ending = slow.and(asks('search')).and(injects('one')).and(ends).and(injects('two'))
    const story = ending.and(completes(0))
    expect(story.decision.outcome).toBe(outcome)
    expect(story.verdicts.at(-1)).toMatchObject({ type: 'input.left', payload: { through: 6 } })
    expect(story.prompt(said(['so?'])).at(-1)).toBe('user: one|two|so?')
  })

  test('faulted with what was said in the same batch: later runs read it', () => {
    const story = started().and(injects('lost?'), faults)
    expect(story.prompt(said(['so?']))).toEqual(['user: hello|lost?|so?'])
  })

  test('what goes on from before it has not heard it', () => {
    const { log } = started().and(injects('lost?'), faults)
    const { payload } = said(['so?'])
    const fork = event('run.created', { ...payload, base: { runId: 'r', seq: 2 } })
    expect(promptOf([...log.slice(0, 3), fork])).toEqual(['user: hello|so?'])
  })
})

test('an edit hears nothing: it asks no model', () => {
  const edit = given(agent, () => {
    const fact = created({ run: 'r', state: given(agent).state, effects: [], verdicts: [] })
    return fact.type === 'run.created'
      ? { ...fact, payload: { ...fact.payload, edit: { messages: [] } } }
      : fact
  })
  edit
    .when(injects('x'))
    .gives({ state: 'queued', status: 'queued', verdicts: ['event.ignored ignored'] })
})

test('a state in which nobody has spoken is cached as it was before there was speaking', () => {
  const { state } = started()
  expect(persist(state)['context']).not.toHaveProperty('injected')
  const spoken = started().and(injects('x')).state
  expect(reviveState(persist(spoken))).toEqual(spoken)
})

const numRuns = 200

test('whatever happens, what was said is in a later prompt, or the run ended otherwise than completed', () => {
  let shown = 0
  checker(numRuns)(({ world, subject }) => {
    world.settle(1)
    const carried = conversationTypes
    for (const fact of world.facts) {
      if (fact.type !== 'input.injected') continue
      const words = fact.payload.messages.flatMap(({ parts }) =>
        parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
      )
      const reads = (events: readonly FoldableEvent[]): boolean => {
        const kept = events.filter(({ type }) => carried.some((each) => each === type))
        const prompt = JSON.stringify(project('', kept))
        return words.every((word) => prompt.includes(JSON.stringify(word)))
      }
      const asking = world.decisions.filter(
        ({ decision, facts }) =>
          (facts.at(-1)?.seq ?? 0) >= fact.seq &&
          decision.effects.some(({ kind }) => kind === 'model.call'),
      )
      const isShown = asking.some(({ logged }) => reads(world.log.slice(0, logged)))
      if (isShown) shown += 1
      else if (world.ended) {
        const { outcome } = world.decisions.at(-1)?.decision ?? {}
        assert.notEqual(outcome, 'completed')
        if (subject.agent.safety.afterRefusal === 'keep')
          assert.ok(reads([...world.log, said(['so?'])]))
      } else assert.notEqual(world.state.context.injected, 0)
    }
  })
  expect(shown).toBeGreaterThan(0)
})
