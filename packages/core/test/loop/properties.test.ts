/** What must hold of every walk: it is a fold, its state is small, and order says nothing. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LoopConfig } from '../../src/verdict/loop/config.ts'
import { emptyLoop, LoopState } from '../../src/verdict/loop/state.ts'
import { type Call, callSet, type Loop, toolNames, walk } from './walk.ts'

const oneOf = (values: readonly string[]) => fc.constantFrom(...values)

const aCall: fc.Arbitrary<Call> = fc.record({
  name: oneOf([...toolNames, 'ghost']),
  args: fc.record({ query: oneOf(['a', 'b', 'c']) }),
  gives: oneOf(['x', 'y']),
  reads: fc.boolean(),
})
const sets = fc.array(fc.array(aCall, { maxLength: 3 }), { maxLength: 40 })

/** Narrow, so that every limit is reached. */
const loops: fc.Arbitrary<Loop> = fc
  .record({
    warnThreshold: fc.integer({ min: 1, max: 3 }),
    hardLimit: fc.integer({ min: 3, max: 5 }),
    windowSize: fc.integer({ min: 5, max: 12 }),
    toolFreqWarn: fc.integer({ min: 1, max: 6 }),
    toolFreqHardLimit: fc.integer({ min: 6, max: 12 }),
    progress: fc.boolean(),
    cycles: fc.constantFrom(null, { warn: 1, hardLimit: 2 }),
    stagnation: fc.constantFrom(null, { warn: 2, hardLimit: null }, { warn: 2, hardLimit: 4 }),
  })
  .map((loop): Loop => loop)

const holds = (check: (loop: Loop, sets: readonly (readonly Call[])[]) => void) =>
  fc.assert(fc.property(loops, sets, check), { numRuns: 300 })

test('a fold: the same again, also from a state that was cached in between', () => {
  holds((loop, all) => {
    const whole = walk(loop, all)
    assert.deepEqual(walk(loop, structuredClone(all)), whole)
    const half = Math.floor(all.length / 2)
    const { state } = walk(loop, all.slice(0, half))
    const cached = LoopState.parse(JSON.parse(JSON.stringify(state)))
    assert.deepEqual(cached, state)
    const rest = walk(loop, all.slice(half), cached)
    assert.deepEqual(rest.state, whole.state)
    assert.deepEqual(rest.verdicts, whole.verdicts.slice(half))
  })
})

test('the order of calls in a set is irrelevant to the circles, and so is that of results', () => {
  holds((loop, all) => {
    // Which tool of a set reaches its limit first is a matter of order, so that layer is out of reach here.
    const calm = { ...loop, toolFreqWarn: 120, toolFreqHardLimit: 120 }
    const forwards = walk(calm, all)
    const backwards = walk(
      calm,
      all.map((calls) => calls.toReversed()),
    )
    assert.equal(backwards.state.window, forwards.state.window)
    assert.deepEqual(backwards.state.stagnant, forwards.state.stagnant)
    const bare = forwards.verdicts.map((verdict) => verdict && { ...verdict, tools: [] })
    assert.deepEqual(
      backwards.verdicts.map((verdict) => verdict && { ...verdict, tools: [] }),
      bare,
    )
  })
})

test('with progress off, and stagnation not looked for, results never matter', () => {
  holds((loop, all) => {
    const blind = { ...loop, progress: false, stagnation: null }
    const unlike = all.map((calls, n) => calls.map((call) => ({ ...call, gives: `${n}` })))
    assert.deepEqual(walk(blind, unlike).verdicts, walk(blind, all).verdicts)
  })
})

test('a set that gives something else each time is never identical, nor part of a cycle', () => {
  holds((loop, all) => {
    const patient = { ...loop, warnThreshold: 3, cycles: { warn: 2, hardLimit: 2 }, progress: true }
    const unlike = all.map((calls, n) => calls.map((call) => ({ ...call, gives: `${n}` })))
    for (const verdict of walk(patient, unlike).verdicts)
      assert.ok(!verdict || !/identical|alternating/.test(verdict.layer))
  })
})

test('progress only ever takes away: no set counts for more than without', () => {
  holds((loop, all) => {
    const counts = (progress: boolean) =>
      walk({ ...loop, progress, warnThreshold: 1, hardLimit: 5, cycles: null }, all).states.map(
        ({ window }) =>
          window.match(/.{13}/g)?.filter((entry) => !entry.startsWith('-')).length ?? 0,
      )
    const without = counts(false)
    counts(true).forEach((count, n) => assert.ok(count <= (without[n] ?? 0)))
  })
})

test('a set is stopped exactly when it is in the window as often as the limit says', () => {
  holds((loop, all) => {
    const blind = { ...loop, progress: false, cycles: null, stagnation: null }
    const { hardLimit, windowSize } = LoopConfig.parse(blind)
    const asked = all.filter((calls) => calls.length > 0)
    const { verdicts } = walk(blind, asked)
    asked.forEach((calls, n) => {
      const window = asked.slice(Math.max(0, n + 1 - windowSize), n + 1).map(callSet)
      const count = window.filter((set) => set === callSet(calls)).length
      const stopped = verdicts[n]?.action === 'stop' && verdicts[n].layer === 'identical_call_set'
      assert.equal(stopped, count >= hardLimit)
    })
  })
})

const bytes = (state: LoopState): number => Buffer.byteLength(JSON.stringify(state))
const widest = { sum: 0xffff_ffff, reads: false }
const longest = { sets: 10_000, set: 'ffffffff', sum: 0xffff_ffff, warned: false }

test.each([
  ['the default configuration', {}, 900],
  ['the widest configuration', { windowSize: 40, toolFreqHardLimit: 120 }, 1040],
] as const)('with %s the state is never larger than %s', (_, loop, most) => {
  const { windowSize, toolFreqHardLimit } = LoopConfig.parse(loop)
  const full = {
    window: 'ffffffffffffb'.repeat(windowSize),
    calls: 'ZZ'.repeat(toolFreqHardLimit),
    taken: widest,
    stagnant: longest,
  }
  expect(LoopState.parse(full)).toEqual(full)
  expect(bytes(full)).toBeLessThanOrEqual(most)
  fc.assert(
    fc.property(fc.array(fc.array(aCall, { maxLength: 20 }), { maxLength: 60 }), (all) => {
      for (const state of walk(loop, all).states) assert.ok(bytes(state) <= bytes(full))
    }),
    { numRuns: 30 },
  )
})

test.each([
  ['a window cut short', { window: 'ffffffffffff' }],
  ['a window that is too long', { window: '00000000----.'.repeat(41) }],
  ['a warning nobody knows', { window: '00000000----q' }],
  ['half a call', { calls: 'abc' }],
  ['too many calls', { calls: 'ab'.repeat(121) }],
  ['a sum that is none', { taken: { sum: -1, reads: true } }],
  ['a row of no sets', { stagnant: { ...longest, sets: 0 } }],
])('%s is no state', (_, patch) => {
  expect(LoopState.safeParse(emptyLoop).success).toBe(true)
  expect(LoopState.safeParse({ ...emptyLoop, ...patch }).success).toBe(false)
})
