/** What starts a run: the effect, and which calls get none. */
import { describe, expect, test } from 'vitest'
import { createdAt, ends, parentWith, starts } from './support/children.ts'
import { admitted, argsHashOf, asks, asksOddly, created, fails, run } from './support/facts.ts'
import { approves } from './support/permissions.ts'
import { given } from './support/story.ts'

const agent = parentWith()
const started = () => given(agent, created, admitted)
const id = (n: number): string => `c_0123456789ab_1_${n}`

describe('the effect that starts a run', () => {
  const priced = { price: { inputPerMTok: 10, outputPerMTok: 20 } }
  const limits = { maxTurns: 9, maxToolCalls: 8, maxTokens: 100, timeoutMs: 9_000, maxCost: 0.001 }

  test('names the agent, its call, and what the run has left after the turn that asks', () => {
    const story = given(parentWith({ model: priced, limits }), created, admitted)
      .after(4_000)
      .and(asks('task:x', 'search'))
    expect(story.decision.effects).toEqual([
      {
        kind: 'run.start',
        id: `${run}.2`,
        mode: 'idempotent',
        queue: 'run',
        delayMs: 0,
        source: `${run}.1`,
        callId: id(0),
        tool: 'task',
        argsHash: argsHashOf('x'),
        agent: 'helper',
        depth: 1,
        // 1 turn, 2 calls, 15 tokens, 4 s and 10 × 10 + 5 × 20 millionths are used.
        left: {
          maxTurns: 8,
          maxToolCalls: 6,
          maxTokens: 85,
          timeoutMs: 5_000,
          maxCost: 0.0008,
        },
      },
      expect.objectContaining({ kind: 'tool.call', id: `${run}.3`, tool: 'search' }),
    ])
  })

  test('what is used up leaves nothing, never less', () => {
    const none = { ...limits, maxTurns: 1, maxToolCalls: 1, maxTokens: 10, maxCost: 0.0001 }
    const story = given(parentWith({ model: priced, limits: none }), created, admitted)
      .after(60_000)
      .and(asks('task'))
    expect(story.decision.effects).toMatchObject([
      { left: { maxTurns: 0, maxToolCalls: 0, maxTokens: 0, timeoutMs: 0, maxCost: 0 } },
    ])
  })

  test('no limit of money is passed on as none', () => {
    expect(started().and(asks('task')).decision.effects).toMatchObject([
      { left: { maxCost: null } },
    ])
  })

  test('what earlier children have used is not left, nor the time a human took to answer', () => {
    const spent = { turns: 3, calls: 2, tokens: 20, cost: 100, activeMs: 2_000 }
    const story = given(parentWith({ model: priced, limits }), created, admitted)
      .and(asks('task'))
      .and(starts(0))
      .after(3_000)
      .and(ends(0, spent))
      .and(asks('hire'))
      .after(86_400_000)
      .and(approves(0, 'hire'))
    expect(story.decision.effects).toMatchObject([
      // 2 + 3 turns, 2 + 2 calls, 30 + 20 tokens, 2 s, 400 + 100 millionths.
      {
        kind: 'run.start',
        left: { maxTurns: 4, maxToolCalls: 4, maxTokens: 50, timeoutMs: 7_000, maxCost: 0.0005 },
      },
    ])
  })

  test('is no different for the call of a child, but one deeper', () => {
    const story = given(agent, createdAt(2), admitted).and(asks('task'))
    expect(story.decision.effects).toMatchObject([{ kind: 'run.start', depth: 3 }])
  })
})

describe('a budget is shared', () => {
  test('not while the run has started none: not in the turn that starts the first', () => {
    started()
      .when(asks('task', 'task:b', 'search'))
      .gives({
        state: 'tools',
        effects: ['2 run.start task', '3 run.start task', '4 tool.call search'],
      })
  })

  test('from then on, whatever became of the child, and for every kind of work', () => {
    started()
      .and(asks('task'))
      .when(fails(0))
      .gives({ state: 'model', effects: ['3 model.call shared'] })
      .when(asks('search', 'task:b'))
      .gives({ state: 'tools', effects: ['4 tool.call search shared', '5 run.start task shared'] })
  })

  test('from its first model call, in a run that another one has started', () => {
    given(agent, createdAt(1))
      .when(admitted)
      .gives({ state: 'model', effects: ['1 model.call shared'], timeout: 3_600_000 })
      .when(asks('search', 'task'))
      .gives({ state: 'tools', effects: ['2 tool.call search shared', '3 run.start task shared'] })
  })

  test('by the retry of a model call, too', () => {
    const retried = given(agent, createdAt(1), admitted).and((known) => {
      const fact = asks()(known)
      if (fact.type !== 'model.completed') return fact
      const error = { class: 'overloaded', retryable: true, message: 'busy' } as const
      const turn = { ...fact.payload.turn, verdict: 'error' as const, error }
      return { ...fact, payload: { ...fact.payload, turn } }
    })
    expect(retried.decision.effects).toMatchObject([{ kind: 'model.call', retry: 1, shared: true }])
  })
})

test('two calls under one id: the second is denied, and only one run is started', () => {
  const twice = asksOddly(['task', 'task:b'], (part) => ({ ...part, id: id(0) }))
  started()
    .when(twice)
    .gives({
      state: 'tools',
      effects: ['2 run.start task'],
      verdicts: ['call.denied denied task'],
    })
})
