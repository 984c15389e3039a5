import type { Delta } from '@signalbox/engine'

import { type WakeSignal, spellSignal } from './frame.ts'
import { jsonCut } from './json-cut.ts'

/** Postgres refuses payloads of 8000 bytes and more. */
const payloadBytesMax = 7999

/** The signals of one process as payloads, in order, as few as a simple filling makes. */
export function packSignals(from: string, signals: readonly WakeSignal[]): readonly string[] {
  const head = `[${JSON.stringify(from)}`
  const room = payloadBytesMax - Buffer.byteLength(head) - 1
  const payloads: string[] = []
  let body = ''
  let used = 0
  for (const piece of signals.flatMap((signal) => spellWithin(signal, room - 1))) {
    const bytes = Buffer.byteLength(piece) + 1
    if (used + bytes > room) {
      payloads.push(`${head}${body}]`)
      body = ''
      used = 0
    }
    body += `,${piece}`
    used += bytes
  }
  if (body !== '') payloads.push(`${head}${body}]`)
  return payloads
}

/** One signal in pieces that each fit. Only deltas can be cut; what cannot be made to fit is dropped. */
function spellWithin(signal: WakeSignal, bytesMax: number): readonly string[] {
  const whole = spellSignal(signal)
  if (Buffer.byteLength(whole) <= bytesMax) return [whole]
  return signal.kind === 'delta'
    ? cutDelta(signal.delta, bytesMax).map((delta) => spellSignal({ kind: 'delta', delta }))
    : []
}

function cutDelta(delta: Delta, bytesMax: number): readonly Delta[] {
  const end = delta.offset + delta.text.length
  const frame = spellSignal({ kind: 'delta', delta: { ...delta, offset: end, text: '' } })
  const room = bytesMax - Buffer.byteLength(frame)
  const pieces: Delta[] = []
  for (let start = 0; start < delta.text.length;) {
    const cut = jsonCut(delta.text, start, room)
    if (cut === start) return []
    pieces.push({ ...delta, offset: delta.offset + start, text: delta.text.slice(start, cut) })
    start = cut
  }
  return pieces
}
