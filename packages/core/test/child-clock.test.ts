/** The clock of a run that has started others: their activity counts as its own, parallel ones once (C1, C2 of `clock.ts`). */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ends, neverStarts, parentWith, starts } from './support/children.ts'
import {
  admitted,
  answers,
  asks,
  cancels,
  completes,
  created,
  fires,
  type Move,
  resolves,
  unknown,
} from './support/facts.ts'
import { approves, rejects } from './support/permissions.ts'
import { given, type Story } from './support/story.ts'

const agent = parentWith({ limits: { timeoutMs: 10_000, warnAt: 1 } })
const started = () => given(agent, created, admitted)
const activeIn = (story: Story): number => story.state.context.activeMs

test('it stands still while only a child moves, and then the activity of the child is added', () => {
  started()
    .after(1_000)
    .and(asks('task'))
    .after(500)
    .when(starts(0))
    .gives({ state: 'tools', status: 'running', timeout: 'cleared' })
    .after(86_400_000)
    .when(ends(0, { activeMs: 2_000 }))
    .gives({ state: 'model', status: 'running', effects: ['3 model.call shared'], timeout: 6_500 })
})

test('a child that waited for a human was not active meanwhile: more than went by is not believed', () => {
  const child = started().and(asks('task')).and(starts(0)).after(3_000)
  expect(activeIn(child.and(ends(0, { activeMs: 0 })))).toBe(0)
  expect(activeIn(child.and(ends(0, { activeMs: 2_999 })))).toBe(2_999)
  expect(activeIn(child.and(ends(0, { activeMs: 9_000 })))).toBe(3_000)
})

test('children one after the other: each adds what it was active for', () => {
  const story = started()
    .and(asks('task'))
    .and(starts(0))
    .after(2_000)
    .and(ends(0, { activeMs: 1_500 }))
    .after(1_000)
    .and(asks('task:b'))
    .and(starts(0))
    .after(5_000)
    .and(ends(0, { activeMs: 4_000 }))
  expect(activeIn(story)).toBe(6_500)
})

test('children at the same time count once', () => {
  const two = started().and(asks('task', 'task:b')).and(starts(0)).and(starts(1)).after(3_000)
  expect(activeIn(two.and(ends(0, { activeMs: 3_000 })).and(ends(1, { activeMs: 3_000 })))).toBe(
    3_000,
  )
  const later = two.and(ends(1, { activeMs: 3_000 })).after(1_000)
  expect(activeIn(later.and(ends(0, { activeMs: 4_000 })))).toBe(4_000)
})

test('while a tool of its own runs the time is its own: that of a child is not added to it', () => {
  const both = started().and(asks('task', 'search')).and(starts(0)).after(2_000)
  both
    .when(ends(0, { activeMs: 2_000 }))
    .gives({ state: 'tools', status: 'running' })
    .after(1_000)
    .when(completes(1))
    .gives({ state: 'model', effects: ['4 model.call shared'] })
  const rest = both
    .when(completes(1))
    .gives({ state: 'tools', status: 'running', timeout: 'cleared' })
  expect(activeIn(rest)).toBe(2_000)
  expect(activeIn(rest.after(1_000).and(ends(0, { activeMs: 3_000 })))).toBe(3_000)
})

test('the time between the decision and the beginning of the child is the run’s own', () => {
  const story = started().and(asks('task')).after(700).and(starts(0)).after(100)
  expect(activeIn(story.and(ends(0, { activeMs: 100 })))).toBe(800)
})

