/**
 * Method: properties against JSON.stringify and the byte count of UTF-8. Would catch: a payload that Postgres refuses, a
 * character cut in half, a signal lost or reordered by the packing.
 */
import type { Delta } from '@signalbox/engine'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'

import { readFrame, type WakeSignal } from '../src/wake/frame.ts'
import { jsonCut } from '../src/wake/json-cut.ts'
import { packSignals } from '../src/wake/pack.ts'

const unit = fc.constantFrom(
  'a',
  '"',
  '\\',
  '\n',
  '\0',
  '\u007f',
  'é',
  '€',
  '😀',
  '\ud83d',
  '\ude00',
)
const bytesOf = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2

test('a cut takes as much as fits and never half a character', () => {
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 60 }), fc.nat(80), (units, bytesMax) => {
      const text = units.join('')
      const cut = jsonCut(text, 0, bytesMax)
      expect(bytesOf(text.slice(0, cut))).toBeLessThanOrEqual(bytesMax)
      const next = String.fromCodePoint(text.codePointAt(cut) ?? 0)
      const more = cut < text.length ? bytesOf(text.slice(0, cut) + next) : Infinity
      expect(more).toBeGreaterThan(bytesMax)
      const splits =
        /[\ud800-\udbff]$/.test(text.slice(0, cut)) && /^[\udc00-\udfff]/.test(text.slice(cut))
      expect(splits).toBe(false)
    }),
    { numRuns: 500 },
  )
})

test('packed signals fit into 7999 bytes each and read back as they were', () => {
  const id = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 })
  const wake = fc.record({
    kind: fc.constant('wake' as const),
    topic: fc.constantFrom('run' as const, 'cancel' as const, 'model' as const),
    id,
  })
  const text = fc.array(unit, { maxLength: 4000, size: 'max' }).map((units) => units.join(''))
  const delta = fc.record({
    kind: fc.constant('delta' as const),
    delta: fc.record({
      runId: id,
      messageId: id,
      attempt: fc.nat(9),
      offset: fc.nat(1e9),
      kind: fc.constantFrom('text' as const, 'reasoning' as const),
      text,
    }),
  })
  const signals = fc.array(fc.oneof(wake, delta), { maxLength: 60 })
  fc.assert(
    fc.property(signals, (sent) => {
      const payloads = packSignals('me', sent)
      for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8000)
      const frames = payloads.map((payload) => readFrame(payload))
      expect(frames.every((frame) => frame?.from === 'me')).toBe(true)
      expect(rejoin(frames.flatMap((frame) => frame?.signals ?? []))).toEqual(rejoin(sent))
    }),
    { numRuns: 60 },
  )
})

/** Deltas that continue each other as one, as they may have been cut. */
function rejoin(signals: readonly WakeSignal[]): readonly WakeSignal[] {
  const joined: WakeSignal[] = []
  for (const signal of signals) {
    const last = joined.at(-1)
    if (signal.kind === 'delta' && last?.kind === 'delta' && continues(last.delta, signal.delta)) {
      const text = last.delta.text + signal.delta.text
      joined.splice(-1, 1, { kind: 'delta', delta: { ...last.delta, text } })
    } else joined.push(signal)
  }
  return joined
}

function continues(last: Delta, next: Delta): boolean {
  return (
    last.runId === next.runId &&
    last.messageId === next.messageId &&
    last.attempt === next.attempt &&
    last.kind === next.kind &&
    last.offset + last.text.length === next.offset
  )
}

test.each([
  '',
  'null',
  '{}',
  '[1]',
  '["x",["delta","r",1]]',
  '["x",["wake","all","r"]]',
  '["x",7]',
])('the payload %j tells nothing', (payload) => {
  expect(readFrame(payload)?.signals ?? []).toEqual([])
})
