/** Which calls may start runs: policies and humans decide as about any call, and no tree grows without end. */
import { describe, expect, test } from 'vitest'
import { limits } from '../src/index.ts'
import { asked } from './support/agent.ts'
import { createdAt, ends, parentWith, starts } from './support/children.ts'
import { admitted, argsHashOf, asks, created, type Move, run } from './support/facts.ts'
import {
  approves,
  deniedAtDispatch,
  edits,
  expires,
  judged,
  policiesSay,
  rejects,
} from './support/permissions.ts'
import { given, type Story } from './support/story.ts'

const endless = { toolFreqWarn: 119, toolFreqHardLimit: 120 }
const agent = parentWith({ limits: { maxToolCalls: 1_000 }, loop: endless })
const started = () => given(agent, created, admitted)
const id = (n: number, turn = 1): string => `c_0123456789ab_${turn}_${n}`

describe('a human', () => {
  test('approves: then the run is started, and the effect says by which answer', () => {
    const story = started()
      .when(asks('hire:x'))
      .gives({
        state: 'approval',
        status: 'waiting',
        verdicts: ['approval.requested asked hire'],
        timeout: 'cleared',
      })
      .when(approves(0, 'hire'))
      .gives({ state: 'tools', effects: ['2 run.start hire'], timeout: 3_600_000 })
    expect(story.decision.effects).toMatchObject([
      { approval: 4, callId: id(0), argsHash: argsHashOf('x'), agent: 'helper', depth: 1 },
    ])
    expect(story.decision.effects[0]).not.toHaveProperty('edited')
  })

  test('changes what the run is to do', () => {
    const story = started()
      .and(asks('hire:x'))
      .when(edits(0, 'hire', 'y'))
      .gives({ state: 'tools', effects: ['2 run.start hire'], timeout: 3_600_000 })
    expect(story.decision.effects).toMatchObject([
      { approval: 4, edited: true, argsHash: argsHashOf('y') },
    ])
    expect(story.shown(0)).toEqual({ arg: 'y' })
    expect(story.and(ends(0)).prompt().at(-1)).toBe(`result ${id(0)} hire: answer 0`)
  })

  test.each([
    ['rejects', rejects(0, 'hire', 'No.'), ['call.denied denied hire']],
    ['says nothing', expires(0), ['approval.expired expired hire', 'call.denied denied hire']],
  ] as const)('%s: no run is started, and none is counted', (_, move, verdicts) => {
    const story = started()
      .and(asks('hire'))
      .when(move)
      .gives({
        state: 'model',
        status: 'running',
        effects: ['2 model.call'],
        verdicts,
        timeout: 3_600_000,
      })
    expect(story.state.context.children).toBe(0)
  })

  test('approved two: the second is started by a run that shares its budget', () => {
    started()
      .and(asks('hire', 'hire:b', 'pay'))
      .when(approves(1, 'hire'))
      .gives({
        state: 'approval',
        status: 'running',
        effects: ['2 run.start hire'],
        timeout: 3_600_000,
      })
      .when(approves(0, 'hire'))
      .gives({ state: 'approval', effects: ['3 run.start hire shared'] })
      .when(approves(2, 'pay'))
      .gives({ state: 'tools', effects: ['4 tool.call pay shared'] })
  })
})

describe('policies', () => {
  test('a list denies the call alone, its siblings run', () => {
    const story = started()
      .when(asks('ban', 'task'))
      .gives({
        state: 'tools',
        effects: ['2 run.start task'],
        verdicts: ['call.denied denied ban'],
      })
      .and(ends(1))
    expect(story.state.name).toBe('model')
    expect(story.state.context.children).toBe(1)
  })

  test('those with I/O are asked first; each call goes its own way', () => {
    const judging = parentWith({ guardrails: { policies: [asked] } })
    const story = given(judging, created, admitted)
      .when(asks('task:a', 'task:b', 'task:c', 'hire:d'))
      .gives({ state: 'guardrail', effects: ['2 policy.evaluate'] })
      .when(
        policiesSay(
          judged(0, 'task:a', 'allow'),
          judged(1, 'task:b', 'require_approval'),
          judged(2, 'task:c', 'deny'),
          judged(3, 'hire:d', 'allow'),
        ),
      )
      .gives({
        state: 'approval',
        status: 'running',
        effects: ['3 run.start task'],
        verdicts: [
          'approval.requested asked task',
          'call.denied denied task',
          'approval.requested asked hire',
        ],
      })
    expect(story.state.context.children).toBe(1)
    // Two calls still wait: should they run, they take theirs from the budget that this child opens.
    const left = { maxTurns: 49, maxToolCalls: 198, maxTokens: 999_985 }
    expect(story.decision.effects).toMatchObject([
      { kind: 'run.start', source: `${run}.1`, argsHash: argsHashOf('a'), depth: 1, left },
    ])
    const both = story
      .when(approves(1, 'task'))
      .gives({ state: 'approval', effects: ['4 run.start task shared'] })
      .when(approves(3, 'hire'))
      .gives({ state: 'tools', effects: ['5 run.start hire shared'] })
    expect(both.state.context.children).toBe(3)
  })

  test('one that denies at the start: the call has its error, and nothing waits', () => {
    const story = started()
      .and(asks('task'))
      .when(deniedAtDispatch(0, 'task'))
      .gives({ state: 'model', effects: ['3 model.call shared'] })
    expect(story.prompt().at(-1)).toContain('oap.passport_suspended')
  })
})