describe('what a child did while the run was at rest is not lost', () => {
  test('when another call begins before the child has ended', () => {
    const rest = started().and(asks('task', 'pay')).and(starts(0)).after(6_000)
    const paying = rest
      .when(approves(1, 'pay'))
      .gives({ state: 'tools', effects: ['3 tool.call pay shared'], timeout: 10_000 })
      .after(1_000)
    // 6 s beside nothing, 1 s beside the payment.
    expect(activeIn(paying.and(ends(0, { activeMs: 7_000 })))).toBe(6_000)
    paying.when(ends(0, { activeMs: 7_000 })).gives({ state: 'tools', timeout: 3_000 })
    // The other way round.
    const paid = paying.and(completes(1)).after(500)
    expect(activeIn(paid.and(ends(0, { activeMs: 7_500 })))).toBe(7_500)
  })

  test('when another one, which did little, has ended before it', () => {
    const two = started().and(asks('task', 'task:b')).and(starts(0)).and(starts(1)).after(5_000)
    const story = two.and(ends(0, { activeMs: 1_000 })).after(1_000)
    expect(activeIn(story.and(ends(1, { activeMs: 6_000 })))).toBe(6_000)
  })
})

test('rest before a child began is none that it was active in', () => {
  const rest = started().and(asks('task', 'hire')).and(starts(0)).after(5_000).and(ends(0))
  const story = rest.and(approves(1, 'hire')).and(starts(1)).after(1_000)
  expect(activeIn(story.and(ends(1, { activeMs: 9_000 })))).toBe(1_000)
})

test('a clock that went backwards adds nothing', () => {
  const child = started().and(asks('task')).and(starts(0)).after(-5_000)
  expect(activeIn(child.and(ends(0, { activeMs: 4_000 })))).toBe(0)
  const beside = started().and(asks('task', 'pay')).and(starts(0)).after(-5_000)
  const paying = beside.and(approves(1, 'pay')).after(-5_000)
  expect(activeIn(paying.and(completes(1)).and(ends(0, { activeMs: 4_000 })))).toBe(0)
})

describe('waiting', () => {
  test('is for a human only where no child moves', () => {
    started()
      .when(asks('task', 'pay'))
      .gives({
        state: 'approval',
        status: 'running',
        effects: ['2 run.start task'],
        verdicts: ['approval.requested asked pay'],
      })
      .when(starts(0))
      .gives({ state: 'approval', status: 'running', timeout: 'cleared' })
      .after(1_000)
      .when(ends(0, { activeMs: 1_000 }))
      .gives({ state: 'approval', status: 'waiting' })
      .after(1_000)
      .when(rejects(1, 'pay'))
      .gives({
        state: 'model',
        status: 'running',
        verdicts: ['call.denied denied pay'],
        effects: ['3 model.call shared'],
        timeout: 9_000,
      })
  })

  test('for a word on an unknown call, while a child moves and after', () => {
    started()
      .and(asks('task', 'write'))
      .and(starts(0))
      .when(unknown(1))
      .gives({ state: 'tools', status: 'running', timeout: 'cleared' })
      .when(ends(0))
      .gives({ state: 'tools', status: 'waiting' })
      .when(resolves(1, 'retry'))
      .gives({ state: 'tools', status: 'running', retries: [3], timeout: 10_000 })
  })
})

describe('the timeout of the run', () => {
  test('set before it rested, it means nothing while only children move: they have their own', () => {
    started()
      .and(asks('task'))
      .and(starts(0))
      .after(20_000)
      .when(fires())
      .gives({ state: 'tools', status: 'running', verdicts: ['event.ignored ignored'] })
  })

  test('ends the run that works itself, and its child is waited for', () => {
    started()
      .and(asks('task', 'search'))
      .and(starts(0))
      .after(10_000)
      .when(fires())
      .gives({ state: 'cancelling' })
      .when(completes(1))
      .gives({ state: 'cancelling' })
      .when(ends(0, {}, 'cancelled'))
      .gives({ state: 'cancelled', outcome: 'timed_out', timeout: 'cleared' })
  })

  test('comes at once when the children have used all of its time', () => {
    started()
      .and(asks('task'))
      .and(starts(0))
      .after(15_000)
      .when(ends(0, { activeMs: 12_000 }))
      .gives({ state: 'model', effects: ['3 model.call shared'], timeout: 0 })
      .when(fires())
      .gives({ state: 'cancelling' })
  })

  test('runs again once the run is being cancelled, and what children did is added there, too', () => {
    const story = started()
      .and(asks('task'))
      .and(starts(0))
      .after(2_000)
      .when(cancels())
      .gives({ state: 'cancelling', timeout: 10_000 })
      .after(500)
      .when(ends(0, { activeMs: 2_100 }, 'cancelled'))
      .gives({ state: 'cancelled', outcome: 'cancelled', timeout: 'cleared' })
    expect(activeIn(story)).toBe(2_500)
  })

  test('is none for a child that is never started', () => {
    started()
      .and(asks('task'))
      .and(cancels())
      .when(neverStarts(0))
      .gives({ state: 'cancelled', outcome: 'cancelled', timeout: 'cleared' })
  })
})

