/** The cached state: small, complete, and refused where it cannot be read. */
import { expect, test } from 'vitest'
import {
  initialState,
  isFinal,
  JsonObjectSchema,
  limits,
  persist,
  revive,
  type RunState,
  WebhookMoment,
} from '../src/index.ts'
import type { OpenStatus } from '../src/machine/context.ts'
import { loopBounds } from '../src/verdict/loop/config.ts'
import { digest } from './support/facts.ts'

const range = (n: number): readonly number[] => Array.from({ length: n }, (_, i) => i)
const most = limits.eventsPerRunMax
/** More tools than any provider takes. */
const lastTool = 700

const grants = range(6).map((n) => `${lastTool - n}:${digest(String(n)).slice(0, 16)}`)

/**
 * All that a run can remember at once: 64 open calls, the widest window with all warnings, the longest list of calls,
 * all rates of passports, and as many decisions of humans as are kept.
 */
function worst(status: OpenStatus): RunState {
  const hasEffect = ['running', 'child', 'unknown'].includes(status)
  return {
    name: 'cancelling',
    context: {
      run: '01930000-0000-7000-8000-0123456789ab',
      turn: most,
      retry: 99,
      tries: 20,
      waitedMs: 86_400_000,
      model: 8,
      corrections: 20,
      empties: 1,
      continued: 5,
      effects: most,
      source: most - 130,
      modelOpen: true,
      policy: most,
      opened: most,
      open: Object.fromEntries(
        range(limits.callsPerTurnMax).map((n) => [
          String(n),
          { effect: hasEffect ? most - n - 2 : 0, status, tool: lastTool - n },
        ]),
      ),
      calls: most * limits.callsPerTurnMax,
      tokens: Number.MAX_SAFE_INTEGER,
      cost: Number.MAX_SAFE_INTEGER,
      depth: limits.childDepthMax,
      children: limits.childrenMax,
      rerun: true,
      childTurns: most,
      injected: most,
      told: ['turns', 'calls', 'tokens', 'money', 'time'],
      loop: {
        window: range(loopBounds.windowMax)
          .map((n) => `${digest(String(n)).slice(0, 12)}b`)
          .join(''),
        calls: 'ZY'.repeat(loopBounds.callsMax),
        taken: { sum: 0xffff_ffff, reads: false },
        stagnant: { sets: most, set: 'ffffffff', sum: 0xffff_ffff, warned: false },
      },
      rates: {
        at: 99_999_999,
        calls: Object.fromEntries(
          ['web.browser', 'web.fetch', 'mcp.tool.execute', 'messaging.send', 'data.file.write'].map(
            (name) => [name, [999_999, 999_999, 999_999] as const],
          ),
        ),
      },
      grants,
      refused: grants,
      webhooks: range(limits.webhooksMax).map(() => 2 ** WebhookMoment.options.length - 1),
      activeMs: 4_000_000_000_000,
      since: 4_000_000_000_000,
      restedAt: 4_000_000_000_000,
      ending: 'guardrail_stopped',
    },
  }
}

test.each(['running', 'child', 'unknown', 'asked', 'judging', 'gated'] as const)(
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

test('nothing of a context is left out of the cache', () => {
  const { context } = worst('running')
  for (const name of Object.keys(initialState.context)) expect(context).toHaveProperty(name)
  expect(Object.keys(context)).toHaveLength(Object.keys(initialState.context).length)
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
  ['a call in no known status', { open: '0X07' }, /unreadable: 0X07/],
  ['a call cut short', { open: '0R0' }, /unreadable: 0R0/],
  ['a budget that is none', { told: 'tx' }, /unreadable: tx/],
  ['a counter too few', { counts: '1 2 3' }, /unreadable: 1 2 3/],
  ['a counter that is no number', { counts: `x${' 0'.repeat(20)}` }, /unreadable: x 0/],
  ['counters that are no text', { counts: 3 }, /"counts"/],
  ['a window that is none', { loop: { window: '?', calls: '' } }, /"window"/],
])('a context with %s is refused', (_, patch, message) => {
  const context = JsonObjectSchema.parse(persist(initialState)['context'])
  const wrong = { ...persist(initialState), context: { ...context, ...patch } }
  expect(() => revive(wrong)).toThrow(message)
  expect(() => revive({ ...persist(initialState), context })).not.toThrow()
})
