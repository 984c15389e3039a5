/**
 * Redaction markers, `[redacted:email]`. Nothing looks for anything inside a marker, and none is ever cut in two: so a
 * text that was redacted once stays as it is, however often it is seen again.
 */

/** The text that stands where something was taken out. `kind`: 1 to 64 of a-z, 0-9 and hyphen. */
export const marker = (kind: string): string => `[redacted:${kind}]`

const opening = '[redacted:'
const beginning = /^\[redacted:[a-z0-9-]{0,64}$/
const shape = /\[redacted:[a-z0-9-]{1,64}\]/g

/** Where the markers of a text stand, in order. */
function markersOf(text: string): readonly { start: number; end: number }[] {
  if (!text.includes(opening)) return []
  return [...text.matchAll(shape)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }))
}

/** Those of the places that do not touch a marker of the text. */
export function outsideMarkers<T extends { readonly start: number; readonly end: number }>(
  text: string,
  places: readonly T[],
): readonly T[] {
  const markers = markersOf(text)
  return places.filter(
    ({ start, end }) => !markers.some((each) => start < each.end && each.start < end),
  )
}

/** The place of a marker that is not over yet, or may become one; the end of the text if there is none behind `from`. */
export function openMarker(text: string, from: number): number {
  if (!text.includes('[', from)) return text.length
  const open = text.lastIndexOf('[')
  if (open < from || text.length - open > opening.length + 64) return text.length
  const begun = text.slice(open)
  const isOpen = begun.length < opening.length ? opening.startsWith(begun) : beginning.test(begun)
  return isOpen ? open : text.length
}

/** Where a marker begins in this text, or may begin at its end; the end of the text if none does. */
export function firstMarker(text: string): number {
  const whole = text.indexOf(opening)
  if (whole >= 0) return whole
  const open = text.lastIndexOf('[')
  return open >= 0 && opening.startsWith(text.slice(open)) ? open : text.length
}

/** The last place at or before `at` where a text may be cut: not within a marker, not within a character. */
export function cutBefore(text: string, at: number): number {
  if (at <= 0) return 0
  if (at >= text.length) return text.length
  const open = text.includes('[', Math.max(0, at - 80)) ? text.lastIndexOf('[', at - 1) : -1
  if (open >= 0 && at - open < 80 && text.startsWith(opening, open)) {
    const whole = markersOf(text.slice(open, open + 80))[0]
    if (whole?.start === 0 && open + whole.end > at) return open
  }
  return isHigh(text, at - 1) && isLow(text, at) ? at - 1 : at
}

/** Does the first half of a surrogate pair stand there? */
export const isHigh = (text: string, at: number): boolean =>
  (text.charCodeAt(at) & 0xfc00) === 0xd800

const isLow = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xdc00
