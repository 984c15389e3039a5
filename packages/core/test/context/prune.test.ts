/**
 * Pruning in the decision that begins a turn (context systems, §5.2 and §19 "prune"). Would catch: a prune at every turn, one that clears
 * the newest results, one that costs a commit, one that an agent without a context makes.
 */
import { describe, expect, test } from 'vitest'
import { agentWith } from '../support/agent.ts'
import { admitted, asks, completes, created, run } from '../support/facts.ts'
import { given, type Story } from '../support/story.ts'
import { cutAt, roomyAgent, weighing } from '../support/room.ts'

/** The room is 80,000: pruned from 48,000 on, for 12,000 at the least. */
const cuts = [
  cutAt(30, 0, { results: 9, cleared: 40_000 }),
  cutAt(22, 2, { results: 6, cleared: 25_000 }),
  cutAt(18, 3, { results: 5, cleared: 20_000, inputs: 1, shortened: 1_000 }),
  cutAt(4, 8),
]
const weight = { input: 50_000, output: 400, bytes: 200_000, cuts }

const heavy = (agent = roomyAgent(), more = weight): Story =>
  given(agent, created, admitted).and(weighing(asks('search'), more))

test('from a mark on, results before the newest turns give way, in the decision that begins the turn', () => {
  const story = heavy()
    .when(completes(0))
    .gives({
      state: 'model',
      path: ['tools', 'loop', 'model'],
      effects: ['3 model.call'],
      verdicts: ['context.pruned pruned'],
    })
  expect(story.decision.verdicts[0]?.payload).toEqual({
    turn: 2,
    // Four turns stay: the one that was just answered, and three before it.
    through: { runId: run, seq: 18 },
    results: 5,
    inputs: 1,
    // The result that came since has 130 bytes with its frame, at four in a token.
    tokens: { before: 50_433, after: 29_433 },
    rule: {
      minChars: 1_000,
      exclude: ['load_skill'],
      wordsChars: 8_000,
      ownChars: 120_000,
      readable: false,
    },
  })
})

test('and not again before it is near the mark again', () => {
  heavy()
    .and(completes(0))
    .and(weighing(asks('search'), { input: 31_000, bytes: 124_000 }))
    .when(completes(0))
    .gives({ state: 'model', path: ['tools', 'loop', 'model'], effects: ['5 model.call'] })
})

describe('nothing is cleared', () => {
  const begins = {
    state: 'model',
    path: ['tools', 'loop', 'model'],
    effects: ['3 model.call'],
  } as const

  test('below the mark', () => {
    heavy(roomyAgent(), { ...weight, input: 40_000 })
      .when(completes(0))
      .gives(begins)
  })

  test('for fewer tokens than it is worth (prune 3)', () => {
    const few = [cutAt(18, 3, { results: 5, cleared: 11_999 })]
    heavy(roomyAgent(), { ...weight, cuts: few })
      .when(completes(0))
      .gives(begins)
  })

  test('where no place is known', () => {
    heavy(roomyAgent(), { ...weight, cuts: [cutAt(22, 2, { cleared: 30_000 })] })
      .when(completes(0))
      .gives(begins)
  })

  test('of an agent without a context', () => {
    heavy(agentWith()).when(completes(0)).gives(begins)
  })

  test('while a turn of many calls is open: its places are not remembered', () => {
    const many = Array.from({ length: 17 }, (_, n) => `search:${n}`)
    const story = given(roomyAgent(), created, admitted).and(weighing(asks(...many), weight))
    expect(story.state.context.room).toMatchObject({ last: 50_000, prune: null })
  })
})

test('so many turns stay as the agent says', () => {
  const story = heavy(roomyAgent({ prune: { keepTurns: 1 } })).and(completes(0))
  // Everything before the answer at hand, which is the third fact.
  expect(story.decision.verdicts[0]?.payload).toMatchObject({
    through: { runId: run, seq: 2 },
    results: 9,
  })
})

test('an agent whose model can read them again is told how', () => {
  const agent = roomyAgent()
  const [first] = agent.tools
  const tools = first ? [...agent.tools, { ...first, name: 'read_result' }] : []
  const story = heavy({ ...agent, tools }).and(completes(0))
  expect(story.decision.verdicts[0]?.payload).toMatchObject({ rule: { readable: true } })
})
