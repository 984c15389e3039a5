/** Row "Loop frequency" of agent-governance.md §8: how often a tool is called, whatever the arguments. */
import { describe, expect, test } from 'vitest'
import { LoopConfig } from '../../src/verdict/loop/config.ts'
import { emptyLoop } from '../../src/verdict/loop/state.ts'
import { judgeSet } from '../../src/verdict/loop/verdict.ts'
import { call, type Call, callSet, type Loop, times, told, walk } from './walk.ts'

const layer = 'tool_frequency'

/** So many different calls of a tool, one per set. */
const calls = (tool: string, n: number, from = 0): readonly (readonly Call[])[] =>
  Array.from({ length: n }, (_, at) => [call(tool, `${tool} ${from + at}`)])

/** The same as one set. */
const oneSet = (n: number): readonly Call[] => calls('search', n).flat()

const twoTools = (n: number): readonly Call[] => [call('search', `${n}`), call('status', `${n}`)]

const at = (loop: Loop, sets: readonly (readonly Call[])[]): readonly string[] =>
  told(walk({ stagnation: null, ...loop }, sets), layer).flatMap((verdict, n) =>
    verdict ? [`${n + 1}: ${verdict}`] : [],
  )

describe('Loop frequency', () => {
  test('1) the 30th call of a tool warns, once; the 50th is stopped', () => {
    expect(at({}, calls('search', 50))).toEqual(['30: warn 30', '50: stop 50'])
  })

  test('1) the verdict names the one tool and its threshold', () => {
    const last = [call('status', 'x'), call('search', 'last'), call('status', 'y')]
    const walked = walk({ stagnation: null }, [...calls('search', 29), last])
    expect(walked.verdicts.at(-1)).toEqual({
      action: 'warn',
      layer,
      tools: ['search'],
      count: 30,
      threshold: 30,
      set: callSet(last),
    })
  })

  test('1) all calls of a set count: one of fifty calls is stopped, one of thirty warns', () => {
    expect(at({}, [oneSet(29)])).toEqual([])
    expect(at({}, [oneSet(30)])).toEqual(['1: warn 30'])
    expect(at({}, [oneSet(49)])).toEqual(['1: warn 30'])
    expect(at({}, [oneSet(50)])).toEqual(['1: stop 50'])
    expect(at({}, [oneSet(64)])).toEqual(['1: stop 50'])
  })

  test('2) override up and down', () => {
    const up = { toolFreqOverrides: { search: { warn: 60, hardLimit: 100 } } }
    expect(at(up, calls('search', 100))).toEqual(['60: warn 60', '100: stop 100'])
    expect(at(up, calls('status', 50))).toEqual(['30: warn 30', '50: stop 50'])
    const down = { toolFreqOverrides: { search: { warn: 2, hardLimit: 3 } } }
    expect(at(down, calls('search', 3))).toEqual(['2: warn 2', '3: stop 3'])
    expect(at(down, calls('status', 29))).toEqual([])
  })

  test.each([
    { toolFreqWarn: 1, toolFreqHardLimit: 1, gives: ['1: stop 1', '2: stop 2'] },
    { toolFreqWarn: 1, toolFreqHardLimit: 2, gives: ['1: warn 1', '2: stop 2'] },
    { toolFreqWarn: 2, toolFreqHardLimit: 2, gives: ['2: stop 2'] },
    { toolFreqWarn: 3, toolFreqHardLimit: 9, gives: [] },
  ])('warn $toolFreqWarn, hard $toolFreqHardLimit', ({ gives, ...thresholds }) => {
    expect(at(thresholds, calls('search', 2))).toEqual(gives)
  })

  test.each([
    ['the oldest of four', ['search', 'status', 'read_file', 'search'], ['4: warn 2']],
    ['the fifth', ['search', 'status', 'read_file', 'status', 'search'], ['4: warn 2']],
  ])('the last calls count, as many as the highest limit: %s', (_, tools, gives) => {
    const loop = { toolFreqWarn: 2, toolFreqHardLimit: 4, windowSize: 2, hardLimit: 2 }
    const sets = tools.map((tool, n) => [call(tool, `${n}`)])
    expect(at({ ...loop, warnThreshold: 2, cycles: null }, sets)).toEqual(gives)
  })

  test('one warning per tool until its count falls below the warning', () => {
    const loop = {
      toolFreqWarn: 2,
      toolFreqHardLimit: 4,
      windowSize: 4,
      hardLimit: 4,
      cycles: null,
    }
    const often = [
      'search',
      'search',
      'status',
      'search',
      'read_file',
      'status',
      'search',
      'search',
    ]
    const sets = often.map((tool, n) => [call(tool, `${n}`)])
    // The list of four: search falls to one at the 6th call, and is at two again at the 7th.
    expect(at(loop, sets)).toEqual(['2: warn 2', '6: warn 2', '7: warn 2'])
  })

  test('a tool that was warned about and keeps its count is not warned about again', () => {
    const loop = { toolFreqWarn: 2, toolFreqHardLimit: 4, windowSize: 4, hardLimit: 4 }
    const tools = ['search', 'search', 'status', 'search', 'status', 'search']
    const sets = tools.map((tool, n) => [call(tool, `${n}`)])
    // Only at the 5th is it the other one; at the 6th both calls of the first warning have left the list.
    expect(at({ ...loop, cycles: null }, sets)).toEqual(['2: warn 2', '5: warn 2'])
  })

  test('tools that wait for their warning get it with a later set', () => {
    const loop = { toolFreqWarn: 1, toolFreqHardLimit: 50 }
    const walked = walk({ ...loop, stagnation: null }, [twoTools(1), twoTools(2), twoTools(3)])
    expect(walked.verdicts.map((verdict) => verdict?.tools)).toEqual([
      ['search'],
      ['status'],
      undefined,
    ])
  })

  test('calls of a set that is identical too often are not counted by tool', () => {
    const same = times(4, [call('search', 'a')])
    expect(at({ toolFreqWarn: 4, hardLimit: 9 }, same)).toEqual([])
    const more = [...same, ...calls('search', 1)]
    expect(at({ toolFreqWarn: 4, hardLimit: 9 }, more)).toEqual(['5: warn 4'])
  })

  test('tools the agent does not have count as one, by the common limits', () => {
    const loop = { toolFreqWarn: 3, toolFreqOverrides: { ghost: { warn: 1, hardLimit: 1 } } }
    expect(at(loop, [...calls('ghost', 1), ...calls('toString', 1), ...calls('spook', 1)])).toEqual(
      ['3: warn 3'],
    )
  })

  test('so do those of a very long list that come last, whatever the limits of their own', () => {
    const many = Array.from({ length: 700 }, (_, n) => `tool_${n}`)
    const config = LoopConfig.parse({
      toolFreqWarn: 2,
      toolFreqOverrides: {
        tool_674: { warn: 1, hardLimit: 9 },
        tool_675: { warn: 1, hardLimit: 1 },
      },
    })
    const judge = (...tools: readonly string[]) =>
      judgeSet({ config, toolNames: many }, emptyLoop, { set: 'f00dfeed', tools }).verdict
    expect(judge('tool_675')).toBe(null)
    expect(judge('tool_675', 'tool_699')).toMatchObject({ action: 'warn', count: 2 })
    expect(judge('tool_674')).toMatchObject({ action: 'warn', count: 1 })
    expect(judge('tool_673', 'tool_672')).toBe(null)
  })

  test('a tool with the name of something every object has is one like any other', () => {
    expect(at({}, calls('constructor', 50))).toEqual(['30: warn 30', '50: stop 50'])
  })
})
