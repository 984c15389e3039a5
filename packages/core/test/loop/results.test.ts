/** Progress and stagnation: what results do to the count. §7 of agent-governance.md: false positives are the main complaint. */
import { describe, expect, test } from 'vitest'
import { LoopConfig } from '../../src/verdict/loop/config.ts'
import { closeSet, takeResult } from '../../src/verdict/loop/results.ts'
import { emptyLoop } from '../../src/verdict/loop/state.ts'
import { judgeSet } from '../../src/verdict/loop/verdict.ts'
import { digest } from '../support/facts.ts'
import { call, look, search, times, told, toolNames, walk } from './walk.ts'

const identical = 'identical_call_set'
const cycle = 'alternating_cycle'
const stagnant = 'stagnant_results'

const polls = (...results: readonly string[]) => results.map((result) => search('status', result))

describe('progress', () => {
  test('polling whose result changes each time is never warned about', () => {
    const walked = walk({}, polls(...Array.from({ length: 20 }, (_, n) => `${n} %`)))
    expect(walked.verdicts.filter(Boolean)).toEqual([])
  })

  test('polling whose result does not change is stopped', () => {
    expect(told(walk({}, polls(...times(5, '0 %'))), identical).at(-1)).toBe('stop 5')
  })

  test('after a change the count begins anew, and so does the warning', () => {
    const walked = walk({}, polls('0', '0', '0', '1', '1', '1', '1'))
    expect(told(walked, identical)).toEqual(['', '', 'warn 3', '', '', 'warn 3', ''])
    expect(told(walk({}, polls('1'), walked.state), identical)).toEqual(['stop 5'])
  })

  test('going back to an earlier result is a change like any other', () => {
    expect(told(walk({}, polls('0', '1', '0', '1', '0', '1')), identical).join('')).toBe('')
  })

  test('one of several results is enough', () => {
    const sets = ['1', '2', '3', '4'].map((other) => [
      call('search', 'a', 'x'),
      call('search', 'b', other),
    ])
    expect(told(walk({}, sets), identical).join('')).toBe('')
  })

  test('what another set gave says nothing about this one', () => {
    const sets = Array.from({ length: 5 }, (_, n) => [search('a'), search('b', `${n}`)]).flat()
    const walked = walk({}, sets)
    expect(told(walked, identical).filter(Boolean)).toEqual(['warn 3', 'stop 5'])
    expect(told(walked, cycle).join('')).toBe('')
  })

  test('blanked sets keep their place in the window', () => {
    const loop = { warnThreshold: 2, hardLimit: 3, windowSize: 4, cycles: null } as const
    const sets = [search('b'), search('a', '0'), search('a', '1'), search('x'), search('b')]
    expect(told(walk(loop, sets), identical).at(-1)).toBe('')
  })

  test('switched off, a changed result is no excuse', () => {
    const walked = walk({ progress: false }, polls('0', '1', '2', '3', '4'))
    expect(told(walked, identical)).toEqual(['', '', 'warn 3', '', 'stop 5'])
  })
})

/** So many different reads that gave the same. */
const looks = (n: number, from = 0) =>
  Array.from({ length: n }, (_, at) => look(`place ${from + at}`, 'nothing found'))

describe('stagnation', () => {
  test('five different reads that gave the same: the next set warns, once', () => {
    const walked = walk({}, looks(8))
    expect(told(walked, stagnant)).toEqual(['', '', '', '', '', 'warn 5', '', ''])
    expect(walked.verdicts[5]).toMatchObject({ threshold: 5, tools: ['search'] })
  })

  test('a hard limit stops the set after that many', () => {
    const loop = { stagnation: { warn: 2, hardLimit: 3 } }
    expect(told(walk(loop, looks(4)), stagnant)).toEqual(['', '', 'warn 2', 'stop 3'])
  })

  test.each([
    ['another result', look('x', 'found')],
    ['a call that writes', [call('write_file', 'x', 'nothing found')]],
    ['a write among reads', [...look('x', 'nothing found'), call('write_file', 'x', '')]],
  ])('%s ends the row, and its warning', (_, between) => {
    const walked = walk({}, [...looks(4), between, ...looks(3, 4)])
    expect(told(walked, stagnant).join('')).toBe('')
    expect(told(walk({}, looks(3, 7), walked.state), stagnant)).toEqual(['', '', 'warn 5'])
  })

  test('a write that answers "ok" every time is no stagnation', () => {
    const sets = Array.from({ length: 20 }, (_, n) => [call('write_file', `${n}`, 'ok')])
    expect(walk({}, sets).verdicts.filter(Boolean)).toEqual([])
  })

  test('the same set again is repetition, not one more of the row', () => {
    const sets = [...looks(4), ...times(2, look('place 3', 'nothing found'))]
    expect(walk({}, sets).state.stagnant?.sets).toBe(4)
  })

  test('a set of which nothing was executed reads nothing', () => {
    const config = LoopConfig.parse({})
    const { state } = walk({}, looks(4))
    const asked = walk({ stagnation: null }, [[]], state).state
    expect(closeSet(config, { ...asked, window: `${asked.window}00000000----.` }).stagnant).toBe(
      null,
    )
  })

  test('null: not looked for', () => {
    const walked = walk({ stagnation: null }, looks(9))
    expect(told(walked, stagnant).join('')).toBe('')
    expect(walked.state.stagnant).toBe(null)
  })

  test('the warning of a tool called too often comes first, this one with the next set', () => {
    const walked = walk({ toolFreqWarn: 6 }, looks(8))
    expect(walked.verdicts.map((verdict) => verdict?.layer).slice(5)).toEqual([
      'tool_frequency',
      stagnant,
      undefined,
    ])
  })
})

describe('taking results in', () => {
  const config = LoopConfig.parse({})

  test('what arrives after the set was closed, or before any, changes nothing', () => {
    const { state } = walk({}, [search('a')])
    const late = { digest: digest('late'), reads: false }
    expect(takeResult(state, late)).toBe(state)
    expect(takeResult(emptyLoop, late)).toBe(emptyLoop)
    expect(closeSet(config, state)).toBe(state)
    expect(closeSet(config, emptyLoop)).toBe(emptyLoop)
  })

  test('a set that was never closed has no results: neither its own later on, nor those of the next', () => {
    const open = takeResult(
      { ...emptyLoop, window: '00000000----.' },
      { digest: digest('x'), reads: true },
    )
    const asked = { set: '00000000', tools: ['search'] }
    const { state } = judgeSet({ config, toolNames }, open, asked)
    expect(state.taken).toBe(null)
    const closed = closeSet(config, takeResult(state, { digest: digest('y'), reads: true }))
    expect(closed.window).toMatch(/^00000000----\.00000000[0-9a-f]{4}\.$/)
  })

  test('a result without digest is another than one with, and takes nothing from it', () => {
    const open = { ...emptyLoop, window: '00000000----.' }
    const one = takeResult(open, { digest: digest('x'), reads: true })
    expect(takeResult(one, { digest: '', reads: true })).toEqual(one)
    expect(closeSet(config, one).window).not.toBe(closeSet(config, open).window)
  })
})
