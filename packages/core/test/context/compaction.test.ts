/**
 * Compaction in the machine (context systems §3.1, §5.2 to §5.6, §19 "compaction"). Would catch: a summary at every turn, a failure that ends a
 * run that could go on, a cancel that waits for nothing, a compaction that is tried for ever.
 */
import { describe, expect, test } from 'vitest'
import { project } from '../../src/index.ts'
import { agentWith, modelNamed } from '../support/agent.ts'
import { ends, parentWith, starts } from '../support/children.ts'
import {
  admitted,
  asks,
  cancels,
  completes,
  created,
  injects,
  type Move,
  run,
} from '../support/facts.ts'
import { approves, rejects } from '../support/permissions.ts'
import { given, type Story } from '../support/story.ts'
import {
  compacts,
  type ContextPatch,
  cutAt,
  overflows,
  roomyAgent,
  summaryRefused,
  unchanged,
  weighing,
} from '../support/room.ts'

/** The room is 80,000: summed up from 64,000 on, and 8,000 stay. */
const cuts = [
  cutAt(30, 0),
  cutAt(26, 1, { kept: 2_500 }),
  cutAt(22, 2, { kept: 5_000 }),
  cutAt(18, 3, { kept: 7_500 }),
  cutAt(14, 4, { kept: 10_000 }),
]
const weight = { input: 66_000, output: 300, bytes: 264_000, cuts }
const limits = { maxTokens: 10_000_000 }

const full = (context: ContextPatch = {}, more = {}): Story =>
  given(roomyAgent(context, { limits, ...more }), created, admitted)
    .and(weighing(asks('search'), weight))
    .and(completes(0))

const summed = compacts(0)
const waits = {
  state: 'context',
  path: ['tools', 'loop', 'context'],
  effects: ['3 context.compact'],
} as const

test('from a mark on, what is before the newest turns is summed up before the next turn (compaction 1)', () => {
  const story = given(roomyAgent({}, { limits }), created, admitted)
    .and(weighing(asks('search'), weight))
    .when(completes(0))
    .gives(waits)
  expect(story.decision.effects).toEqual([
    {
      kind: 'context.compact',
      id: `${run}.3`,
      mode: 'idempotent',
      queue: 'context',
      delayMs: 0,
      turn: 2,
      // 8,000 less the answer hold three turns before it, which begin behind event 18.
      through: { runId: run, seq: 18 },
      model: 0,
      maxTokens: 2_500_000,
    },
  ])
  story
    .when(summed)
    .gives({ state: 'model', path: ['context', 'model'], effects: ['4 model.call'] })
})

test('the summary counts as used, and the meter goes on from what it left', () => {
  const before = full()
  const { context } = before.and(compacts(10)).state
  expect(context.tokens).toBe(before.state.context.tokens + 10 + 9)
  expect(context.room).toMatchObject({ last: 9_000, out: 0, bytes: 0, compactions: 1, spent: 19 })
})

test('below the mark, nothing is asked for', () => {
  given(roomyAgent({}, { limits }), created, admitted)
    .and(weighing(asks('search'), { ...weight, input: 60_000 }))
    .when(completes(0))
    .gives({ state: 'model', path: ['tools', 'loop', 'model'], effects: ['3 model.call'] })
})

test('a thread whose first turn was the only one has nothing to sum up', () => {
  given(roomyAgent({}, { limits }), created, admitted)
    .and(weighing(asks('search'), { ...weight, cuts: [cutAt(30, 0)] }))
    .when(completes(0))
    .gives({ state: 'model', path: ['tools', 'loop', 'model'], effects: ['3 model.call'] })
})

