/** What a child comes to: the result of one call, and what it used, as if the run had used it. */
import { describe, expect, test } from 'vitest'
import type { Patch } from './support/agent.ts'
import {
  callRefused,
  ends,
  endsSaying,
  parentWith,
  type Spent,
  starts,
} from './support/children.ts'
import { admitted, asks, completes, created } from './support/facts.ts'
import { given, type Story } from './support/story.ts'
import { changed } from './support/unmoved.ts'

const agent = parentWith()
const started = () => given(agent, created, admitted)
const id = (n: number): string => `c_0123456789ab_1_${n}`

describe('what the model reads', () => {
  test('the answer of the child as the result of its call, in call order, whatever ended first', () => {
    const story = started()
      .and(asks('task', 'search', 'task:b'))
      .and(starts(2))
      .and(starts(0))
      .and(ends(2))
      .and(completes(1))
      .and(ends(0))
    expect(story.state.name).toBe('model')
    expect(story.prompt()).toEqual([
      'user: hello',
      `assistant: tool_call ${id(0)}|tool_call ${id(1)}|tool_call ${id(2)}`,
      `result ${id(0)} task: answer 0`,
      `result ${id(1)} search: result 1`,
      `result ${id(2)} task: answer 2`,
    ])
  })

  test('the beginning of a child says nothing', () => {
    const open = started().and(asks('task'))
    expect(open.and(starts(0)).prompt()).toEqual(open.prompt())
    expect(open.prompt().at(-1)).toMatch(/^error .* has no result/)
  })

  test.each(['failed', 'cancelled', 'timed_out', 'budget_exhausted', 'safety_stopped'] as const)(
    'one that ended as %s is an error result, and the run goes on',
    (outcome) => {
      const story = started().and(asks('task')).and(starts(0))
      story
        .when(ends(0, {}, outcome))
        .gives({ state: 'model', effects: ['3 model.call shared'], timeout: 3_600_000 })
      expect(
        story
          .and(ends(0, {}, outcome))
          .prompt()
          .at(-1),
      ).toBe(`error ${id(0)} task: Error: the run ended as ${outcome}.`)
    },
  )

  test('an answer of nothing is a result all the same', () => {
    const output = { content: [], isError: false }
    const story = started()
      .and(asks('task'))
      .and(changed(ends(0), { output }))
    expect(story.prompt().at(-1)).toBe(`result ${id(0)} task: (no output)`)
  })
})

test('what a child has used, the run has used: turns, calls, tokens and money', () => {
  const spent: Spent = { turns: 3, calls: 5, tokens: 70, cost: 900, activeMs: 0 }
  const before = started().and(asks('task', 'task:b')).and(starts(0)).and(starts(1))
  const { calls, tokens, cost, turn } = before.state.context
  const after = before.and(ends(0, spent)).and(ends(1, { ...spent, turns: 1 }))
  expect(after.state.context).toMatchObject({
    turn: turn + 1,
    childTurns: 4,
    calls: calls + 10,
    tokens: tokens + 140,
    cost: cost + 1_800,
    children: 2,
  })
})

const begun = (loop: NonNullable<Patch['loop']>) => given(parentWith({ loop }), created, admitted)

/** Asks for the same piece of work again and again, with what it answered each time. */
const repeating = (story: Story, tool: string, ...texts: readonly string[]): Story =>
  texts.reduce(
    (told, text) =>
      told
        .and(asks(`${tool}:a`))
        .and(starts(0))
        .and(endsSaying(0, text)),
    story,
  )

const loopWords = (story: Story): readonly string[] =>
  story.verdicts.flatMap(({ type }) => (type.startsWith('loop.') ? [type] : []))

/** Two children end, in this order. */
const both = (...order: readonly number[]): Story =>
  order.reduce(
    (story, n) => story.and(endsSaying(n, `text ${n}`)),
    begun({}).and(asks('study:a', 'study:b')),
  )

describe('the loop check sees results of children as those of tools', () => {
  test('progress: one whose answer changes does not go in circles', () => {
    const loop = { warnThreshold: 3, hardLimit: 4 }
    const same = repeating(begun(loop), 'task', 'x', 'x', 'x')
    expect(loopWords(same)).toEqual(['loop.warned'])
    expect(same.and(asks('task:a')).decision.outcome).toBe('loop_stopped')
    const other = repeating(begun(loop), 'task', 'x', 'y', 'z', 'x')
    expect(loopWords(other)).toEqual([])
    expect(other.and(asks('task:a')).state.name).toBe('tools')
  })

  test('stagnation: readers that answer the same to different questions', () => {
    const loop = { stagnation: { warn: 2, hardLimit: 3 } }
    const asking = (tool: string): Story =>
      ['a', 'b', 'c'].reduce(
        (story, arg) =>
          story
            .and(asks(`${tool}:${arg}`))
            .and(starts(0))
            .and(endsSaying(0, 'none')),
        begun(loop),
      )
    expect(loopWords(asking('study').and(asks('study:d')))).toContain('loop.stopped')
    // One that does more than read has done something (P3).
    expect(loopWords(asking('task').and(asks('task:d')))).toEqual([])
  })

  test('the order in which children end says nothing', () => {
    expect(both(0, 1).state.context.loop).toEqual(both(1, 0).state.context.loop)
  })

  test('a refused call gave nothing, and is a result', () => {
    const story = begun({}).and(asks('study', 'task')).and(starts(0)).and(callRefused(1))
    expect(story.state.context.loop.taken).toEqual({ sum: 0, reads: false })
  })
})
