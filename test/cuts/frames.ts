/**
 * A stream as its frames: server-sent events, or messages of the AWS event stream. Read here from the formats' own rules and without
 * the product's readers, so that where an event ends in bytes is a second opinion.
 */
import { fields, parseJson } from '../../packages/models/src/read.ts'
import type { Wire } from '../../packages/models/src/observer/wires.ts'
import { encodeEvent, type Event, utf8 } from '../../packages/models/test/support/wire-bytes.ts'

/** The bytes of one event, its last line end included, and what it says. */
export interface Frame {
  readonly bytes: Uint8Array
  readonly event: Event | 'done' | null
}

/** The frame of an event as a provider of the wire writes it. */
export const frameOf = (wire: Wire, event: Event): Frame => ({
  bytes: encodeEvent(wire, event),
  event,
})

export const done: Frame = { bytes: utf8('data: [DONE]\n\n'), event: 'done' }

/** The frames of raw server-sent events: each ends with its blank line. What stands behind the last one is dropped. */
export function framesOf(source: string): readonly Frame[] {
  return [...source.matchAll(/[\s\S]*?(?:\r\n\r\n|\n\n)/g)].map(([text]) => {
    const data = [...text.matchAll(/^data: ?(.*?)\r?$/gm)].map(([, value]) => value).join('\n')
    const event = data === '[DONE]' ? 'done' : (fields(parseJson(data)) ?? null)
    return { bytes: utf8(text), event }
  })
}

export function bytesOf(frames: readonly Frame[]): Uint8Array {
  return new Uint8Array(Buffer.concat(frames.map(({ bytes }) => bytes)))
}

/** Where each frame ends, in bytes. */
export function endsOf(frames: readonly Frame[]): readonly number[] {
  let at = 0
  return frames.map(({ bytes }) => (at += bytes.length))
}
