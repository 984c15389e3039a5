/**
 * Images where a request is made lighter, refused, or answered by another model (context systems §5.2 stage 1, §13, §18 row 23, §19 images 3
 * and 4). Would catch: words that are cleared while images would do, a thread that no model ever answers again because of one image, a request
 * that a provider stopped for what a picture shows and that is made again, a model that is silently asked without what its user sent.
 */
import { describe, expect, test } from 'vitest'
import type { ModelConfig, RoomCut } from '../../src/index.ts'
import { agentWith, modelNamed } from '../support/agent.ts'
import {
  admitted,
  answers,
  asks,
  completes,
  created,
  cut,
  type Move,
  overloaded,
  run,
} from '../support/facts.ts'
import { given, type Story } from '../support/story.ts'
import { cutAt, overflows, roomyAgent, unchanged, weighing } from '../support/room.ts'

/** The move, with a request that shows images of so many tokens each. */
const showing =
  (move: Move, tokens: readonly number[]): Move =>
  (known) => {
    const fact = move(known)
    if (fact.type === 'context.unchanged')
      return { ...fact, payload: { ...fact.payload, images: tokens.length } }
    if (fact.type !== 'model.completed') return fact
    const { room } = fact.payload
    const weighed = room ? { room: { ...room, images: [...tokens] } } : {}
    return { ...fact, payload: { ...fact.payload, ...weighed, images: tokens.length } }
  }

const eight = Array.from({ length: 8 }, () => 1_600)

/** The room is 80,000, pruned from 48,000 on. */
const after = (
  tokens: number,
  { agent = roomyAgent(), images = eight, cleared = 0 } = {},
): Story => {
  const cuts: readonly RoomCut[] = [cutAt(18, 3, { results: cleared > 0 ? 5 : 0, cleared })]
  const weight = { input: tokens, bytes: tokens * 4, cuts }
  return given(agent, created, admitted).and(showing(weighing(asks('search'), weight), images))
}
const begins = {
  state: 'model',
  path: ['tools', 'loop', 'model'],
  effects: ['3 model.call'],
} as const

describe('between two turns', () => {
  const cheap = { prune: { minTokens: 4_000 } }

  test('the oldest images give way, and words stay where that is enough', () => {
    const story = after(50_000, { agent: roomyAgent(cheap), cleared: 20_000 })
      .when(completes(0))
      .gives({ ...begins, verdicts: ['context.pruned pruned'] })
    expect(story.decision.verdicts[0]?.payload).toMatchObject({
      turn: 2,
      results: 0,
      inputs: 0,
      // Four stay. Nothing is cleared but images: 4 × 1,600.
      images: 4,
      tokens: { before: 50_033, after: 43_633 },
      rule: { images: 4 },
    })
  })

  test('words give way with them where it is not', () => {
    const story = after(58_000, { agent: roomyAgent(cheap), cleared: 20_000 }).and(completes(0))
    expect(story.decision.verdicts[0]?.payload).toMatchObject({
      through: { runId: run, seq: 18 },
      results: 5,
      images: 4,
      tokens: { before: 58_033, after: 31_633 },
      rule: { images: 4 },
    })
  })

  test('both count for what a prune is worth', () => {
    // 12,000 at the least: neither 9,000 of words nor 6,400 of images are.
    const story = after(50_000, { cleared: 9_000 }).and(completes(0))
    expect(story.decision.verdicts[0]?.payload).toMatchObject({ results: 5, images: 4 })
    after(50_000, { cleared: 5_000 }).when(completes(0)).gives(begins)
    after(50_000).when(completes(0)).gives(begins)
  })

  test('as many stay as the agent says', () => {
    const keeping = (keep: number) => {
      const agent = roomyAgent({ ...cheap, images: { keep } })
      return after(50_000, { agent }).and(completes(0)).decision.verdicts[0]?.payload
    }
    expect(keeping(1)).toMatchObject({ images: 7, rule: { images: 1 } })
    expect(keeping(0)).toMatchObject({ images: 8, rule: { images: 0 } })
    expect(keeping(8)).toBeUndefined()
  })

  test('where there are no more images than stay, nothing is said of any', () => {
    const story = after(50_000, { images: eight.slice(4), cleared: 20_000 }).and(completes(0))
    expect(story.decision.verdicts[0]?.payload).not.toHaveProperty('images')
    expect(story.decision.verdicts[0]?.payload).not.toHaveProperty('rule.images')
  })

  test('what gave way weighs no more: the next turn prunes nothing', () => {
    after(50_000, { agent: roomyAgent(cheap) })
      .and(completes(0))
      .and(weighing(asks('search'), { input: 44_000, bytes: 170_000 }))
      .when(completes(0))
      .gives({ state: 'model', path: ['tools', 'loop', 'model'], effects: ['5 model.call'] })
  })
})

