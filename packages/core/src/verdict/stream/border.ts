/** Characters and the borders of words, across the edge of what is seen. Places are code units. */
import type { Seen } from './finding.ts'

const word = /^[\p{L}\p{M}\p{N}_]$/u

/** The character that begins there; empty at the end of the text. */
export function characterAt(text: string, at: number): string {
  const point = text.codePointAt(at)
  return point === undefined ? '' : String.fromCodePoint(point)
}

/** The character that ends there; empty at the beginning of the text. */
export function characterBefore(text: string, at: number): string {
  const pair = at >= 2 ? characterAt(text, at - 2) : ''
  return pair.length === 2 ? pair : text.slice(Math.max(0, at - 1), at)
}

/** A letter, a digit or an underscore? */
export const isWord = (character: string): boolean => word.test(character)

/** The character left of this place; empty at the beginning of everything. */
export const leftOf = ({ text, before }: Seen, at: number): string =>
  at === 0 ? before() : characterBefore(text, at)

/** Does no word go on from before this place? */
export const freeBefore = (seen: Seen, at: number): boolean => !isWord(leftOf(seen, at))

/** Does no word go on behind this place? */
export const freeAfter = ({ text }: Seen, at: number): boolean => !isWord(characterAt(text, at))
