/** The cached state: small, complete, and refused where it cannot be read. */
import { expect, test } from 'vitest'
import {
  isFinal,
  JsonObjectSchema,
  limits,
  persist,
  type RunState,
  WebhookMoment,
} from '../src/index.ts'
import type { OpenStatus } from '../src/machine/context.ts'
import type { PrunePlace, RoomState } from '../src/verdict/context/room.ts'
import { loopBounds } from '../src/verdict/loop/config.ts'
import { digest } from './support/facts.ts'
import { reviveState, fresh } from './support/machine.ts'

const range = (n: number): readonly number[] => Array.from({ length: n }, (_, i) => i)
const most = limits.eventsPerRunMax
/** More tools than any provider takes. */
const lastTool = 700

/** As many as a run remembers, of 64 bits in hex, or of 128 in base 64. */
const grants = {
  64: range(6).map((n) => `${lastTool - n}:${digest(String(n)).slice(0, 16)}`),
  128: range(5).map((n) => `${lastTool - n}:${digest(String(n)).slice(0, 22)}`),
} as const

/**
 * All that a run can remember at once: 64 open calls, the widest window with all warnings, the longest list of calls,
 * all rates of passports, and as many decisions of humans as are kept.
 */
function worst(status: OpenStatus, bits: 64 | 128, { room, todo, asks, skilled }: More): RunState {
  // A run with a meter remembers one decision of humans less, and so does one with a plan, one that may ask, and one with skills.
  const remembered = grants[bits].slice([room, todo, asks, skilled].filter(Boolean).length)
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
      unattended: asks ? 1 : 0,
      todosOpen: todo ? limits.todosMax : 0,
      todosReminded: todo ? limits.todoRemindersMax : 0,
      skills: skilled ? range(limits.skillsMax) : [],
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
      grants: remembered,
      refused: remembered,
      relieved: 1,
      room,
      // A rerun has nothing to do with the title of its thread, and says so at greater length.
      title: 0,
      // Neither is a rerun learned from.
      learns: 0,
      webhooks: range(limits.webhooksMax).map(() => 2 ** WebhookMoment.options.length - 1),
      activeMs: 4_000_000_000_000,
      since: 4_000_000_000_000,
      restedAt: 4_000_000_000_000,
      ending: 'guardrail_stopped',
    },
  }
}

interface More {
  readonly room: RoomState | null
  readonly todo: boolean
  readonly asks: boolean
  readonly skilled: boolean
}

const plain: More = { room: null, todo: false, asks: false, skilled: false }
const kinds = (): readonly More[] => [
  plain,
  { ...plain, asks: true },
  { ...plain, skilled: true },
  { ...plain, room: fullRoom },
  { ...plain, room: fullRoom, todo: true },
  { room: fullRoom, todo: true, asks: true, skilled: true },
]

test.each(['running', 'child', 'unknown', 'asked', 'question', 'judging', 'gated'] as const)(
  'the largest state, its calls %s, is within the limit and reads back as it was',
  (status) => {
    for (const bits of [64, 128] as const)
      for (const more of kinds()) {
        const text = JSON.stringify(persist(worst(status, bits, more)))
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(limits.stateBytesMax)
        expect(reviveState(JSON.parse(text))).toEqual(worst(status, bits, more))
      }
  },
)

/** All that a run can remember of its weight while many calls are open. */
const fullRoom: RoomState = {
  last: limits.roomCountMax,
  out: limits.roomCountMax,
  bytes: limits.roomCountMax,
  bpt: 600,
  model: 8,
  window: limits.roomCountMax,
  compactions: 100,
  failures: 10,
  compacted: most,
  spent: limits.roomCountMax,
  prune: null,
  cut: null,
  images: null,
}

const place: PrunePlace = {
  runId: '01930000-0000-7000-8000-ba9876543210',
  seq: most,
  results: most,
  inputs: most,
  cleared: limits.roomCountMax,
}

test('places to prune are remembered besides as many calls as they are remembered with', () => {
  const cut = { runId: place.runId, seq: most }
  const images = {
    runId: '01930000-0000-7000-8000-0123456789ab',
    seq: most,
    count: limits.imagesMax,
    tokens: limits.roomCountMax,
  }
  const { name, context } = worst('running', 128, {
    room: { ...fullRoom, prune: place, cut, images },
    todo: true,
    asks: true,
    skilled: true,
  })
  const open = Object.fromEntries(Object.entries(context.open).slice(0, limits.roomCallsMax))
  const state = { name, context: { ...context, open } }
  const text = JSON.stringify(persist(state))
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(limits.stateBytesMax)
  expect(reviveState(JSON.parse(text))).toEqual(state)
})

