/**
 * Text on its way into the register: well-formed, without NUL (Postgres refuses it in text and jsonb), bounded.
 */

/** Replaces lone surrogates and NUL by U+FFFD. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\uFFFD')
}

/** Bytes of the text as UTF-8. */
export function textBytes(text: string): number {
  return Buffer.byteLength(text, 'utf8')
}

/** The longest head of the text within `bytesMax` bytes of UTF-8, never half a character, and what was left out. */
export function cutText(
  text: string,
  bytesMax: number,
): { readonly text: string; readonly dropped: number } {
  // A UTF-16 unit is at least one byte, so a text this short cannot be too long.
  if (text.length * 3 <= bytesMax) return { text, dropped: 0 }
  const bytes = textBytes(text)
  if (bytes <= bytesMax) return { text, dropped: 0 }
  const { read, written } = new TextEncoder().encodeInto(
    text,
    new Uint8Array(Math.max(0, bytesMax)),
  )
  return { text: text.slice(0, read), dropped: bytes - written }
}

/** A message for people and models: clean, one piece, at most `bytesMax` bytes, with a mark where it was cut. */
export function boundedMessage(text: string, bytesMax: number): string {
  const mark = '…'
  const cut = cutText(cleanText(text), bytesMax - textBytes(mark))
  return cut.dropped === 0 ? cut.text : cut.text + mark
}

/** The same, cut behind a blank: a word that does not fit is left out, unless it is longer than any token. */
export function wholeWords(text: string, bytesMax: number): string {
  const bounded = boundedMessage(text, bytesMax)
  return bounded === cleanText(text) ? bounded : bounded.replace(/(?<!\S)\S{1,320}…$/u, '…')
}
