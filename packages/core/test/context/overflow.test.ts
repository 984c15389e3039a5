/**
 * Recovery from an overflow (context systems, §5.2 stage 5). Would catch: a fallback model that is asked the same too long request, a turn that
 * is made lighter for ever, a log of an older build that is decided otherwise.
 */
import { describe, expect, test } from 'vitest'
import type { RoomMeasure } from '../../src/index.ts'
import { agentWith, modelNamed } from '../support/agent.ts'
import { admitted, asks, completes, created, run } from '../support/facts.ts'
import { given } from '../support/story.ts'
import { cutAt, overflows, roomyAgent } from '../support/room.ts'

const cuts = [
  cutAt(40, 0, { results: 9, cleared: 60_000 }),
  cutAt(36, 1, { results: 8, cleared: 55_000 }),
  cutAt(30, 2, { results: 7, cleared: 50_000 }),
  cutAt(24, 3, { results: 6, cleared: 45_000 }),
]
const room: RoomMeasure = { tokens: 110_000, cuts }
const fallbackModels = [modelNamed('b')]
const started = (agent = agentWith({ fallbackModels })) =>
  given(agent, created, admitted).and(asks('search')).and(completes(0))

test('the same turn is asked again, lighter, before another model', () => {
  const story = started()
    .when(overflows(room))
    .gives({
      state: 'model',
      path: ['model', 'safety', 'model'],
      effects: ['4 model.call'],
      verdicts: ['context.pruned pruned'],
    })
  expect(story.decision.effects).toMatchObject([
    { turn: 2, retry: 1, model: 0, messageId: 'm_0123456789ab_2' },
  ])
  // A window of 99,000 is learned: less the answer, 90,808. Two turns stay, half of four.
  expect(story.decision.verdicts[0]?.payload).toMatchObject({
    turn: 2,
    through: { runId: run, seq: 30 },
    results: 7,
    tokens: { before: 110_000, after: 60_000 },
  })
})

test('once per turn: then the next model is asked, and sees the lighter request', () => {
  started()
    .and(overflows(room))
    .when(overflows(room))
    .gives({
      state: 'model',
      path: ['model', 'safety', 'model'],
      effects: ['5 model.call'],
      verdicts: ['model.replaced context_overflow'],
    })
})

test('in the next turn it may be made lighter again', () => {
  started()
    .and(overflows(room))
    .and(asks('search:b'))
    .and(completes(0))
    .when(overflows(room))
    .gives({
      state: 'model',
      path: ['model', 'safety', 'model'],
      effects: ['7 model.call'],
      verdicts: ['context.pruned pruned'],
    })
})

test('where no place brings enough, nothing is cleared in vain: what is before one is summed up', () => {
  // 60,000 less 8,192 are 51,808, and two turns less come to 60,000.
  started()
    .when(overflows(room, 60_000))
    .gives({
      state: 'context',
      path: ['model', 'safety', 'context'],
      effects: ['4 context.compact'],
    })
})

test('a run that has asked for nothing yet may have all results before it cleared', () => {
  const story = given(roomyAgent(), created, admitted).and(
    overflows({
      tokens: 120_000,
      window: 100_000,
      unsent: true,
      cuts: [cutAt(2, 0, { results: 9, cleared: 60_000 })],
    }),
  )
  expect(story.decision.verdicts[0]?.payload).toMatchObject({ through: { runId: run, seq: 2 } })
  // The model was not asked, and has taught nothing.
  expect(story.state.context.room?.window).toBe(0)
})

describe('results of the newest turn, which alone are more than the window (§18 row 3)', () => {
  const huge: RoomMeasure = {
    tokens: 160_000,
    cuts: [cutAt(40, 0, { results: 20, cleared: 150_000 }), cutAt(3, 1, { kept: 155_000 })],
  }
  const tools = agentWith().tools.flatMap((tool) =>
    tool.name === 'search' ? [tool, { ...tool, name: 'read_result' }] : [tool],
  )

  test('are cleared where the model can read them one by one', () => {
    const agent = roomyAgent({}, { tools, fallbackModels })
    const story = started(agent)
      .when(overflows(huge))
      .gives({
        state: 'model',
        path: ['model', 'safety', 'model'],
        effects: ['4 model.call'],
        verdicts: ['context.pruned pruned'],
      })
    expect(story.decision.verdicts[0]?.payload).toMatchObject({
      through: { runId: run, seq: 40 },
      results: 20,
      tokens: { before: 160_000, after: 10_000 },
    })
  })

  test('stay where it cannot: another model is asked', () => {
    started(roomyAgent({}, { fallbackModels }))
      .when(overflows(huge))
      .gives({
        state: 'model',
        path: ['model', 'safety', 'model'],
        effects: ['4 model.call'],
        verdicts: ['model.replaced context_overflow'],
      })
  })

  test('are not cleared where a summary of what is before them is enough', () => {
    const agent = roomyAgent({}, { tools, fallbackModels })
    const places = [
      cutAt(40, 0, { results: 20, cleared: 150_000 }),
      cutAt(36, 1, { kept: 10_000 }),
      cutAt(20, 2, { kept: 90_000 }),
    ]
    started(agent)
      .when(overflows({ tokens: 160_000, cuts: places }))
      .gives({
        state: 'context',
        path: ['model', 'safety', 'context'],
        effects: ['4 context.compact'],
      })
  })
})

describe('as before', () => {
  const replaced = {
    state: 'model',
    path: ['model', 'safety', 'model'],
    effects: ['4 model.call'],
    verdicts: ['model.replaced context_overflow'],
  } as const

  test('an overflow of which nothing was measured, as older builds record it', () => {
    started().when(overflows()).gives(replaced)
  })

  test('one of a request in which nothing can be cleared', () => {
    started()
      .when(overflows({ tokens: 110_000, cuts: [cutAt(36, 1)] }))
      .gives(replaced)
  })

  test('without another model the run fails', () => {
    started(agentWith())
      .when(overflows({ tokens: 110_000, cuts: [] }))
      .gives({
        state: 'failed',
        path: ['model', 'safety', 'failed'],
        outcome: 'failed',
        verdicts: ['turn.cut error'],
        timeout: 'cleared',
      })
  })
})
