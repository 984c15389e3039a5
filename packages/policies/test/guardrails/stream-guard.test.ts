/** The guard of one attempt: canonical steps, what is held back, what goes out, and how it ends. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { createGuardrail } from '../../src/guardrails/create-guardrail.ts'
import { createStreamGuard } from '../../src/guardrails/create-stream-guard.ts'
import { fail, type Guardrail, pass, stop } from '../../src/guardrails/part.ts'
import { StreamGuardSpec } from '@signalbox/core'
import { context, guardrailOf, inDeltas, play, split } from './play.ts'

interface Call {
  readonly text: string
  readonly last: boolean
  readonly released: string
}

/** Passes everything and remembers what it was shown. */
function recorder(window: number): { guardrail: Guardrail; calls: Call[] } {
  const calls: Call[] = []
  const guardrail: Guardrail = {
    id: 'recorder',
    name: 'Recorder',
    window,
    handle: (part, { last, released }) => {
      if ('text' in part) calls.push({ text: part.text, last, released })
      return pass(part)
    },
  }
  return { guardrail, calls }
}

const shown = (window: number, deltas: readonly string[]): readonly Call[] => {
  const { guardrail, calls } = recorder(window)
  expect(play([guardrail], deltas)).toEqual({ text: deltas.join(''), trip: null })
  return calls
}

const letters = ['a', 'b', ' ', '1', '-', '@', '.', '[', '😀', 'é', '\n', '\ud83d', '\ude00']
const found = ['bad', 'Bad', '123-45-6789', 'a@b.de', '4111 1111 1111 1111', 'AKIAIOSFODNN7EXAMPLE']
const begun = [
  '-----BEGIN PRIVATE KEY-----\n',
  'MIIEvQIBADANBgkqhkiG9w0B',
  'password=',
  'redacted:',
]
const alphabet = fc.constantFrom(...letters, ...found, ...begun, '[redacted:email]')
const texts = fc.array(alphabet, { maxLength: 80 }).map((pieces) => pieces.join(''))
const lengths = fc.array(fc.integer({ min: 1, max: 70 }), { minLength: 1, maxLength: 8 })

const chains: readonly (readonly unknown[])[] = [
  [],
  [{ use: 'pii', entities: ['email', 'phone', 'ssn', 'credit-card', 'iban', 'ip-address'] }],
  [{ use: 'secrets' }],
  [{ use: 'banned-terms', terms: ['bad', 'redacted', '1'], action: 'redact' }],
  [{ use: 'banned-terms', terms: ['bad'] }],
  [{ use: 'pii' }, { use: 'secrets', action: 'stop' }],
  [{ use: 'patterns', patterns: [{ name: 'ab', pattern: '^a|\\bb.{0,40}@' }] }, { use: 'secrets' }],
]

