/** Events of each wire as the bytes a provider sends. */
import { EventStreamCodec } from '@smithy/eventstream-codec'
import type { Wire } from '../../src/observer/wires.ts'

export type Event = Readonly<Record<string, unknown>>

export function contentType(wire: Wire): string {
  return wire === 'converse' ? 'application/vnd.amazon.eventstream' : 'text/event-stream'
}

/** One event as bytes. */
export function encodeEvent(wire: Wire, event: Event): Uint8Array {
  if (wire === 'converse') return encodeFrame(event)
  const data = `data: ${JSON.stringify(event)}\n\n`
  return utf8(wire === 'messages' ? `event: ${String(event['type'])}\n${data}` : data)
}

/** A chat stream closes with `[DONE]`, other wires with nothing. */
export function closing(wire: Wire): readonly Uint8Array[] {
  return wire === 'chat' ? [utf8('data: [DONE]\n\n')] : []
}

export function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

const codec = new EventStreamCodec(
  (bytes) => (typeof bytes === 'string' ? bytes : new TextDecoder().decode(bytes)),
  utf8,
)

function encodeFrame(event: Event): Uint8Array {
  const [type = '', body] = Object.entries(event)[0] ?? []
  const exception = type.endsWith('Exception')
  return codec.encode({
    headers: {
      [exception ? ':exception-type' : ':event-type']: { type: 'string', value: type },
      ':content-type': { type: 'string', value: 'application/json' },
      ':message-type': { type: 'string', value: exception ? 'exception' : 'event' },
    },
    body: utf8(JSON.stringify(body)),
  })
}
