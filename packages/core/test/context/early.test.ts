/**
 * The first request of a run, over a mark before anything of the run was counted (context systems §4.1, §5.2). Would catch: a run that ends because
 * its summary failed although its request fits, a summary that takes the place of the recovery from an overflow, a mark that holds for all turns but
 * the first.
 */
import { describe, expect, test } from 'vitest'
import type { RoomCut, RoomMeasure } from '../../src/index.ts'
import { modelNamed } from '../support/agent.ts'
import { admitted, asks, completes, created, run } from '../support/facts.ts'
import { given, type Story } from '../support/story.ts'
import {
  compacts,
  type ContextPatch,
  cutAt,
  overflows,
  roomyAgent,
  summaryRefused,
  unchanged,
} from '../support/room.ts'

/** The room is 80,000: pruned from 48,000 on, where that brings 12,000; summed up from 64,000 on, and 8,000 stay. */
const cuts: readonly RoomCut[] = [
  cutAt(30, 0),
  cutAt(26, 1, { kept: 2_500 }),
  cutAt(22, 2, { kept: 5_000 }),
  cutAt(18, 3, { kept: 7_500 }),
  cutAt(14, 4, { kept: 10_000 }),
  cutAt(10, 6, { kept: 15_000 }),
]
const early = (tokens: number, places = cuts): RoomMeasure => ({
  tokens,
  window: 100_000,
  unsent: true,
  early: true,
  cuts: [...places],
})
const limits = { maxTokens: 10_000_000 }
const fallbackModels = [modelNamed('b')]

const begun = (context: ContextPatch = {}): Story =>
  given(roomyAgent(context, { limits, fallbackModels }), created, admitted)

const waits = {
  state: 'context',
  path: ['model', 'safety', 'context'],
  effects: ['2 context.compact'],
} as const
const resumes = {
  state: 'model',
  path: ['context', 'model'],
  effects: ['3 model.call'],
} as const

const clearable = cuts.map((cut) =>
  cut.turns === 4 ? { ...cut, cleared: 20_000, results: 9 } : cut,
)

describe('the first request of a run', () => {
  test('over the mark of summaries waits for one, and is asked with it', () => {
    const story = begun()
      .when(overflows(early(70_000)))
      .gives(waits)
    expect(story.decision.effects).toMatchObject([
      { turn: 1, through: { runId: run, seq: 18 }, maxTokens: 2_500_000 },
    ])
    expect(story.decision.effects[0]).not.toHaveProperty('overflow')
    const asked = story.when(compacts(0)).gives(resumes)
    expect(asked.decision.effects).toMatchObject([
      { turn: 1, retry: 1, model: 0, messageId: 'm_0123456789ab_1' },
    ])
    expect(asked.state.context.room).toMatchObject({ compactions: 1, compacted: 1, window: 0 })
  })

  test.each(['failed', 'safety', 'no_gain', 'cap'] as const)(
    'whose summary comes to nothing (%s) is asked as it is',
    (reason) => {
      begun()
        .and(overflows(early(70_000)))
        .when(unchanged(reason))
        .gives(resumes)
    },
  )

  test('for whose summary the budget of the tree has nothing left is asked as it is', () => {
    begun()
      .and(overflows(early(70_000)))
      .when(summaryRefused)
      .gives(resumes)
  })

  test('over the mark of prunes has its old results cleared, where that brings enough', () => {
    const story = begun()
      .when(overflows(early(50_000, clearable)))
      .gives({
        state: 'model',
        path: ['model', 'safety', 'model'],
        effects: ['2 model.call'],
        verdicts: ['context.pruned pruned'],
      })
    expect(story.decision.verdicts[0]?.payload).toMatchObject({
      turn: 1,
      through: { runId: run, seq: 14 },
      tokens: { before: 50_000, after: 30_000 },
    })
  })

  test('is summed up where a prune would leave it over that mark', () => {
    begun()
      .when(overflows(early(90_000, clearable)))
      .gives(waits)
  })

  test('is only pruned where it may not be summed up', () => {
    begun({ compact: { maxPerRun: 0 } })
      .when(overflows(early(90_000, clearable)))
      .gives({
        state: 'model',
        path: ['model', 'safety', 'model'],
        effects: ['2 model.call'],
        verdicts: ['context.pruned pruned'],
      })
  })
})

describe('an overflow behind it', () => {
  const overflown: RoomMeasure = {
    tokens: 70_000,
    cuts: [cutAt(30, 0), cutAt(26, 1, { cleared: 40_000, results: 9 })],
  }

  test('is recovered from, as of any turn, before another model is asked', () => {
    begun()
      .and(overflows(early(70_000)))
      .and(unchanged('failed'))
      .when(overflows(overflown))
      .gives({
        state: 'model',
        path: ['model', 'safety', 'model'],
        effects: ['4 model.call'],
        verdicts: ['context.pruned pruned'],
      })
  })

  test('is recovered from once', () => {
    begun()
      .and(overflows(early(70_000)))
      .and(unchanged('failed'))
      .and(overflows(overflown))
      .when(overflows(overflown))
      .gives({
        state: 'model',
        path: ['model', 'safety', 'model'],
        effects: ['5 model.call'],
        verdicts: ['model.replaced context_overflow'],
      })
  })

  test('is not recovered from by another summary at once', () => {
    begun()
      .and(overflows(early(70_000)))
      .and(compacts(0))
      .when(overflows({ tokens: 70_000, cuts: [...cuts] }))
      .gives({
        state: 'model',
        path: ['model', 'safety', 'model'],
        effects: ['4 model.call'],
        verdicts: ['model.replaced context_overflow'],
      })
  })
})

test('the turn behind it has the marks of every turn', () => {
  const story = begun()
    .and(overflows(early(70_000)))
    .and(compacts(0))
    .and(asks('search'))
    .and(completes(0))
  expect(story.state.name).toBe('model')
  expect(story.state.context).toMatchObject({ turn: 2, relieved: 0 })
})