/** What may happen to each call of a turn, in order; a word says whether something of it moves by then. */
const lives: readonly (readonly (readonly [Move, 'own' | 'child' | 'none'])[])[] = [
  [[starts(0), 'child']],
  [[starts(1), 'child']],
  [
    [approves(2, 'hire'), 'own'],
    [starts(2), 'child'],
  ],
  [[completes(3), 'none']],
  [
    [approves(4, 'pay'), 'own'],
    [completes(4), 'none'],
  ],
]

interface Passed {
  readonly story: Story
  readonly at: readonly number[]
  /** What each child was active for. */
  readonly active: readonly number[]
  readonly elapsed: number
  readonly moved: number
  readonly own: number
}

const first: readonly ('own' | 'child' | 'none')[] = ['own', 'own', 'none', 'own', 'none']

/** Time goes by, in which the children that `busy` names are active; then one call goes on. */
function pass(
  before: Passed,
  { ms, busy, pick }: { readonly ms: number; readonly busy: number; readonly pick: number },
): Passed {
  const phase = before.at.map((n, call) =>
    n === 0 ? first[call] : (lives[call]?.[n - 1]?.[1] ?? 'none'),
  )
  const isBusy = phase.map((each, call) => each === 'child' && (busy >> call) % 2 === 1)
  const active = before.active.map((sum, call) => sum + (isBusy[call] ? ms : 0))
  const isOwn = phase.includes('own')
  const left = phase.flatMap((each, call) =>
    before.at[call] === 0 || each !== 'none' ? [call] : [],
  )
  const call = left[pick % left.length] ?? 0
  const next =
    lives[call]?.[before.at[call] ?? 0]?.[0] ?? ends(call, { activeMs: active[call] ?? 0 })
  return {
    story: before.story.after(ms).and(next),
    at: before.at.map((n, each) => (each === call ? n + 1 : n)),
    active,
    elapsed: before.elapsed + ms,
    moved: before.moved + (isOwn || isBusy.includes(true) ? ms : 0),
    own: before.own + (isOwn ? ms : 0),
  }
}

test('however calls and children overlap: not less than anything moved, not more than went by', () => {
  const steps = fc.record({ ms: fc.nat(1_000), busy: fc.nat(31), pick: fc.nat(119) })
  fc.assert(
    fc.property(fc.array(steps, { minLength: 10, maxLength: 10 }), (all) => {
      const long = parentWith({ limits: { timeoutMs: 1_000_000 } })
      const story = given(long, created, admitted, asks('task', 'task:b', 'hire', 'search', 'pay'))
      const zero = [0, 0, 0, 0, 0]
      const begun = { story, at: zero, active: zero, elapsed: 0, moved: 0, own: 0 }
      const done = all.reduce(pass, begun)
      expect(done.story.state.name).toBe('model')
      // The end of a run adds what its clock shows.
      const activeMs = activeIn(done.story.and(answers()))
      expect(activeMs).toBeGreaterThanOrEqual(done.moved)
      expect(activeMs).toBeLessThanOrEqual(done.elapsed)
      expect(activeMs).toBeLessThanOrEqual(done.own + done.active.reduce((a, b) => a + b))
    }),
    { numRuns: 300 },
  )
})