describe('the first request of a run', () => {
  const first = (tokens: number, images: readonly number[]) =>
    given(roomyAgent({ prune: { minTokens: 4_000 } }), created, admitted).and(
      overflows({
        tokens,
        window: 100_000,
        unsent: true,
        early: true,
        images: [...images],
        cuts: [cutAt(2, 0), cutAt(1, 4, { results: 3, cleared: 20_000 })],
      }),
    )

  test('is made lighter by its images alone where that is enough', () => {
    expect(first(50_000, eight).decision.verdicts[0]?.payload).toMatchObject({
      turn: 1,
      results: 0,
      images: 4,
      tokens: { before: 50_000, after: 43_600 },
    })
  })

  test('and by words as well where it is not', () => {
    expect(first(60_000, eight).decision.verdicts[0]?.payload).toMatchObject({
      through: { runId: run, seq: 1 },
      results: 3,
      images: 4,
      tokens: { before: 60_000, after: 33_600 },
    })
  })
})

describe('a request that overflowed', () => {
  const began = given(roomyAgent({}, { fallbackModels: [modelNamed('b')] }), created, admitted)
    .and(asks('search'))
    .and(completes(0))
  const room = (tokens: number, cuts: readonly RoomCut[] = []) => ({
    tokens,
    window: 100_000,
    images: [...eight],
    cuts: [cutAt(30, 0, { results: 9, cleared: 30_000 }), ...cuts],
  })

  test('loses all images but half of those that stay else, before any word', () => {
    const story = began.and(overflows(room(85_000), 100_000))
    // The provider says its window: 6 × 1,600 less is within the room of 80,000.
    expect(story.decision.verdicts[0]?.payload).toMatchObject({
      results: 0,
      images: 6,
      tokens: { before: 85_000, after: 75_400 },
      rule: { images: 2 },
    })
  })

  test('loses words with them where that does not do', () => {
    const cuts = [cutAt(24, 2, { results: 7, cleared: 25_000 })]
    const story = began.and(overflows(room(110_000, cuts), 100_000))
    expect(story.decision.verdicts[0]?.payload).toMatchObject({
      through: { runId: run, seq: 24 },
      results: 7,
      images: 6,
      tokens: { before: 110_000, after: 75_400 },
    })
  })

  test('loses the last images where nothing else is left, before another model is asked', () => {
    // Nothing brings it under 80,000, there is nothing to sum up, and no tool reads results again.
    const story = began.and(overflows({ ...room(99_000), cuts: [cutAt(30, 0)] }))
    expect(story.decision.verdicts[0]?.payload).toMatchObject({
      results: 0,
      images: 8,
      rule: { images: 0 },
    })
  })
})