describe('a failure changes nothing: the turn begins (compaction 2)', () => {
  test.each(['failed', 'empty', 'too_long', 'no_gain', 'guardrail', 'calls'] as const)(
    '%s',
    (reason) => {
      const story = full()
        .when(unchanged(reason))
        .gives({ state: 'model', path: ['context', 'model'], effects: ['4 model.call'] })
      expect(story.state.context.room).toMatchObject({ last: 66_000, failures: 1, compactions: 0 })
    },
  )

  test.each(['safety', 'cap'] as const)('%s: and it is not tried again in this run', (reason) => {
    full()
      .and(unchanged(reason))
      .and(weighing(asks('search:b'), weight))
      .and(completes(0))
      .and(weighing(asks('search:c'), weight))
      .when(completes(0))
      .gives({ state: 'model', path: ['tools', 'loop', 'model'], effects: ['8 model.call'] })
  })

  test('after three in a row it is not tried again', () => {
    let story = full()
    for (const arg of ['b', 'c', 'd'])
      story = story
        .and(unchanged('failed'))
        .and(weighing(asks(`search:${arg}`), weight))
        .and(completes(0))
    expect(story.state.name).toBe('model')
    expect(story.state.context.room?.failures).toBe(3)
  })
})

test('two compactions in a row bring nothing: the second waits for a turn between (thrash)', () => {
  const again = full()
    .and(summed)
    .and(weighing(asks('search:b'), weight))
    .when(completes(0))
    .gives({ state: 'model', path: ['tools', 'loop', 'model'], effects: ['6 model.call'] })
  again
    .and(weighing(asks('search:c'), weight))
    .when(completes(0))
    .gives({ ...waits, effects: ['8 context.compact'] })
})

test('as many as the agent allows', () => {
  const story = full({ compact: { maxPerRun: 0 } })
  expect(story.state.name).toBe('model')
})

describe('in the middle of it (compaction 4)', () => {
  test('a cancel waits for its end, and keeps nothing', () => {
    full()
      .when(cancels())
      .gives({ state: 'cancelling', path: ['context', 'cancelling'] })
      .when(unchanged('failed'))
      .gives({
        state: 'cancelled',
        path: ['cancelling', 'cancelled'],
        outcome: 'cancelled',
        timeout: 'cleared',
      })
  })

  test('words are kept, and taken by the turn behind it', () => {
    full()
      .when(injects('In German.'))
      .gives({ state: 'context', path: ['context'] })
      .when(summed)
      .gives({
        state: 'model',
        path: ['context', 'model'],
        effects: ['4 model.call'],
        verdicts: ['input.taken taken'],
      })
  })

  test('its end told twice is ignored', () => {
    full()
      .and(summed)
      .when(summed)
      .gives({ state: 'model', path: ['model'], verdicts: ['event.ignored ignored'] })
  })
})

describe('a budget of the tree that does not allow it (compaction 4)', () => {
  test('the turn begins without, and it is not tried again in this run', () => {
    const story = full()
      .when(summaryRefused)
      .gives({ state: 'model', path: ['context', 'model'], effects: ['4 model.call'] })
    expect(story.state.context.room).toMatchObject({ failures: 3, compactions: 0, cut: null })
    story
      .and(weighing(asks('search:b'), weight))
      .when(completes(0))
      .gives({ state: 'model', path: ['tools', 'loop', 'model'], effects: ['6 model.call'] })
  })

  test('a turn that cannot be asked without it ends the run', () => {
    overflown()
      .and(overflows({ tokens: 120_000, cuts }))
      .when(summaryRefused)
      .gives({
        state: 'completed',
        path: ['context', 'completed'],
        outcome: 'budget_exhausted',
        verdicts: ['budget.exhausted tokens'],
        timeout: 'cleared',
      })
  })
})

const paying = (): Story =>
  given(roomyAgent({}, { limits }), created, admitted).and(weighing(asks('search', 'pay'), weight))

