/** The loop check: every set that was asked for counts, whatever became of it. */
import { expect, test } from 'vitest'
import { agentWith } from './support/agent.ts'
import {
  admitted,
  answers,
  approves,
  asks,
  completes,
  created,
  cut,
  fails,
  rejects,
} from './support/facts.ts'
import { given, type Story } from './support/story.ts'

const started = (loop: { warnThreshold?: number; hardLimit?: number; windowSize?: number }) =>
  given(agentWith({ loop }), created, admitted)

/** Asks and answers one set after the other. */
const searching = (story: Story, ...sets: readonly string[]): Story =>
  sets.reduce((told, set) => told.and(asks(`search:${set}`)).and(completes(0)), story)

const verdictsOf = (story: Story): readonly string[] =>
  story.verdicts.map((verdict) => verdict.type)

test('warned once when the threshold is reached; armed one short of the limit; then refused', () => {
  const story = started({ warnThreshold: 2, hardLimit: 4 })
  searching(story, 'a')
    .when(asks('search:a'))
    .gives({
      state: 'tools',
      effects: ['4 tool.call search'],
      verdicts: ['loop.warned warned'],
    })
    .and(completes(0))
    .when(asks('search:a'))
    .gives({ state: 'tools', effects: ['6 tool.call search'] })
    .and(completes(0))
    .when(asks('search:a'))
    .gives({
      state: 'completed',
      outcome: 'loop_stopped',
      verdicts: ['loop.stopped stopped'],
      timeout: 'cleared',
    })
})

test('the warning says which tools and how often', () => {
  const story = started({ warnThreshold: 2 })
    .and(asks('search:a', 'search:b'))
    .and(completes(0), completes(1))
    .and(asks('search:b', 'search:a'))
  expect(story.decision.verdicts[0]?.payload).toMatchObject({
    set: expect.stringMatching(/^[0-9a-f]{12}$/),
    tools: ['search', 'search'],
    count: 2,
  })
})

test('sets need not be consecutive', () => {
  const story = searching(started({ warnThreshold: 2, hardLimit: 3 }), 'a', 'b', 'a', 'b')
  expect(verdictsOf(story)).toEqual(['loop.warned', 'loop.warned'])
  expect(story.and(asks('search:a')).decision.outcome).toBe('loop_stopped')
})

test('the window holds the last sets, this one included', () => {
  const story = searching(started({ warnThreshold: 9, hardLimit: 2, windowSize: 3 }), 'a', 'b', 'c')
  expect(story.and(asks('search:a')).state.name).toBe('tools')
  const nearer = searching(started({ warnThreshold: 9, hardLimit: 2, windowSize: 3 }), 'a', 'b')
  expect(nearer.and(asks('search:a')).decision.outcome).toBe('loop_stopped')
})

test('a set that left the window may be warned about again', () => {
  const story = started({ warnThreshold: 2, hardLimit: 9, windowSize: 2 })
  expect(verdictsOf(searching(story, 'a', 'a', 'a'))).toEqual(['loop.warned'])
  expect(verdictsOf(searching(story, 'a', 'a', 'b', 'c', 'a', 'a'))).toEqual([
    'loop.warned',
    'loop.warned',
  ])
})

test('sets that were denied, rejected or failed count like any other', () => {
  const story = started({ warnThreshold: 9, hardLimit: 4 })
    .and(asks('pay:a', 'rm:a'))
    .and(rejects(0, 'pay'))
    .and(asks('pay:a', 'rm:a'))
    .and(approves(0, 'pay'))
    .and(fails(0))
    .and(asks('pay:a', 'rm:a'))
    .and(rejects(0, 'pay'))
    .and(asks('pay:a', 'rm:a'))
  expect(story.decision.outcome).toBe('loop_stopped')
})

test('a denied set that is all there is cannot turn for ever', () => {
  let story = started({ warnThreshold: 9, hardLimit: 3 })
  for (let n = 0; n < 3; n++) story = story.and(asks('rm:a'))
  expect(story.decision.outcome).toBe('loop_stopped')
})

test('a turn whose calls were suppressed is no step of a loop', () => {
  const story = searching(started({ warnThreshold: 9, hardLimit: 2 }), 'a')
  const retried = story.and(answers(cut('interrupted')))
  expect(retried.state.context.window).toHaveLength(1)
  expect(retried.and(asks('search:b')).state.name).toBe('tools')
})

test('a limit of one refuses the first set', () => {
  expect(started({ hardLimit: 1 }).and(asks('search:a')).decision.outcome).toBe('loop_stopped')
})

test('an armed set is refused before its approval is asked', () => {
  started({ warnThreshold: 9, hardLimit: 2 })
    .and(asks('pay:a'))
    .and(rejects(0, 'pay'))
    .when(asks('pay:a'))
    .gives({
      state: 'completed',
      outcome: 'loop_stopped',
      verdicts: ['loop.stopped stopped'],
      timeout: 'cleared',
    })
})
