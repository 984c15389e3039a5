/** Rows "Loop identical" and "Loop keys" of agent-governance.md §8, as far as they are a fold. */
import { describe, expect, test } from 'vitest'
import { emptyLoop } from '../../src/verdict/loop/state.ts'
import { judgeSet } from '../../src/verdict/loop/verdict.ts'
import { LoopConfig } from '../../src/verdict/loop/config.ts'
import { call, callSet, search, times, told, toolNames, walk } from './walk.ts'

const layer = 'identical_call_set'
/** `a` and `b` in turns. */
const turns = (n: number) => Array.from({ length: n }, (_, at) => search(at % 2 === 0 ? 'a' : 'b'))

const off = { cycles: null, stagnation: null } as const

describe('Loop identical', () => {
  test('1) the 3rd same set warns, once; 2) the 5th is stopped', () => {
    const walked = walk({}, times(5, search('a')))
    expect(told(walked, layer)).toEqual(['', '', 'warn 3', '', 'stop 5'])
    expect(walked.verdicts[2]).toEqual({
      action: 'warn',
      layer,
      tools: ['search'],
      count: 3,
      threshold: 3,
      set: callSet(search('a')),
    })
    expect(walked.verdicts[4]).toMatchObject({ action: 'stop', threshold: 5, tools: ['search'] })
  })

  test('3) the order of calls is irrelevant, also with results', () => {
    const [a, b] = [call('search', 'a', '1'), call('status', 'b', '2')]
    const walked = walk(off, [
      [a, b],
      [b, a],
      [a, b],
      [b, a],
      [a, b],
    ])
    expect(told(walked, layer)).toEqual(['', '', 'warn 3', '', 'stop 5'])
  })

  test('3) runs do not share a state', () => {
    const walked = walk({}, times(4, search('a')))
    expect(told(walk({}, times(2, search('a'))), layer)).toEqual(['', ''])
    expect(told(walk({}, [search('a')], walked.state), layer)).toEqual(['stop 5'])
  })

  test.each([
    { warnThreshold: 1, hardLimit: 2, gives: ['warn 1', 'stop 2', 'stop 3'] },
    { warnThreshold: 2, hardLimit: 2, gives: ['', 'stop 2', 'stop 3'] },
    { warnThreshold: 2, hardLimit: 3, gives: ['', 'warn 2', 'stop 3'] },
    { warnThreshold: 1, hardLimit: 1, gives: ['stop 1', 'stop 2', 'stop 3'] },
    { warnThreshold: 4, hardLimit: 9, gives: ['', '', ''] },
  ])('warn $warnThreshold, hard $hardLimit', ({ gives, ...thresholds }) => {
    expect(told(walk({ ...off, ...thresholds }, times(3, search('a'))), layer)).toEqual(gives)
  })

  test('sets need not be consecutive', () => {
    const sets = ['a', 'b', 'a', 'c', 'a', 'd', 'a', 'e', 'a'].map((query) => search(query))
    expect(told(walk(off, sets), layer).filter(Boolean)).toEqual(['warn 3', 'stop 5'])
  })

  test('the same set with one call more is another set', () => {
    const [a, b] = [call('search', 'a'), call('search', 'a')]
    expect(told(walk(off, [[a], [a, b], [a], [a, b]]), layer)).toEqual(['', '', '', ''])
  })

  test.each([
    ['still in it', ['a', 'b', 'a'], 'stop 2'],
    ['just out of it', ['a', 'b', 'c', 'a'], ''],
  ])('a window of three, this set included, the first set %s', (_, queries, last) => {
    const loop = { ...off, warnThreshold: 2, hardLimit: 2, windowSize: 3 }
    const walked = walk(
      loop,
      queries.map((query) => search(query)),
    )
    expect(told(walked, layer).at(-1)).toBe(last)
  })

  test('a window of one remembers nothing but the set at hand', () => {
    const loop = { ...off, warnThreshold: 1, hardLimit: 1, windowSize: 1 }
    expect(told(walk(loop, [search('a'), search('b')]), layer)).toEqual(['stop 1', 'stop 1'])
  })

  test('one warning while the set stays in the window; again once it has left and returned', () => {
    const loop = { ...off, warnThreshold: 2, hardLimit: 4, windowSize: 4 }
    const queries = ['a', 'a', 'b', 'a', 'c', 'd', 'a', 'e', 'f', 'g', 'h', 'a', 'a']
    const walked = walk(
      loop,
      queries.map((query) => search(query)),
    )
    const at = walked.verdicts.flatMap((verdict, n) => (verdict ? [n] : []))
    expect(at).toEqual([1, 12])
  })

  test('again at once when the set at hand is what pushes the last of them out', () => {
    const loop = { ...off, warnThreshold: 2, hardLimit: 3, windowSize: 3 }
    const walked = walk(
      loop,
      ['a', 'a', 'b', 'c', 'a', 'a'].map((query) => search(query)),
    )
    expect(told(walked, layer)).toEqual(['', 'warn 2', '', '', '', 'warn 2'])
  })

  test('the warning lasts while only later askings of the set are in the window', () => {
    const loop = { ...off, warnThreshold: 2, hardLimit: 4, windowSize: 4 }
    const queries = ['a', 'a', 'a', 'b', 'c', 'a', 'd', 'a', 'e', 'a']
    const walked = walk(
      loop,
      queries.map((query) => search(query)),
    )
    expect(told(walked, layer).filter(Boolean)).toEqual(['warn 2'])
  })

  test('a set without calls changes nothing', () => {
    const { state } = walk({}, times(2, search('a')))
    expect(walk({}, [[]], state)).toEqual({ state, verdicts: [null], states: [state] })
  })

  test('switched off, it neither sees nor remembers', () => {
    const walked = walk({ enabled: false }, times(60, search('a')))
    expect(walked.verdicts.every((verdict) => verdict === null)).toBe(true)
    expect(walked.state).toEqual(emptyLoop)
  })

  test('judging changes no state it was given', () => {
    const state = Object.freeze({ ...emptyLoop })
    const setting = { config: LoopConfig.parse({}), toolNames }
    judgeSet(setting, state, { set: callSet(search('a')), tools: ['search'] })
    expect(state).toEqual(emptyLoop)
  })
})

