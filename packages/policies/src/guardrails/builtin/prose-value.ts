/** Values in sentences: which of the words behind `the password is` is one. */
import type { MatchPlace } from '../matches.ts'
import { unescapedEnd } from './led-value.ts'
import { entropy } from './randomness.ts'

/** It must look like a value, and not like a word of the sentence. */
export function proseValue(text: string, place: MatchPlace): MatchPlace | null {
  const trimmed = withoutStop(text, place)
  return isValue(text.slice(trimmed.start, trimmed.end)) ? trimmed : null
}

/** The same of a value between quotation marks or within an element: whatever stands there belongs to it. */
export function enclosedValue(text: string, { start, end }: MatchPlace): MatchPlace | null {
  const place = { start, end: unescapedEnd(text, start, end) }
  const found = text.slice(place.start, place.end)
  return isValue(found) && !isElsewhere.test(found) ? place : null
}

/** An address, or the place that a value is put into. */
const isElsewhere = /^(?:https?:|\$\{|\{\{|%\{|<)/i

/** A sentence that ends with its password has a stop of its own behind it, and may have a colon before it. */
export function withoutStop(text: string, { start, end }: MatchPlace): MatchPlace {
  let to = end
  while (to > start && /[.!?:]/.test(text.charAt(to - 1))) to -= 1
  let from = start
  while (from < to && /[:：=—–]/.test(text.charAt(from))) from += 1
  return { start: from, end: to }
}

/** Letters and a digit, at least six characters: words of a sentence have no digit. Or letters whose case changes within. */
const isValue = (found: string): boolean =>
  found.length >= 6 &&
  /[A-Za-z]/.test(found) &&
  (/[0-9]/.test(found) || /[a-z][A-Z].*[a-z][A-Z]/.test(found)) &&
  entropy(found) >= 2.5 &&
  !found.includes('redacted')
