/** The loop check: every set that was asked for counts, whatever became of it. */
import { expect, test } from 'vitest'
import type { AgentDefinition } from '../src/index.ts'
import { agentWith } from './support/agent.ts'
import { admitted, answers, asks, completes, created, cut, fails } from './support/facts.ts'
import { approves, deniedAtDispatch, rejects } from './support/permissions.ts'
import { given, type Story } from './support/story.ts'

const started = (loop: Partial<AgentDefinition['loop']>) =>
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
  const story = searching(
    started({ warnThreshold: 2, hardLimit: 2, windowSize: 3, cycles: null }),
    'a',
    'b',
    'c',
  )
  expect(story.and(asks('search:a')).state.name).toBe('tools')
  const nearer = searching(
    started({ warnThreshold: 2, hardLimit: 2, windowSize: 3, cycles: null }),
    'a',
    'b',
  )
  expect(nearer.and(asks('search:a')).decision.outcome).toBe('loop_stopped')
})

test('a set that left the window may be warned about again', () => {
  const story = started({
    warnThreshold: 2,
    hardLimit: 4,
    windowSize: 4,
    cycles: null,
    stagnation: null,
  })
  expect(verdictsOf(searching(story, 'a', 'a', 'a'))).toEqual(['loop.warned'])
  expect(verdictsOf(searching(story, 'a', 'a', 'b', 'c', 'd', 'e', 'a', 'a'))).toEqual([
    'loop.warned',
    'loop.warned',
  ])
})

test('sets that were denied, rejected or failed count like any other', () => {
  const set = asks('pay:a', 'rm:a')
  const story = started({ warnThreshold: 5, hardLimit: 5 })
    .and(set)
    .and(approves(0, 'pay'))
    .and(fails(0))
    .and(set)
    .and(approves(0, 'pay'))
    .and(deniedAtDispatch(0, 'pay'))
    .and(set)
    .and(rejects(0, 'pay'))
    .and(set)
  expect(story.state.name).toBe('model')
  expect(story.and(set).decision.outcome).toBe('loop_stopped')
})

test('a denied set that is all there is cannot turn for ever', () => {
  let story = started({ warnThreshold: 3, hardLimit: 3 })
  for (let n = 0; n < 3; n++) story = story.and(asks('rm:a'))
  expect(story.decision.outcome).toBe('loop_stopped')
})

test('a turn whose calls were suppressed is no step of a loop', () => {
  const story = searching(started({ warnThreshold: 2, hardLimit: 2 }), 'a')
  const retried = story.and(answers(cut('interrupted')))
  expect(retried.state.context.loop).toEqual(story.state.context.loop)
  expect(retried.and(asks('search:b')).state.name).toBe('tools')
})

test('a limit of one refuses the first set', () => {
  expect(started({ warnThreshold: 1, hardLimit: 1 }).and(asks('search:a')).decision.outcome).toBe(
    'loop_stopped',
  )
})

test('an armed set is refused before its approval is asked', () => {
  started({ warnThreshold: 2, hardLimit: 2 })
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

test('a set whose results change is no repetition: the check reads them', () => {
  let story = started({ warnThreshold: 3, hardLimit: 3 })
  for (let n = 0; n < 4; n++) story = story.and(asks('search:a')).and(completes(0, `result ${n}`))
  expect(verdictsOf(story)).toEqual([])
  expect(story.and(asks('search:a')).state.name).toBe('tools')
})

test('a tool that is asked for too often is told about, then refused', () => {
  const story = searching(started({ toolFreqWarn: 2, toolFreqHardLimit: 4 }), 'a', 'b', 'c')
  expect(verdictsOf(story)).toEqual(['loop.warned'])
  expect(story.and(asks('search:d')).decision.verdicts[0]?.payload).toMatchObject({
    layer: 'tool_frequency',
    tools: ['search'],
    count: 4,
    threshold: 4,
    messageId: 'm_0123456789ab_4',
  })
})

test('different reads that all give the same are told about', () => {
  const stagnation = { warn: 2, hardLimit: null }
  const story = searching(started({ stagnation }), 'a', 'b', 'c')
  expect(verdictsOf(story)).toEqual(['loop.warned'])
  expect(story.verdicts[0]?.payload).toMatchObject({ layer: 'stagnant_results', count: 2 })
})
