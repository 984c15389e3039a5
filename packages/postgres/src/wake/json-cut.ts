/**
 * Where to cut a text so that its JSON form fits into `bytesMax` bytes of UTF-8, quotes not counted: the index behind
 * the last character that fits, counted from `start`, in UTF-16 units as all offsets are. Never between the halves of a
 * character: whoever encodes the pieces one by one would turn both halves into replacement characters.
 */
export function jsonCut(text: string, start: number, bytesMax: number): number {
  let bytes = 0
  let index = start
  while (index < text.length) {
    const point = text.codePointAt(index) ?? 0
    bytes += jsonBytes(point)
    if (bytes > bytesMax) break
    index += point > 0xffff ? 2 : 1
  }
  return index
}

const shortEscapes = new Set(['\b', '\t', '\n', '\f', '\r', '"', '\\'].map((c) => c.charCodeAt(0)))

/** Bytes of one code point as JSON.stringify writes it: lone surrogates as an escape, so that they survive UTF-8. */
function jsonBytes(point: number): number {
  if (shortEscapes.has(point)) return 2
  if (point < 0x20 || (point >= 0xd800 && point <= 0xdfff)) return 6
  if (point < 0x80) return 1
  if (point < 0x800) return 2
  return point < 0x10000 ? 3 : 4
}
