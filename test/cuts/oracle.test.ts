/** The oracle of the cut matrix, on turns that no product made: what it exists for must be red. */
import type { ModelTurn } from '@signalbox/core'
import { describe, expect, test } from 'vitest'
import type { Wire } from '../../packages/models/src/observer/wires.ts'
import { argsHash } from '../../packages/models/test/support/call.ts'
import { as, type Rule } from './derived.ts'
import { bytesOf, done, endsOf, type Frame, frameOf } from './frames.ts'
import { framesUntilLastWord } from './last-word.ts'
import { violationsOf } from './oracle.ts'
import type { Close, Play } from './plan.ts'
import type { Call, Recorded } from './recorded.ts'

const says = (content: string): Frame =>
  frameOf('chat', { choices: [{ index: 0, delta: { content } }] })
const calls: Frame = frameOf('chat', { choices: [{ index: 0, delta: { tool_calls: [{}, {}] } }] })
const reason: Frame = frameOf('chat', {
  choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }],
})
const frames = [says('Hm.'), calls, reason, done]
const wanted: readonly Call[] = [
  { name: 'pay', args: { to: 'Edinburgh' } },
  { name: 'mail', args: { to: 'Glasgow' } },
]

function played(cut: number, close: Close, rule: Rule = 'same'): Play {
  const of: Recorded = {
    name: 'made',
    wire: 'chat',
    frames,
    tools: [],
    calls: wanted,
    verdict: 'complete',
    said: { text: 'Hm.', reasoning: '' },
    canaries: ['Edinburgh'],
  }
  const stream = {
    name: 'made',
    of,
    derived: as('made', rule, frames),
    bytes: bytesOf(frames),
    ends: endsOf(frames),
    untilLastWord: framesUntilLastWord('chat', frames),
    ownFrames: rule === 'same' ? frames.length : 1,
    provider: 'openai' as const,
    from: 0,
    stride: 1,
  }
  return { stream, cut, close }
}

function heard(executed: readonly Call[], text = 'Hm.', more: Partial<ModelTurn> = {}) {
  const parts = executed.map(({ name, args }, index) => ({
    type: 'tool_call' as const,
    id: `c_${index}`,
    name,
    args,
    argsHash: argsHash(args),
  }))
  const turn: ModelTurn = {
    verdict: executed.length > 0 ? 'complete' : 'interrupted',
    message: { id: 'm', role: 'assistant', parts: [{ type: 'text', text }, ...parts] },
    suppressed: [],
    evidence: [],
    finish: null,
    usage: {},
    provider: 'openai',
    model: 'm',
    ...more,
  }
  return { turn, shown: { text, reasoning: '' } }
}

const whole = bytesOf(frames).length
const [first] = wanted
const some = first ? [first] : []

describe('the oracle', () => {
  test.each<[string, Play, ReturnType<typeof heard>]>([
    ['nothing of a cut stream', played(whole - 1, 'clean'), heard([])],
    ['nothing of a stream that was reset', played(whole, 'reset'), heard([])],
    ['all of a whole stream', played(whole, 'clean'), heard(wanted)],
    ['a part of the text', played(40, 'clean'), heard([], 'H')],
    ['nothing where nothing may be', played(whole, 'clean', 'none'), heard([])],
  ])('lets pass: %s', (_, play, result) => {
    expect(violationsOf(play, result)).toEqual([])
  })

  test.each<[string, Play, ReturnType<typeof heard>]>([
    ['all, a byte too early', played(whole - 1, 'clean'), heard(wanted)],
    ['all of a stream that was reset', played(whole, 'reset'), heard(wanted)],
    ['a part of the set', played(whole, 'clean'), heard(some)],
    ['the set in another order', played(whole, 'clean'), heard(wanted.toReversed())],
    ['nothing of a whole stream', played(whole, 'clean'), heard([])],
    ['a call where nothing may be', played(whole, 'clean', 'none'), heard(wanted)],
    ['a part where the wire leaves it open', played(whole, 'clean', 'either'), heard(some)],
    ['a good verdict of a cut stream', played(40, 'clean'), heard([], '', { verdict: 'complete' })],
    ['text that nobody said', played(40, 'clean'), heard([], 'Ho')],
    ['text that is lost', played(whole, 'clean'), heard(wanted, 'H')],
    [
      'arguments in an error',
      played(40, 'clean'),
      heard([], '', {
        error: { class: 'unknown', retryable: false, message: 'not to Edinburgh' },
      }),
    ],
  ])('finds: %s', (_, play, result) => {
    expect(violationsOf(play, result)).not.toEqual([])
  })
})

const of = (wire: Wire, ...events: readonly object[]): readonly Frame[] =>
  events.map((event) => frameOf(wire, { ...event }))

test.each<[string, Wire, readonly Frame[], number]>([
  ['chat ends with its marker', 'chat', frames, 4],
  ['a marker before the reason is none', 'chat', [done, reason], Number.POSITIVE_INFINITY],
  [
    'messages end with their stop',
    'messages',
    of(
      'messages',
      { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
      { type: 'message_stop' },
    ),
    2,
  ],
  [
    'a stop without its reason is none',
    'messages',
    of('messages', { type: 'message_stop' }),
    Number.POSITIVE_INFINITY,
  ],
  [
    'converse ends with metadata',
    'converse',
    of('converse', { messageStop: {} }, { metadata: {} }),
    2,
  ],
  [
    'or with its stop, behind metadata',
    'converse',
    of('converse', { metadata: {} }, { messageStop: {} }),
    2,
  ],
  [
    'gemini ends with its reason',
    'gemini',
    of('gemini', { candidates: [{ finishReason: 'STOP' }] }),
    1,
  ],
  [
    'responses end completed',
    'responses',
    of('responses', { type: 'response.created' }, { type: 'response.completed' }),
    2,
  ],
])('the last word: %s', (_, wire, made, until) => {
  expect(framesUntilLastWord(wire, made)).toBe(until)
})
