/**
 * Which decisions ask for learning, and where a run that learns ends. Would catch: learning from what ended badly, from a rerun, a child or a private
 * conversation, learning twice, and a learner that is asked for closing words.
 */
import { expect, test } from 'vitest'
import {
  type FactPayload,
  learnerOf,
  limits,
  type MemoryEffect,
  MemoryConfig,
  memoryToolNames,
  AgentDefinition,
  type Outcome,
  persist,
} from '../../src/index.ts'
import { agentWith, modelNamed } from '../support/agent.ts'
import {
  admitted,
  answers,
  asks,
  cancels,
  completes,
  created,
  cut,
  fails,
  faults,
  fires,
  type Move,
  says,
  tripped,
} from '../support/facts.ts'
import { reviveState } from '../support/machine.ts'
import { given } from '../support/story.ts'

const memory = MemoryConfig.parse({ learn: true })
const learning = agentWith({ memory })

const createdFor =
  (more: Partial<FactPayload<'run.created'>>): Move =>
  (known) => {
    const fact = created(known)
    if (fact.type !== 'run.created') return fact
    return { ...fact, payload: { ...fact.payload, ...more } }
  }

const learned = { memory: { threadId: 'm', learn: true } } as const

const ended = (
  agent: typeof learning,
  begun: Partial<FactPayload<'run.created'>>,
  ...moves: readonly Move[]
) => {
  const { decision } = given(agent, createdFor(begun), admitted).and(...moves)
  const asked = decision.effects.filter(
    (effect): effect is MemoryEffect => effect.kind === 'memory.learn',
  )
  return { outcome: decision.outcome, asked }
}

test('a run that completed asks for learning, once, after the delay', () => {
  const { outcome, asked } = ended(learning, learned, answers())
  expect(outcome).toBe('completed')
  expect(asked).toEqual([
    {
      kind: 'memory.learn',
      id: expect.stringMatching(/\.2$/),
      mode: 'idempotent',
      queue: 'memory',
      delayMs: 30_000,
    },
  ])
  // Facts that come later change nothing: it has ended.
  const after = given(learning, createdFor(learned), admitted, answers()).and(cancels())
  expect(after.decision.effects).toEqual([])
})

test('the batch that ends it brings what it asked for before to nothing, and the learning stands', () => {
  const story = given(agentWith({ memory }), createdFor(learned), admitted, asks('search:x'))
  const { decision } = story.and(completes(0)).and(answers())
  expect(decision.effects.map(({ kind }) => kind)).toEqual(['memory.learn'])
})

test.each<readonly [Outcome, Move]>([
  ['safety_stopped', says('', cut('safety', 0))],
  ['refused', says('I will not', cut('refusal', 0))],
  ['guardrail_stopped', answers(tripped('stop'))],
  ['length_stopped', says('and then', cut('length', 0))],
  ['cancelled', cancels()],
  ['rolled_back', cancels('rollback')],
  ['failed', faults],
])('§19 memory 3: nothing is learned of a run that ended as %s', (outcome, end) => {
  const moves = outcome === 'cancelled' || outcome === 'rolled_back' ? [end, answers()] : [end]
  expect(ended(learning, learned, ...moves)).toEqual({ outcome, asked: [] })
})

test('§19 memory 3: nothing of a run out of time, a rerun, a child, a private run, or an agent that does not learn', () => {
  const timedOut = given(learning, createdFor(learned), admitted)
    .after(learning.limits.timeoutMs)
    .and(fires())
    .and(answers())
  expect(timedOut.decision).toMatchObject({ outcome: 'timed_out', effects: [] })
  const parent = { runId: 'p', callId: 'c', effectId: 'p.1', rootId: 'p', depth: 1 }
  const outcome = 'completed'
  expect(ended(learning, { ...learned, rerun: { runId: 'p' } }, answers())).toEqual({
    outcome,
    asked: [],
  })
  expect(ended(learning, { ...learned, parent }, answers())).toEqual({ outcome, asked: [] })
  expect(ended(learning, {}, answers())).toEqual({ outcome, asked: [] })
  expect(ended(learning, { memory: { threadId: 'm' } }, answers())).toEqual({ outcome, asked: [] })
  expect(ended(agentWith({ memory: MemoryConfig.parse({}) }), learned, answers())).toEqual({
    outcome,
    asked: [],
  })
  expect(ended(agentWith({}), learned, answers())).toEqual({ outcome, asked: [] })
})

test('the mark is part of the cached state, and only where there is one', () => {
  const { state } = given(learning, createdFor(learned), admitted)
  expect(state.context.learns).toBe(1)
  expect(reviveState(persist(state))).toEqual(state)
  const without = given(agentWith({}), created, admitted).state
  expect(JSON.stringify(persist(without))).not.toContain('learns')
})

test('a run that learns ends when the calls of its turn have settled, whatever became of them', () => {
  const learner = learnerOf(learning)
  const tea = 'remember:tea'
  const story = given(learner, created, admitted, asks(tea, tea))
  story
    .and(completes(0))
    .when(fails(1))
    .gives({
      state: 'completed',
      status: 'ended',
      outcome: 'completed',
      path: ['tools', 'loop', 'completed'],
      timeout: 'cleared',
    })
  // None of them can run: it ends as well.
  const denied = given(learner, created, admitted).and(asks('unknown:x'))
  expect(denied.decision).toMatchObject({ outcome: 'completed', effects: [] })
  // Without calls it has nothing to keep.
  expect(given(learner, created, admitted).and(says('none')).decision.outcome).toBe('completed')
  // Any other agent goes on.
  const other = given(agentWith({}), created, admitted, asks('search:x')).and(completes(0))
  expect(other.decision.effects.map(({ kind }) => kind)).toEqual(['model.call'])
})

test('the learner: its own tools and limits, the safety of the agent, and guards for secrets and personal data', () => {
  const agent = agentWith({
    memory: MemoryConfig.parse({ learn: true, model: 'small' }),
    fallbackModels: [modelNamed('small')],
    guardrails: { allowedTools: ['search'], approvalTools: ['search'], deniedTools: ['forget'] },
    title: 'words',
    todo: true,
    limits: { maxCost: 2 },
  })
  const learner = learnerOf(agent)
  expect(AgentDefinition.parse(learner)).toEqual(learner)
  expect(learner.name).toBe('signalbox:memory')
  expect(learner.model.model).toBe('small')
  expect(learner.tools.map(({ name }) => name)).toEqual([...memoryToolNames].toSorted())
  expect(learner.guardrails).toMatchObject({
    allowedTools: null,
    deniedTools: ['forget'],
    approvalTools: [],
    stream: [
      { use: 'secrets', arguments: true },
      { use: 'pii', arguments: true },
    ],
  })
  expect(learner.limits).toMatchObject({
    maxTurns: 2,
    maxToolCalls: 20,
    maxTokens: 50_000,
    timeoutMs: 120_000,
    maxCost: 2,
  })
  expect([learner.title, learner.todo, learner.fallbackModels]).toEqual([undefined, undefined, []])
  const own = { use: 'secrets', action: 'stop', arguments: false, toolResults: false } as const
  const guarded = learnerOf({ ...agent, guardrails: { ...agent.guardrails, stream: [own] } })
  expect(guarded.guardrails.stream.map(({ use }) => use)).toEqual(['secrets', 'pii'])
  expect(guarded.guardrails.stream[0]).toEqual(own)
  expect(limits.learnTurnsMax).toBe(2)
})