test.each([
  ['in this run', { ...place, runId: '01930000-0000-7000-8000-0123456789ab' }],
  ['in another one, of whatever name', { ...place, runId: 'child of a.2 %' }],
])('a place %s reads back as it was', (_, prune) => {
  const state = worst('asked', 64, { ...plain, room: { ...fullRoom, prune }, todo: true })
  expect(reviveState(persist(state)).context.room).toEqual({ ...fullRoom, prune })
})

const numbers = '1.2.3.4.5.6.7.8.9.a'
test.each([
  '',
  '1.2.3',
  `${numbers} 7`,
  `${numbers}?`,
  `${numbers} P1.2.3.4 P1.2.3.4`,
  `${numbers} C?`,
  `${numbers} I1.?.3`,
  `${numbers} I1.2.3 I1.2.3`,
])('a room that is none is refused: %j', (room) => {
  const context = JsonObjectSchema.parse(persist(fresh)['context'])
  expect(() => reviveState({ ...persist(fresh), context: { ...context, room } })).toThrow(
    /unreadable/,
  )
})

test('the first state reads back as it was', () => {
  expect(reviveState(persist(fresh))).toEqual(fresh)
  expect(isFinal(fresh)).toBe(false)
})

test('nothing of a context is left out of the cache', () => {
  const { context } = worst('running', 64, plain)
  for (const name of Object.keys(fresh.context)) expect(context).toHaveProperty(name)
  expect(Object.keys(context)).toHaveLength(Object.keys(fresh.context).length)
})

test.each([
  ['a newer form', { v: 3 }, /form 3 was written by a newer version/],
  ['no form', { v: null }, /unreadable: form 0/],
  ['an unknown state', { name: 'dreaming' }, /"name"/],
  ['no context', { context: null }, /"context"/],
])('what has %s is refused', (_, patch, message) => {
  expect(() => reviveState({ ...persist(fresh), ...patch })).toThrow(message)
})

test.each([
  ['skills that are none', { skills: '0' }, /unreadable: 0/],
  ['more skills than there may be', { skills: 'z'.repeat(40) }, /unreadable: z/],
  ['calls that are none', { open: '0x7' }, /unreadable: 0x7/],
  ['a call in no known status', { open: '0X07' }, /unreadable: 0X07/],
  ['a call cut short', { open: '0R0' }, /unreadable: 0R0/],
  ['a budget that is none', { told: 'tx' }, /unreadable: tx/],
  ['a counter without a name', { counts: '1 2 3' }, /unreadable: 1/],
  ['a counter that the machine does not count', { counts: 'T1 compactions:2' }, /unreadable: comp/],
  ['a counter that is no number', { counts: 'T=x' }, /unreadable: T=x/],
  ['a counter that is no counter', { counts: 'open:1' }, /unreadable: open:1/],
  ['counters that are no text', { counts: 3 }, /"counts"/],
  ['a window that is none', { loop: { window: '?', calls: '' } }, /"window"/],
])('a context with %s is refused', (_, patch, message) => {
  const context = JsonObjectSchema.parse(persist(fresh)['context'])
  const wrong = { ...persist(fresh), context: { ...context, ...patch } }
  expect(() => reviveState(wrong)).toThrow(message)
  expect(() => reviveState({ ...persist(fresh), context })).not.toThrow()
})

/** A state as the first form had it: counters by their places, and what was injected beside them. */
const first = {
  v: 1,
  name: 'tools',
  context: {
    run: 'r',
    counts: '3 1 0 250 0 0 0 0 7 5 0 3 4 90 0 1200 0 0 0 0 0',
    injected: 12,
    open: '0R00',
    told: '',
    loop: { window: '', calls: '', taken: null, stagnant: null },
    rates: '',
    grants: '',
    refused: '',
    since: 17,
    ending: null,
  },
}

test('the first form, whose counters were known by their places, is lifted', () => {
  const { name, context } = reviveState(first)
  const { turn, retry, waitedMs, effects, source, opened, calls, tokens, activeMs } = context
  expect({ name, turn, retry, waitedMs, effects, source, opened, calls, tokens, activeMs }).toEqual(
    {
      name: 'tools',
      turn: 3,
      retry: 1,
      waitedMs: 250,
      effects: 7,
      source: 5,
      opened: 3,
      calls: 4,
      tokens: 90,
      activeMs: 1200,
    },
  )
  expect(context).toMatchObject({ injected: 12, modelOpen: false, since: 17 })
  expect(context.open).toEqual({ 0: { effect: 7, status: 'running', tool: 0 } })
})

test('one of the first form with a counter too few is refused', () => {
  const wrong = { ...first, context: { ...first.context, counts: '1 2 3' } }
  expect(() => reviveState(wrong)).toThrow(/unreadable: 1 2 3/)
})
