/** The cached state: small, complete, and refused where it cannot be read. */
import { expect, test } from 'vitest'
import { initialState, isFinal, limits, persist, revive, type RunState } from '../src/index.ts'
import { digest } from './support/facts.ts'

const range = (n: number): readonly number[] => Array.from({ length: n }, (_, i) => i)

/** 64 open calls with the longest effect numbers a run can have, 40 sets, each warned about. */
function worst(status: 'running' | 'unknown' | 'asked'): RunState {
  const window = range(40).map((n) => digest(String(n)).slice(0, 16))
  return {
    name: 'cancelling',
    context: {
      run: '01930000-0000-7000-8000-0123456789ab',
      turn: limits.eventsPerRunMax,
      retry: 20,
      effects: limits.eventsPerRunMax,
      source: limits.eventsPerRunMax,
      modelOpen: false,
      open: Object.fromEntries(
        range(limits.callsPerTurnMax).map((n) => [
          String(n),
          { effect: limits.eventsPerRunMax - n, status },
        ]),
      ),
      calls: limits.eventsPerRunMax * limits.callsPerTurnMax,
      tokens: Number.MAX_SAFE_INTEGER,
      window,
      warned: window,
      activeMs: 4_000_000_000_000,
      since: 4_000_000_000_000,
      ending: 'guardrail_stopped',
    },
  }
}

test.each(['running', 'unknown', 'asked'] as const)(
  'the largest state, its calls %s, is within the limit and reads back as it was',
  (status) => {
    const text = JSON.stringify(persist(worst(status)))
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(limits.stateBytesMax)
    expect(revive(JSON.parse(text))).toEqual(worst(status))
  },
)

test('the first state reads back as it was', () => {
  expect(revive(persist(initialState))).toEqual(initialState)
  expect(isFinal(initialState)).toBe(false)
})

test.each([
  ['another version', { v: 2 }, /"v"/],
  ['an unknown state', { name: 'dreaming' }, /"name"/],
  ['no context', { context: null }, /"context"/],
])('what has %s is refused', (_, patch, message) => {
  expect(() => revive({ ...persist(initialState), ...patch })).toThrow(message)
})

test.each([
  ['calls that are none', { open: '0x7' }, /unreadable: 0x7/],
  ['a warning about nothing', { warned: [3] }, /unreadable: warned 3/],
  ['a text for a number', { turn: '1' }, /"turn"/],
])('a context with %s is refused', (_, patch, message) => {
  const persisted = persist(initialState)
  const { context } = initialState
  const wrong = { ...persisted, context: { ...context, open: '', ...patch } }
  expect(() => revive(wrong)).toThrow(message)
  expect(() => revive({ ...persisted, context: { ...context, open: '' } })).not.toThrow()
})
