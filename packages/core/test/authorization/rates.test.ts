/** Counts of calls: fixed windows, a small state. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  countCall,
  noCalls,
  rateOf,
  type RateState,
} from '../../src/verdict/authorization/rates.ts'

/** 2026-10-01T12:00:00Z. */
const noon = 1_790_856_000_000

const names = ['data.file.write', 'mcp.tool.execute', 'messaging.send', 'web.browser', 'web.fetch']
const windows = [
  ['minute', 60_000],
  ['hour', 3_600_000],
  ['day', 86_400_000],
] as const

test('counts are those of the same window, for any calls in order', () => {
  const call = fc.record({
    name: fc.constantFrom(...names),
    after: fc.integer({ min: 0, max: 7_200_000 }),
  })
  fc.assert(
    fc.property(fc.array(call, { maxLength: 60 }), (calls) => {
      let state = noCalls
      let at = noon
      const log: { name: string; at: number }[] = []
      for (const { name, after } of calls) {
        at += after
        log.push({ name, at })
        state = countCall(state, name, at)
      }
      for (const name of names)
        for (const [window, length] of windows) {
          const same = log.filter(
            (each) =>
              each.name === name && Math.floor(each.at / length) === Math.floor(at / length),
          )
          expect(rateOf(state, name, { window, at })).toBe(same.length)
        }
    }),
    { numRuns: 200 },
  )
})

test('the state is JSON of at most 300 bytes, with every capability and counts at their end', () => {
  const full: RateState = {
    at: 99_999_999,
    calls: Object.fromEntries(names.map((name) => [name, [999_999, 999_999, 999_999]])),
  }
  const more = names.reduce((state, name) => countCall(state, name, 99_999_999 * 60_000), full)
  expect(more).toEqual(full)
  expect(JSON.stringify(more).length).toBeLessThanOrEqual(300)
})

test('capabilities without rates are not counted, nor are names from elsewhere', () => {
  expect(countCall(noCalls, 'system.command.execute', noon)).toBe(noCalls)
  expect(countCall(noCalls, 'constructor', noon)).toBe(noCalls)
  expect(rateOf(noCalls, 'constructor', { window: 'day', at: noon })).toBe(0)
})

test('time that runs backwards resets nothing', () => {
  const state = countCall(countCall(noCalls, 'web.fetch', noon), 'web.fetch', noon - 86_400_000)
  expect(rateOf(state, 'web.fetch', { window: 'minute', at: noon - 5 })).toBe(2)
})