describe('properties', () => {
  it('the same text in any deltas: the same verdict, the same visible text', () => {
    const guardrails = chains.map((specs) => specs.map(guardrailOf))
    fc.assert(
      fc.property(texts, lengths, lengths, fc.nat(chains.length - 1), (text, one, other, chain) => {
        const used = guardrails[chain] ?? []
        expect(play(used, split(text, one))).toEqual(play(used, split(text, other)))
      }),
      { numRuns: 1000 },
    )
  })

  it('the same pieces are shown, whatever the deltas', () => {
    fc.assert(
      fc.property(texts, lengths, fc.integer({ min: 0, max: 100 }), (text, one, window) => {
        expect(shown(window, split(text, one))).toEqual(shown(window, [text]))
      }),
      { numRuns: 500 },
    )
  })

  it('a term of up to window + 1 code units is seen whole', () => {
    fc.assert(
      fc.property(fc.nat(200), fc.nat(80), fc.nat(200), lengths, (before, window, after, one) => {
        const term = '<'.padEnd(window, '=') + '>'
        const text = 'x'.repeat(before) + term + 'y'.repeat(after)
        expect(
          shown(term.length - 1, split(text, one)).some((call) => call.text.includes(term)),
        ).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  it('no surrogate pair is cut, neither in what is shown nor in what goes out', () => {
    fc.assert(
      fc.property(fc.nat(70), fc.integer({ min: 0, max: 40 }), fc.nat(3), (before, window, gap) => {
        const text = 'x'.repeat(before) + `😀${'-'.repeat(gap)}`.repeat(40)
        const { guardrail, calls } = recorder(window)
        const guard = createStreamGuard({ guardrails: [guardrail], context })
        const out = inDeltas(text, 1).map((delta) => guard.push('text', delta))
        expect(out.every((one) => one.type === 'released' && one.text.isWellFormed())).toBe(true)
        expect(calls.every((one) => one.text.isWellFormed())).toBe(true)
      }),
      { numRuns: 60 },
    )
  })
})

describe('steps', () => {
  it('end at every 32nd code unit and at the end of the part', () => {
    const text = 'abcdefgh'.repeat(9)
    expect(shown(0, inDeltas(text, 5)).map((call) => call.text.length)).toEqual([32, 32, 8])
    expect(shown(0, [text]).map((call) => call.last)).toEqual([false, false, true])
  })

  it('hold the last `window` code units back and show them again', () => {
    const text = Array.from({ length: 64 }, (_, n) => String.fromCharCode(48 + n)).join('')
    expect(shown(10, [text])).toEqual([
      { text: text.slice(0, 32), last: false, released: '' },
      { text: text.slice(22, 64), last: false, released: text.slice(0, 22) },
      { text: text.slice(54, 64), last: true, released: text.slice(0, 54) },
    ])
  })

  it('end one sooner where they would cut a pair, and the next one where it would have', () => {
    const text = `${'x'.repeat(31)}😀${'y'.repeat(40)}`
    expect(shown(0, [text]).map((call) => call.text.length)).toEqual([31, 33, 9])
  })

  it('take the largest window of the chain', () => {
    const { guardrail } = recorder(0)
    const guard = createStreamGuard({
      guardrails: [guardrail, { ...guardrail, window: 5 }, { ...guardrail, window: 20 }],
      context,
    })
    expect(guard.push('text', 'x'.repeat(32))).toEqual({ type: 'released', text: 'x'.repeat(12) })
  })

  it('begin anew with each part; a line feed stands between parts in what was released', () => {
    const { guardrail, calls } = recorder(4)
    const guard = createStreamGuard({ guardrails: [guardrail], context })
    guard.push('text', 'one')
    expect(guard.end('text')).toEqual({ type: 'released', text: 'one' })
    expect(guard.end('text')).toEqual({ type: 'released', text: '' })
    guard.push('text', 'two')
    guard.end('text')
    expect(calls).toEqual([
      { text: 'one', last: true, released: '' },
      { text: 'two', last: true, released: 'one\n' },
    ])
  })

  it('count from the beginning of each part', () => {
    const { guardrail, calls } = recorder(0)
    const guard = createStreamGuard({ guardrails: [guardrail], context })
    for (const part of [`${'x'.repeat(31)}😀y`, 'x'.repeat(40)]) {
      guard.push('text', part)
      guard.end('text')
    }
    expect(calls.map((call) => call.text.length)).toEqual([31, 3, 32, 8])
  })

  it('keep text and reasoning apart', () => {
    const { guardrail, calls } = recorder(4)
    const guard = createStreamGuard({ guardrails: [guardrail], context })
    guard.push('text', 'ba')
    guard.push('reasoning', 'thinking')
    guard.push('text', 'd')
    expect(guard.end('text')).toEqual({ type: 'released', text: 'bad' })
    expect(guard.end('reasoning')).toEqual({ type: 'released', text: 'thinking' })
    expect(calls.map((call) => call.text)).toEqual(['bad', 'thinking'])
  })

  it('look back on 4,096 to 8,192 code units, however much went out', () => {
    const back = shown(0, ['x'.repeat(100_000)]).map(({ released }) => released.length)
    expect(Math.max(...back)).toBeLessThanOrEqual(8192)
    expect(Math.min(...back.slice(128))).toBeGreaterThanOrEqual(4096)
  })
})

describe('a trip', () => {
  const objecting: Guardrail = {
    id: 'no-bad',
    name: 'No bad',
    window: 8,
    handle: (part) =>
      'text' in part && part.text.includes('bad') ? fail('I said it.') : pass(part),
  }
  const trip = {
    guardrail: { id: 'no-bad', name: 'No bad' },
    outcome: 'fail',
    feedback: 'I said it.',
    partType: 'text',
    offset: 24,
  }
  const text = `${'x'.repeat(40)} bad ${'y'.repeat(40)}`

  it('lets out what was released before, and never what is held back', () => {
    for (const deltas of [[text], inDeltas(text, 1), inDeltas(text, 7)])
      expect(play([objecting], deltas)).toEqual({ text: 'x'.repeat(24), trip })
  })

  it('is the answer to everything that follows', () => {
    const guard = createStreamGuard({ guardrails: [objecting], context })
    guard.push('text', text)
    for (let n = 0; n < 2; n += 1) {
      expect(guard.push('text', 'fine')).toEqual({ type: 'tripped', trip })
      expect(guard.push('reasoning', 'fine')).toEqual({ type: 'tripped', trip })
      expect(guard.end('text')).toEqual({ type: 'tripped', trip })
      expect(guard.judge({ type: 'error', message: '', class: 'unknown' })).toEqual({
        type: 'tripped',
        trip,
      })
    }
  })

  it('on a call or an error names its kind; `stop` carries the reason as feedback', () => {
    const strict: Guardrail = {
      id: 'strict',
      name: 'Strict',
      handle: (part) => (part.type === 'tool_call' ? stop(part, 'no tools today') : pass(part)),
    }
    const guard = createStreamGuard({ guardrails: [strict], context })
    guard.push('text', 'hello')
    guard.end('text')
    expect(guard.judge({ type: 'error', message: '', class: 'unknown' })).toEqual({
      type: 'released',
      text: '',
    })
    expect(guard.judge({ type: 'tool_call', name: 'rm', args: {} })).toEqual({
      type: 'tripped',
      trip: {
        guardrail: { id: 'strict', name: 'Strict' },
        outcome: 'stop',
        feedback: 'no tools today',
        partType: 'tool_call',
        offset: 5,
      },
    })
  })
})

it('what was taken out of a text is counted once, however the text was split', () => {
  const spec = StreamGuardSpec.parse({ use: 'pii' })
  const guardrail = createGuardrail(spec)
  if (!guardrail) throw new Error('no such guardrail')
  const text =
    'Write to ada@example.com or to bob@example.com, not to 4111 1111 1111 1111. '.repeat(2)
  for (const size of [1, 3, 7, 50, 200]) {
    const guard = createStreamGuard({
      guardrails: [guardrail],
      context: { availableTools: [], availableSkills: [], attempt: 0 },
    })
    for (let at = 0; at < text.length; at += size) guard.push('text', text.slice(at, at + size))
    guard.end('text')
    const by = { guardrail: { id: 'pii', name: 'Personal data' }, place: 'text' }
    expect(guard.redacted()).toEqual([
      { ...by, kind: 'email', count: 4 },
      { ...by, kind: 'credit-card', count: 2 },
    ])
  }
})
