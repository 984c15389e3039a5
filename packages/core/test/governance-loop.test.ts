/**
 * The acceptance table of agent governance, the rows of loop detection: one test per numbered behaviour that the core decides, named
 * after its row. Defaults are the table's: what a test does not set is as an agent has it that configures nothing.
 */
import { describe, expect, test } from 'vitest'
import { AgentDefinition, replay, persist, type FoldableEvent } from '../src/index.ts'
import { agentWith, type Patch } from './support/agent.ts'
import {
  admitted,
  answers,
  asks,
  cancels,
  completes,
  created,
  overloaded,
  run,
  says,
} from './support/facts.ts'
import { said } from './support/log.ts'
import { promptOf } from './support/prompt.ts'
import { given, type Story } from './support/story.ts'
import { World } from './support/world.ts'
import { machine, reviveState } from './support/machine.ts'

const started = (patch: Patch = {}) => given(agentWith(patch), created, admitted)
const typesOf = (story: Story): readonly string[] => story.verdicts.map(({ type }) => type)
const next = said(['and now?'])

/** Asks for the same set n times, and answers each. */
function repeating(story: Story, n: number, ...set: readonly string[]): Story {
  let told = story
  for (let i = 0; i < n; i++) {
    told = told.and(asks(...set))
    for (const at of set.keys()) told = told.and(completes(at))
  }
  return told
}

/** Calls of one tool with arguments of their own, ten a turn. */
const calling = (story: Story, tool: string, n: number): Story => {
  let told = story
  for (let from = 0; from < n; from += 10) {
    const many = Math.min(10, n - from)
    told = repeating(told, 1, ...Array.from({ length: many }, (_, at) => `${tool}:${from + at}`))
  }
  return told
}

describe('Loop', () => {
  test('Loop identical: 1) 3rd same set → one warning in the *next* request, last, after all results', () => {
    expect(typesOf(repeating(started(), 2, 'write:a', 'search:b'))).toEqual([])
    const story = repeating(started(), 3, 'write:a', 'search:b')
    expect(typesOf(story)).toEqual(['loop.warned'])
    const prompt = story.prompt()
    expect(prompt.at(-1)).toMatch(/^user: \[LOOP DETECTED\].*3 times/)
    expect(prompt.at(-2)).toMatch(/^result c_0123456789ab_3_1 search/)
    expect(prompt.filter((line) => line.includes('LOOP'))).toHaveLength(1)
    expect(typesOf(repeating(started(), 4, 'write:a', 'search:b'))).toEqual(['loop.warned'])
  })

  test('Loop identical: 2) 5th → no execution, forced text, loop_stopped', () => {
    const story = repeating(started(), 4, 'write:a').and(asks('write:a'))
    expect(story.decision).toMatchObject({ outcome: 'loop_stopped', effects: [] })
    expect(story.decision.verdicts[0]?.payload).toMatchObject({
      layer: 'identical_call_set',
      count: 5,
      threshold: 5,
      messageId: 'm_0123456789ab_5',
    })
    expect(story.prompt(next).at(-2)).toMatch(/^assistant: \[FORCED STOP\].*5 times/)
  })

  test('Loop identical: 3) call order irrelevant; other runs/threads unaffected', () => {
    const turns = [
      ['write:a', 'search:b'],
      ['search:b', 'write:a'],
    ] as const
    let story = started()
    for (const n of [0, 1, 0]) story = repeating(story, 1, ...(turns[n] ?? []))
    expect(typesOf(story)).toEqual(['loop.warned'])
    expect(typesOf(repeating(started(), 2, 'write:a', 'search:b'))).toEqual([])
  })

  test('Loop frequency: 1) 30th call of a tool warns once, 50th stops', () => {
    expect(typesOf(calling(started(), 'write', 29))).toEqual([])
    const warned = calling(started(), 'write', 30)
    expect(warned.verdicts).toMatchObject([
      { type: 'loop.warned', payload: { layer: 'tool_frequency', count: 30, tools: ['write'] } },
    ])
    expect(warned.prompt().at(-1)).toMatch(/write.*30/)
    const most = calling(started(), 'write', 49)
    expect(typesOf(most)).toEqual(['loop.warned'])
    const last = most.and(asks('write:last'))
    expect(last.decision).toMatchObject({ outcome: 'loop_stopped', effects: [] })
    expect(last.decision.verdicts[0]?.payload).toMatchObject({ count: 50, threshold: 50 })
  })

  test('Loop frequency: 2) override up and down', () => {
    const toolFreqOverrides = {
      search: { warn: 2, hardLimit: 3 },
      write: { warn: 60, hardLimit: 70 },
    }
    const loop = { toolFreqOverrides, stagnation: null }
    expect(typesOf(calling(started({ loop }), 'write', 59))).toEqual([])
    expect(typesOf(calling(started({ loop }), 'search', 2))).toEqual(['loop.warned'])
    const story = repeating(repeating(started({ loop }), 1, 'search:a'), 1, 'search:b')
    expect(story.and(asks('search:c')).decision.outcome).toBe('loop_stopped')
  })

  test.each([
    ['hardLimit', { warnThreshold: 4, hardLimit: 3 }],
    ['toolFreqHardLimit', { toolFreqWarn: 9, toolFreqHardLimit: 8 }],
    ['toolFreqOverrides', { toolFreqOverrides: { bash: { warn: 9, hardLimit: 8 } } }],
  ])('Loop frequency: 3) hard<warn rejected: %s', (path, loop) => {
    const { error } = AgentDefinition.safeParse({ ...agentWith(), loop })
    expect(error?.issues[0]?.path).toEqual(expect.arrayContaining(['loop', path]))
  })

  test('Loop warnings: 1) never persisted', () => {
    const story = repeating(started(), 3, 'write:a').and(says('done'))
    expect(story.prompt(next).join('\n')).not.toContain('LOOP')
  })

  test('Loop warnings: 2) never in a later run', () => {
    const story = repeating(started(), 3, 'write:a').and(cancels())
    expect(story.prompt(next).join('\n')).not.toContain('LOOP')
  })

  test('Loop warnings: 3) [+] survive LLM retry and restart', () => {
    const story = repeating(started(), 3, 'write:a')
    const again = story.and(answers(overloaded()))
    expect(again.decision.effects).toMatchObject([{ kind: 'model.call', retry: 1 }])
    expect(again.prompt().at(-1)).toBe(story.prompt().at(-1))
    // A process that begins here has the log, and the state as it was cached.
    const stored: readonly FoldableEvent[] = JSON.parse(JSON.stringify(again.log))
    expect(promptOf(stored)).toEqual(again.prompt())
    expect(reviveState(JSON.parse(JSON.stringify(persist(again.state))))).toEqual(again.state)
  })

  test('Loop record [+]: loop warn/stop events; counts rebuilt by replay', () => {
    const agent = agentWith({ loop: { warnThreshold: 2, hardLimit: 3 } })
    const world = new World({ run, agent, machine })
    world.take({ what: 'admit', pick: 0, how: 0, waitMs: 0, decide: true })
    // The same calls again and again: this answer asks for one call of `write`.
    while (!world.ended) world.take({ what: 'answer', pick: 0, how: 1, waitMs: 0, decide: true })
    const loops = world.log.filter(({ type }) => type.startsWith('loop.'))
    expect(loops.map(({ type }) => type)).toEqual(['loop.warned', 'loop.stopped'])
    const replayed = replay({ run, agent, machine }, world.log)
    expect(replayed.differences).toEqual([])
    expect(replayed.state.context.loop).toEqual(world.state.context.loop)
  })
})
