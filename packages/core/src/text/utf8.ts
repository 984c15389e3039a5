/** Bytes of a text as UTF-8. A half of a pair that stands alone counts as the three bytes that are written for it. */
export function bytesAsUtf8(text: string): number {
  let bytes = text.length
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code < 0x80) continue
    bytes += code < 0x800 ? 1 : 2
    const isPair = code >= 0xd800 && code < 0xdc00 && isLow(text.charCodeAt(at + 1))
    // Four bytes for two units.
    if (isPair) at += 1
  }
  return bytes
}

const isLow = (code: number): boolean => code >= 0xdc00 && code < 0xe000

/** Bytes of a value as JSON. */
export const bytesAsJson = (value: unknown): number => bytesAsUtf8(JSON.stringify(value) ?? '')
