/**
 * The same events in other bytes, as the standard of server-sent events lets them be written. Each must give what the recording
 * gives. A frame still ends where its event ends.
 */
import { utf8 } from '../../packages/models/test/support/wire-bytes.ts'
import { as, type Derived, type Rule } from './derived.ts'
import type { Frame } from './frames.ts'

export function spelt(frames: readonly Frame[]): readonly Derived[] {
  const each = (name: string, write: (text: string, index: number) => string): Derived => ({
    name,
    rule: 'same',
    frames: frames.map((frame, index) => respelt(frame, (text) => write(text, index))),
    isSpelling: true,
  })
  return [
    each('no space after the colon', (text) => text.replaceAll(/^(data|event): /gm, '$1:')),
    each('CRLF', (text) => text.replaceAll(/\r?\n/g, '\r\n')),
    each('CR alone', (text) => text.replaceAll(/\r?\n/g, '\r')),
    each('line ends of all kinds', (text, index) =>
      text.replaceAll(/\r?\n/g, ['\n', '\r\n', '\r'][index % 3] ?? '\n'),
    ),
    each('a byte order mark', (text, index) => (index === 0 ? `\uFEFF${text}` : text)),
    each('comments', (text) => `: ping\n:\n\n: data: [DONE]\n${text}`),
    each('ids and retries', (text, index) => `id: ${index}\nretry: 10\nunknown: x\n${text}`),
    each('events without an event field', (text) => text.replaceAll(/^event: .*\r?\n/gm, '')),
    each('data of several lines', (text) => text.replace(/^data: \{"/m, 'data: {\ndata: "')),
    moreBlankLines(frames),
  ]
}

/** An event ends with its first blank line: further ones are of no event, also behind the last. */
function moreBlankLines(frames: readonly Frame[]): Derived {
  const spaced = frames.map((frame) => respelt(frame, (text) => `\n\n\n${text}`))
  const derived = as('more blank lines', 'same', [...spaced, { bytes: utf8('\n\n'), event: null }])
  return { ...derived, isSpelling: true }
}

/** Bytes that are no good text: arguments that were damaged on their way run nothing. */
export function strange(frames: readonly Frame[], args: string): readonly Derived[] {
  const inside = (name: string, rule: Rule, bytes: readonly number[]): readonly Derived[] => {
    const made = frames.map((frame) => within(frame, args, bytes))
    return made.some((frame, index) => frame !== frames[index]) ? [as(name, rule, made)] : []
  }
  return [
    ...inside('invalid UTF-8 in the arguments', 'none', [0xc3, 0x28]),
    ...inside('half a character in the arguments', 'none', [0xe2, 0x82]),
    ...inside('a surrogate as UTF-8 in the arguments', 'none', [0xed, 0xa0, 0x80]),
    ...inside('a NUL in the arguments', 'none', [0]),
  ]
}

const respelt = (frame: Frame, write: (text: string) => string): Frame => ({
  ...frame,
  bytes: utf8(write(Buffer.from(frame.bytes).toString('utf8'))),
})

/** The frame with more bytes in the middle of a value. */
function within(frame: Frame, value: string, more: readonly number[]): Frame {
  const bytes = Buffer.from(frame.bytes)
  const at = value === '' ? -1 : bytes.indexOf(value)
  if (at === -1) return frame
  const middle = at + (Buffer.byteLength(value) >> 1)
  const parts = [bytes.subarray(0, middle), Buffer.from(more), bytes.subarray(middle)]
  // Not what was recorded any more: no longer the recording's frame.
  return { bytes: new Uint8Array(Buffer.concat(parts)), event: { ...eventless } }
}

const eventless = { strange: true }
