/**
 * Properties of the terminal observer over made-up streams of every wire. They catch an ending that is taken for good
 * because of what came before or after it, and a reason that is good by accident.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { limits } from '@signalbox/core'
import { builtInDetectors, type Detector } from '../src/detectors/detectors.ts'
import { TerminalObserver } from '../src/observer/observer.ts'
import type { Wire } from '../src/observer/wires.ts'
import type { Event } from './support/wire-bytes.ts'
import { built, chatDelta, goodEnding, terminal } from './support/wire-events.ts'

const wires: readonly Wire[] = ['chat', 'messages', 'gemini', 'responses', 'converse']

function observe(
  wire: Wire,
  events: readonly unknown[],
  detectors: readonly Detector[] = builtInDetectors,
) {
  const observer = new TerminalObserver({ wire, provider: 'openai-compatible', detectors })
  for (const event of events) observer.push(event)
  return observer
}

/** The positive list, written down once more from the providers' documentation. */
const good: Readonly<Record<Wire, readonly string[]>> = {
  chat: ['stop', 'tool_calls', 'function_call'],
  messages: ['end_turn', 'tool_use', 'stop_sequence'],
  gemini: ['STOP'],
  responses: [],
  converse: ['end_turn', 'tool_use', 'stop_sequence'],
}

const safetyOf: Readonly<Record<Wire, string>> = {
  chat: 'content_filter',
  messages: 'refusal',
  gemini: 'SAFETY',
  responses: 'content_filter',
  converse: 'guardrail_intervened',
}

describe.each(wires)('%s', (wire) => {
  const { open, wholeCall } = built[wire]
  const ordinary = [...open, ...wholeCall, ...goodEnding(wire)]
  const stop = terminal(wire, safetyOf[wire])

  test('a reason that is not on the list is never complete', () => {
    const reason = fc.oneof(
      fc.string({ minLength: 1 }),
      fc.constantFrom('Stop', 'stop ', 'TOOL_CALLS', 'completed!', 'end_turn2', 'max_tokens'),
    )
    fc.assert(
      fc.property(reason, (value) => {
        fc.pre(!good[wire].includes(value))
        expect(observe(wire, [...open, ...terminal(wire, value)]).verdict()).not.toBe('complete')
      }),
    )
  })

  test('safety evidence is sticky and does not care for the order', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...ordinary, ...stop], { minLength: 0 }), (others) => {
        const position = others.length === 0 ? 0 : others.length >> 1
        const events = [...others.slice(0, position), ...stop, ...others.slice(position)]
        expect(observe(wire, events).verdict()).toBe('safety')
      }),
    )
  })

  test('the order of the events tells interrupted from other verdicts, and nothing else', () => {
    const pool = [...ordinary, ...stop, ...terminal(wire, 'brand_new')]
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 0, max: pool.length - 1 }), { maxLength: 8 }),
        fc.func(fc.integer()),
        (picked, rank) => {
          const events = picked.map((index) => pool[index])
          const shuffled = picked
            .toSorted((a, b) => rank(a) - rank(b) || b - a)
            .map((index) => pool[index])
          const both = [observe(wire, shuffled).verdict(), observe(wire, events).verdict()]
          expect(new Set(both.filter((verdict) => verdict !== 'interrupted')).size).toBeLessThan(2)
        },
      ),
    )
  })

  test('detectors never make a stream complete', () => {
    fc.assert(
      fc.property(fc.subarray([...ordinary, ...stop]), (events) => {
        const labelled = observe(wire, events).verdict()
        const silent = observe(wire, events, []).verdict()
        expect(silent === 'complete').toBe(labelled === 'complete')
        expect(silent).not.toBe('safety')
      }),
    )
  })

  test('whatever a provider sends, reading it does not throw', () => {
    const keys = fc.constantFrom(
      'choices',
      'delta',
      'finish_reason',
      'type',
      'response',
      'candidates',
      'finishReason',
      'error',
      'messageStop',
      'stopReason',
      'content',
      'parts',
      'tool_calls',
      'contentFilter',
      'promptFeedback',
      'item',
      'index',
    )
    const junk = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.jsonValue({ maxDepth: 1 }),
        fc.array(tie('value')),
        fc.dictionary(keys, tie('value')),
      ),
    })).value
    fc.assert(
      fc.property(fc.array(junk, { maxLength: 5 }), (events) => {
        expect(typeof observe(wire, events).verdict()).toBe('string')
      }),
    )
  })

  test('ordinary streams are complete, and only with their ending', () => {
    expect(observe(wire, ordinary).verdict()).toBe('complete')
    expect(observe(wire, [...open, ...wholeCall]).verdict()).toBe('interrupted')
    expect(observe(wire, ordinary).startedNames).toEqual(['write_file'])
  })
})

test('evidence is kept up to the limit, the verdict beyond it', () => {
  const flags = Array.from({ length: limits.evidenceMax * 3 }, (_, index): Event => ({
    ...chatDelta({}, { content_filter_results: { [`category-${index}`]: { filtered: true } } }),
  }))
  const observer = observe('chat', [...flags, ...goodEnding('chat')])

  expect(observer.evidence).toHaveLength(limits.evidenceMax)
  expect(observer.verdict()).toBe('safety')
})

test('an error that is told twice counts once', () => {
  const error = { code: 'insufficient_quota', message: 'empty' }
  const observer = observe('responses', [
    { type: 'error', ...error },
    { type: 'response.failed', response: { status: 'failed', error } },
  ])
  expect(observer.errors).toHaveLength(1)
})

const call = (id: string | undefined, name?: string) =>
  chatDelta({ tool_calls: [{ index: 0, id, function: { name, arguments: '{}' } }] })

test('two calls under one index are two calls, a repeated name is one', () => {
  expect(observe('chat', [call('a', 'x'), call('b', 'x')]).startedNames).toEqual(['x', 'x'])
  expect(observe('chat', [call('a', 'x'), call('', 'x'), call(undefined)]).startedNames).toEqual([
    'x',
  ])
})
