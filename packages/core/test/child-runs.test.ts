/** Runs that a run starts: a call of such a tool waits for one, in every state that waits, and in a cancel. */
import { describe, expect, test } from 'vitest'
import { decide, isFinal } from '../src/index.ts'
import { callRefused, ends, neverStarts, parentWith, starts } from './support/children.ts'
import {
  aborts,
  admitted,
  asks,
  cancels,
  completes,
  created,
  fails,
  faults,
  type Move,
  run,
  unknown,
} from './support/facts.ts'
import { approves } from './support/permissions.ts'
import { given, type Story } from './support/story.ts'
import { changed, unmoved } from './support/unmoved.ts'
import { machine } from './support/machine.ts'

const agent = parentWith()
const started = () => given(agent, created, admitted)
const ignored = ['event.ignored ignored']
const id = (n: number, turn = 1): string => `c_0123456789ab_${turn}_${n}`

const waiting: Readonly<Record<string, () => Story>> = {
  tools: () => started().and(asks('task', 'search')),
  approval: () => started().and(asks('task', 'pay')),
  cancelling: () => started().and(asks('task', 'search')).and(cancels()),
}

/** While a question beside it waits for its answer. */
function inInput(...moves: readonly Move[]): ReturnType<typeof decide> {
  const { state } = started().and(asks('task'))
  const known = { run, state, effects: started().and(asks('task')).decision.effects, verdicts: [] }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a move pairs type and payload
  const facts = moves.map((move, n) => ({ seq: n + 9, at: 5, actor: 't', ...move(known) })) as never
  const question = { effect: 0, status: 'question', tool: 0 } as const
  const context = { ...state.context, open: { ...state.context.open, 1: question } }
  return decide({ run, agent, machine }, { name: 'input', context }, facts)
}

const statusOf = (now: Story, n: number): string | undefined =>
  now.state.context.open[String(n)]?.status

describe.each(Object.keys(waiting))('in %s', (name) => {
  const story = () => waiting[name]?.() ?? started()
  test('a child that exists is waited for, and its end settles the call', () => {
    const child = story().and(starts(0))
    expect(child.state.name).toBe(name)
    expect(child.decision).toMatchObject({ status: 'running', verdicts: [], effects: [] })
    expect(statusOf(child, 0)).toBe('child')
    const ended = child.and(ends(0))
    expect(ended.decision).toMatchObject({ verdicts: [], effects: [] })
    expect(Object.keys(ended.state.context.open)).toEqual(
      Object.keys(story().state.context.open).filter((index) => index !== '0'),
    )
  })

  test('one that ended before its beginning was recorded settles its call all the same', () => {
    const ended = story().and(ends(0))
    expect(statusOf(ended, 0)).toBeUndefined()
    unmoved(ended, starts(0))
  })

  test('beginning and end in one batch', () => {
    expect(story().and(starts(0), ends(0)).state.context.open).toEqual(
      story().and(starts(0)).and(ends(0)).state.context.open,
    )
  })

  test('each counts once: what is said again, or about another call, changes nothing', () => {
    const child = story().and(starts(0))
    unmoved(child, starts(0))
    const ended = child.and(ends(0, { turns: 2, tokens: 7 }))
    unmoved(ended, ends(0, { turns: 2, tokens: 7 }))
    unmoved(ended, starts(0))
    for (const move of [starts(0), ends(0)]) {
      unmoved(story(), changed(move, { effectId: `${run}.99` }))
      unmoved(story(), changed(move, { callId: id(7) }))
      unmoved(story(), changed(move, { callId: id(0, 2) }))
      unmoved(story(), changed(move, { callId: id(1) }))
    }
  })

  test('what settles a call that runs does not settle one that a child works on', () => {
    const child = story().and(starts(0))
    for (const move of [
      completes(0),
      fails(0),
      aborts(0),
      neverStarts(0),
      unknown(0),
      callRefused(0),
    ])
      unmoved(child, move)
  })

  test('one that could not be started settles its call', () => {
    expect(statusOf(story().and(fails(0, 'no such agent')), 0)).toBeUndefined()
  })
})

test('in input, beside a question', () => {
  expect(inInput(starts(0)).state).toMatchObject({
    name: 'input',
    context: { open: { 0: { status: 'child' }, 1: { status: 'question' } } },
  })
  const { state } = inInput(starts(0), ends(0))
  expect(state).toMatchObject({ name: 'input', context: { open: { 1: { status: 'question' } } } })
  expect(inInput(ends(0)).state.context.open).not.toHaveProperty('0')
})

describe('a cancel', () => {
  test('waits for every child: one that runs, one that is being started, one that never is', () => {
    started()
      .and(asks('task', 'task:b', 'task:c', 'search'))
      .and(starts(0))
      .when(cancels('rollback'))
      .gives({ state: 'cancelling', status: 'running' })
      .when(completes(3))
      .gives({ state: 'cancelling' })
      .when(neverStarts(1))
      .gives({ state: 'cancelling' })
      .when(starts(2))
      .gives({ state: 'cancelling' })
      .when(ends(0, {}, 'cancelled'))
      .gives({ state: 'cancelling' })
      .when(ends(2, {}, 'cancelled'))
      .gives({ state: 'cancelled', outcome: 'rolled_back', timeout: 'cleared' })
  })

  test('what is asked of a human is not waited for, and starts nothing any more', () => {
    started()
      .and(asks('task', 'hire'))
      .and(starts(0))
      .when(cancels())
      .gives({ state: 'cancelling', timeout: 3_600_000 })
      .when(approves(1, 'hire'))
      .gives({ state: 'cancelling', verdicts: ignored })
      .when(ends(0))
      .gives({ state: 'cancelled', outcome: 'cancelled', timeout: 'cleared' })
  })

  test('in the batch that starts the child: nothing is asked for', () => {
    given(agent, created, admitted)
      .when(cancels())
      .gives({ state: 'cancelling' })
      .when(asks('task'))
      .gives({ state: 'cancelled', outcome: 'cancelled', timeout: 'cleared' })
  })
})

describe('after the end', () => {
  test('a fault does not wait for children, and what they say later changes nothing', () => {
    const open = started()
      .and(asks('task', 'task:b', 'hire'))
      .and(starts(0))
    const failed = open
      .when(faults)
      .gives({ state: 'failed', outcome: 'failed', timeout: 'cleared' })
    expect(failed.state.context).toMatchObject({ open: {}, since: null })
    for (const move of [starts(1), ends(0), neverStarts(1), callRefused(1)]) unmoved(failed, move)
  })

  test('nor does one in a run that is being cancelled', () => {
    const open = started().and(asks('task')).and(starts(0)).and(cancels())
    const failed = open.and(faults)
    expect(failed.decision).toMatchObject({ status: 'ended', outcome: 'failed', effects: [] })
    unmoved(failed, ends(0))
  })

  test('nor is a child taken in by a run that has ended otherwise', () => {
    const ended = started().and(asks('task')).and(starts(0)).and(cancels()).and(ends(0))
    expect(isFinal(ended.state)).toBe(true)
    for (const move of [starts(0), ends(0), callRefused(0)]) unmoved(ended, move)
  })
})