describe('two sets in turns', () => {
  const cycle = 'alternating_cycle'
  const loop = { warnThreshold: 9, hardLimit: 9, stagnation: null } as const

  test('the 3rd full repeat warns, once; the 4th is stopped', () => {
    const walked = walk(loop, turns(8))
    expect(told(walked, cycle)).toEqual(['', '', '', '', '', 'warn 3', '', 'stop 4'])
    expect(walked.verdicts[7]).toMatchObject({ threshold: 4, set: callSet(search('b')) })
  })

  test('by default identical sets warn first, each; the cycle is stopped before their limit', () => {
    const verdicts = walk({}, turns(8)).verdicts.map((v) => v && `${v.action} ${v.layer}`)
    expect(verdicts.slice(4)).toEqual([
      'warn identical_call_set',
      'warn identical_call_set',
      'warn alternating_cycle',
      'stop alternating_cycle',
    ])
  })

  test('a stop is not hidden by the warning of a layer before it', () => {
    const early = { warnThreshold: 2, hardLimit: 9, cycles: { warn: 2, hardLimit: 2 } }
    const walked = walk({ ...early, stagnation: null }, turns(4))
    expect(told(walked, cycle).at(-1)).toBe('stop 2')
  })

  test('three sets in turns, or the same one, are no such cycle', () => {
    const three = Array.from({ length: 12 }, (_, at) => search('abc'.charAt(at % 3)))
    for (const sets of [three, times(8, search('a'))])
      expect(told(walk({ ...loop, hardLimit: 12 }, sets), cycle).join('')).toBe('')
  })

  test('another set between begins anew, and warns no second time while both are remembered', () => {
    const sets = [...turns(6), search('x'), ...turns(7)]
    expect(told(walk(loop, sets), cycle).filter(Boolean)).toEqual(['warn 3'])
    const forgetful = { ...loop, windowSize: 9 }
    const far = [...turns(6), ...'cdefghijk'.split('').map((q) => search(q)), ...turns(6)]
    expect(told(walk(forgetful, far), cycle).filter(Boolean)).toEqual(['warn 3', 'warn 3'])
  })

  test('a cycle of one of them with a third is another one', () => {
    const other = Array.from({ length: 6 }, (_, at) => search(at % 2 === 0 ? 'c' : 'a'))
    const walked = walk(loop, [...turns(6), ...other])
    expect(told(walked, cycle).slice(5)).toEqual(['warn 3', '', '', '', '', '', 'warn 3'])
  })

  test('null: not looked for', () => {
    expect(told(walk({ ...loop, hardLimit: 20, cycles: null }, turns(20)), cycle).join('')).toBe('')
  })
})