const codes = (story: Story): readonly unknown[] =>
  story.decision.verdicts.flatMap((each) =>
    each.type === 'call.denied' ? [each.payload.code] : [],
  )

const times = (n: number, ...tools: readonly string[]): readonly string[] =>
  Array.from({ length: n }, () => tools).flat()

describe('depth', () => {
  test('a run as deep as runs may be starts none; its tools go on', () => {
    const deepest = given(agent, createdAt(limits.childDepthMax), admitted)
    const story = deepest.and(asks('task', 'search'))
    expect(codes(story)).toEqual(['too_deep'])
    expect(story.decision.effects).toMatchObject([{ kind: 'tool.call', tool: 'search' }])
    expect(story.state.context.children).toBe(0)
  })

  test('one above it starts the deepest', () => {
    const story = given(agent, createdAt(limits.childDepthMax - 1), admitted).and(asks('task'))
    expect(story.decision.effects).toMatchObject([{ depth: limits.childDepthMax }])
  })

  test('no human is asked about what is too deep', () => {
    const deepest = given(agent, createdAt(limits.childDepthMax), admitted)
    deepest.when(asks('hire')).gives({
      state: 'model',
      status: 'running',
      effects: ['2 model.call shared'],
      verdicts: ['call.denied denied hire'],
    })
  })

  test('a policy’s denial says more', () => {
    expect(codes(given(agent, createdAt(9), admitted).and(asks('ban')))).toEqual([
      'oap.tool_not_allowed',
    ])
  })
})

const most = limits.childrenMax

/** So many have been started, and ended. */
const after = (n: number): Story => {
  const begun = started().and(asks(...times(n, 'task')))
  return Array.from({ length: n }, (_, each) => ends(each)).reduce(
    (story: Story, move: Move) => story.and(move),
    begun,
  )
}

/** The policies allow each of so many calls. */
const allowing = (n: number): Move =>
  policiesSay(...Array.from({ length: n }, (_, each) => judged(each, 'task', 'allow')))

describe('number', () => {
  test('a run starts as many as it may, over its whole life, ended or not', () => {
    const full = after(most)
    expect(full.state.context.children).toBe(most)
    expect(codes(full.and(asks('task', 'search', 'study', 'hire')))).toEqual([
      'too_many_children',
      'too_many_children',
      'too_many_children',
    ])
  })

  test('those of one turn count one after the other, with those that wait for a human', () => {
    const story = after(most - 2).and(asks('hire', 'task', 'search', 'task:c'))
    expect(codes(story)).toEqual(['too_many_children'])
    expect(story.decision.effects.map(({ kind }) => kind)).toEqual(['run.start', 'tool.call'])
    const open = story.and(starts(1)).and(ends(1)).and(approves(0, 'hire'))
    expect(open.state.context.children).toBe(most)
    expect(open.decision.effects).toMatchObject([{ kind: 'run.start', shared: true }])
  })

  test('one that a human rejected leaves its place to another', () => {
    const story = after(most - 1)
      .and(asks('hire'))
      .and(rejects(0, 'hire'))
    expect(codes(story.and(asks('task')))).toEqual([])
    expect(codes(story.and(asks('task', 'task:b')))).toEqual(['too_many_children'])
  })

  test('tools take no place, whoever allowed them', () => {
    expect(codes(after(most - 1).and(asks('search', 'task')))).toEqual([])
    const judging = parentWith({ guardrails: { policies: [asked] } })
    const allowed = given(judging, created, admitted, asks('search')).and(
      policiesSay(judged(0, 'search', 'allow')),
    )
    const approved = started().and(asks('pay')).and(approves(0, 'pay'))
    for (const story of [allowed, approved]) {
      expect(story.state.name).toBe('tools')
      expect(story.state.context.children).toBe(0)
    }
  })

  test('denied ones take no place', () => {
    expect(codes(after(most - 1).and(asks('ban', 'task')))).toEqual(['oap.tool_not_allowed'])
  })

  test('policies with I/O are not asked about one too many', () => {
    const judging = parentWith({
      guardrails: { policies: [asked] },
      limits: { maxToolCalls: 1_000 },
      loop: endless,
    })
    const full = Array.from({ length: most }, (_, each) => ends(each)).reduce(
      (story: Story, move: Move) => story.and(move),
      given(judging, created, admitted)
        .and(asks(...times(most, 'task')))
        .and(allowing(most)),
    )
    expect(full.state.context.children).toBe(most)
    const story = full.and(asks('task', 'search'))
    expect(codes(story)).toEqual(['too_many_children'])
    expect(story.decision.effects).toMatchObject([{ callIds: [id(1, 2)] }])
  })
})