describe('an image that the provider refuses', () => {
  const refusal = { class: 'invalid_request', retryable: false, images: true } as const
  const refused = (images: readonly number[], error: object = refusal): Move =>
    showing((known) => {
      const fact = answers(overloaded(error))(known)
      if (fact.type !== 'model.completed') return fact
      const room = { tokens: 9_000, cuts: [cutAt(2, 0)] }
      return { ...fact, payload: { ...fact.payload, room } }
    }, images)
  const started = given(agentWith(), created, admitted)

  test('does not end the run, nor spoil its thread: all images give way, and the same turn is asked again', () => {
    const story = started.when(refused([400, 1_600])).gives({
      state: 'model',
      path: ['model', 'safety', 'model'],
      effects: ['2 model.call'],
      verdicts: ['context.pruned pruned'],
    })
    expect(story.decision.verdicts[0]?.payload).toMatchObject({
      turn: 1,
      results: 0,
      inputs: 0,
      images: 2,
      tokens: { before: 9_000, after: 7_000 },
      rule: { images: 0 },
    })
    expect(story.decision.effects).toMatchObject([{ turn: 1, retry: 1, model: 0, delayMs: 0 }])
  })

  test('once per turn', () => {
    started
      .and(refused([400]))
      .when(refused([400]))
      .gives({
        state: 'failed',
        outcome: 'failed',
        verdicts: ['turn.cut error'],
        timeout: 'cleared',
      })
  })

  test('in the next turn it may happen again', () => {
    started
      .and(refused([400]))
      .and(asks('search'))
      .and(completes(0))
      .when(refused([400]))
      .gives({
        state: 'model',
        path: ['model', 'safety', 'model'],
        effects: ['5 model.call'],
        verdicts: ['context.pruned pruned'],
      })
  })

  test.each([
    ['that has none', refused([])],
    ['for another reason', refused([400], { ...refusal, images: undefined })],
  ])('is none where a request is refused %s', (_, move) => {
    started.when(move).gives({
      state: 'failed',
      outcome: 'failed',
      verdicts: ['turn.cut error'],
      timeout: 'cleared',
    })
  })
})

describe('another model', () => {
  const other = (vision: boolean): ModelConfig => ({
    ...modelNamed('b'),
    ...(vision ? { vision } : {}),
  })
  const asked = (vision: boolean, images: readonly number[]) =>
    given(
      agentWith({ fallbackModels: [other(vision)], modelRetries: { max: 0 } }),
      created,
      admitted,
    ).and(showing(answers(overloaded()), images))

  test('that sees none takes over without the images, and the log says how many', () => {
    expect(asked(false, [1, 2, 3]).decision.verdicts[0]).toMatchObject({
      type: 'model.replaced',
      payload: { from: 'm', to: 'b', images: 3 },
    })
  })

  test.each([
    ['that sees them', true, [1, 2, 3]],
    ['of a request without any', false, []],
  ])('%s: nothing is said of images', (_, vision, images) => {
    expect(asked(vision, images).decision.verdicts[0]?.payload).not.toHaveProperty('images')
  })

  test('that is asked because nothing could be summed up: the same', () => {
    const agent = agentWith({ fallbackModels: [other(false)] })
    const places = [cutAt(40, 0), cutAt(36, 1), cutAt(30, 2)]
    const story = given(agent, created, admitted)
      .and(asks('search'))
      .and(completes(0))
      .and(overflows({ tokens: 110_000, cuts: places }, 60_000))
      .and(showing(unchanged('failed'), [1, 2]))
    expect(story.decision.verdicts[0]).toMatchObject({
      type: 'model.replaced',
      payload: { to: 'b', images: 2 },
    })
  })
})

test.each(['safety', 'refusal'] as const)(
  'a request that ended with %s is not made again, with its images or without',
  (verdict) => {
    const agent = roomyAgent({}, { fallbackModels: [{ ...modelNamed('b'), vision: true }] })
    const cuts = [cutAt(2, 0, { results: 3, cleared: 20_000 })]
    const stopped = weighing(answers(cut(verdict)), { input: 70_000, bytes: 280_000, cuts })
    const story = given(agent, created, admitted).and(showing(stopped, eight))
    expect(story.decision.status).toBe('ended')
    expect(story.decision.effects).toEqual([])
    expect(story.decision.verdicts.map(({ type }) => type)).not.toContain('context.pruned')
    expect(story.decision.verdicts.map(({ type }) => type)).not.toContain('model.replaced')
  },
)