describe('what is open when the mark is reached settles first (§5.3)', () => {
  const compacting = {
    state: 'context',
    path: ['tools', 'loop', 'context'],
    effects: ['4 context.compact'],
  } as const

  test('a call that waits for a human: it is approved and done before anything is summed up', () => {
    const story = paying()
    expect(story.state.name).toBe('approval')
    const asked = story.and(completes(0))
    expect(asked.state.name).toBe('approval')
    const approved = asked.and(approves(1, 'pay'))
    expect(approved.state.name).toBe('tools')
    approved.when(completes(1)).gives(compacting)
  })

  test('or it is rejected', () => {
    const story = paying().and(completes(0)).and(rejects(1, 'pay'))
    expect(story.state.name).toBe('context')
    expect(story.decision.effects.map(({ kind }) => kind)).toEqual(['context.compact'])
  })

  test('a run that was started: its end is told first', () => {
    const { model, context } = roomyAgent({}, { limits })
    const story = given({ ...parentWith({ model, limits }), context }, created, admitted)
      .and(weighing(asks('task'), weight))
      .and(starts(0))
    expect(story.state.name).toBe('tools')
    const ended = story.and(ends(0))
    expect(ended.state.name).toBe('context')
    expect(ended.decision.effects.map(({ kind }) => kind)).toEqual(['context.compact'])
  })
})

const overflown = (more = {}): Story =>
  given(roomyAgent({}, { limits, ...more }), created, admitted)
    .and(asks('search'))
    .and(completes(0))

describe('a turn that overflows, with nothing to clear', () => {
  const room = { tokens: 120_000, cuts }

  test('waits for a summary, and is asked again under the same message', () => {
    const story = overflown()
      .when(overflows(room))
      .gives({
        state: 'context',
        path: ['model', 'safety', 'context'],
        effects: ['4 context.compact'],
      })
    expect(story.decision.effects).toMatchObject([{ turn: 2, overflow: true }])
    const asked = story
      .when(summed)
      .gives({ state: 'model', path: ['context', 'model'], effects: ['5 model.call'] })
    expect(asked.decision.effects).toMatchObject([
      { turn: 2, retry: 1, messageId: 'm_0123456789ab_2' },
    ])
  })

  test('without a summary the next model is asked', () => {
    overflown({ fallbackModels: [modelNamed('b')] })
      .and(overflows(room))
      .when(unchanged('failed'))
      .gives({
        state: 'model',
        path: ['context', 'model'],
        effects: ['5 model.call'],
        verdicts: ['model.replaced context_overflow'],
      })
  })

  test('without a summary or another model the run ends, and says why', () => {
    const story = overflown()
      .and(overflows(room))
      .when(unchanged('failed'))
      .gives({
        state: 'failed',
        path: ['context', 'failed'],
        outcome: 'failed',
        verdicts: ['context.exhausted context_full'],
        timeout: 'cleared',
      })
    expect(story.decision.verdicts[0]?.payload).toMatchObject({ tried: ['compact'], turn: 2 })
  })

  test('one that overflows again ends the run: instructions and last words alone do not fit', () => {
    const story = overflown()
      .and(overflows(room))
      .and(summed)
      .when(overflows(room))
      .gives({
        state: 'failed',
        path: ['model', 'safety', 'failed'],
        outcome: 'failed',
        verdicts: ['turn.cut error', 'context.exhausted context_full'],
        timeout: 'cleared',
      })
    expect(story.decision.verdicts[1]?.payload).toMatchObject({ tokens: 120_000 })
  })
})

const forSummary: Move = (known) => {
  const fact = created(known)
  if (fact.type !== 'run.created') return fact
  return { ...fact, payload: { ...fact.payload, input: [], compact: { instructions: 'Names.' } } }
}
const byHand = (): Story =>
  given(agentWith(), forSummary)
    .when(admitted)
    .gives({
      state: 'context',
      path: ['queued', 'context'],
      effects: ['1 context.compact'],
      timeout: 3_600_000,
    })

describe('by hand (compaction 6)', () => {
  test('a run asks for one summary, wherever it is cut, and ends', () => {
    const story = byHand()
    expect(story.decision.effects[0]).not.toHaveProperty('through')
    story.when(summed).gives({
      state: 'completed',
      path: ['context', 'completed'],
      outcome: 'completed',
      timeout: 'cleared',
    })
  })

  test.each(['no_gain', 'failed', 'safety'] as const)('without one it fails: %s', (reason) => {
    byHand()
      .when(unchanged(reason))
      .gives({
        state: 'failed',
        path: ['context', 'failed'],
        outcome: 'failed',
        timeout: 'cleared',
      })
  })

  test('it says nothing in the conversation', () => {
    expect(project('', byHand().log)).toEqual([])
  })
})
