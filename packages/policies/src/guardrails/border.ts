/** Characters and the borders of words, across the edge of what is seen. Places are code units. */
import type { SeenText } from './finding.ts'

const word = /^[\p{L}\p{M}\p{N}_]$/u

/**
 * Asks whether a code unit is one of these characters of ASCII, written as a class of an expression has them: `a-z_`. A look-up, since
 * it is asked about each unit of a text.
 */
export function unitsOf(characters: string): (unit: number) => boolean {
  const pattern = new RegExp(`[${characters}]`)
  const has = Array.from({ length: 0x80 }, (_, unit) => pattern.test(String.fromCharCode(unit)))
  return (unit) => unit < 0x80 && has[unit] === true
}

export const isDigit = unitsOf('0-9')
export const isPlainLetter = unitsOf('A-Za-z')

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

/** Scripts that are written without spaces, or that add particles to a word of another script. */
const unspaced =
  /^[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Bopomofo}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\p{scx=Tibetan}\p{scx=Javanese}\p{scx=Balinese}]$/u
const letter = /^\p{L}$/u
const latin = /^\p{Script=Latin}$/u
const common = /^\p{Script=Common}$/u

/** The answers given before: classes of so many scripts are dear. */
const known = new Map<string, boolean>()
const knownMax = 20_000

/** A letter of a script in which words stand side by side? */
export function isUnspaced(character: string): boolean {
  const before = known.get(character)
  if (before !== undefined) return before
  const is = letter.test(character) && unspaced.test(character)
  if (known.size >= knownMax) known.clear()
  known.set(character, is)
  return is
}

/** Letters of two alphabets are not of one word. Mathematical letters are of all of them. */
const areForeign = (a: string, b: string): boolean =>
  [a, b].every((each) => letter.test(each) && !common.test(each)) && latin.test(a) !== latin.test(b)

/** Does `neighbour` go on the word that ends, or begins, with `edge`? `令牌` before `ghp_…` does not, `x` does. */
const goesOn = (neighbour: string, edge: string): boolean =>
  isWord(neighbour) && isUnspaced(neighbour) === isUnspaced(edge) && !areForeign(neighbour, edge)

/** The character left of this place; empty at the beginning of everything. */
export const characterLeftOf = ({ text, before }: SeenText, at: number): string =>
  at === 0 ? before() : characterBefore(text, at)

/** The end of an escape, of an address or of JSON, or of a colour of a terminal. It may be a letter, and belongs to no word. */
const escapeEnd =
  /(?:\\(?:[bfnrtv0]|u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2})|%[\dA-Fa-f]{2}|(?:\p{Cc}|\\(?:u001[bB]|x1[bB]|e|033))\[[\d;]{0,20}m)$/u

/** So many code units before a place tell whether an escape ends there: who looks for words looks back as far. */
export const escapeCharsMax = 32

/** Does no word go on from before this place? */
export const freeBefore = (seen: SeenText, at: number): boolean =>
  !goesOn(characterLeftOf(seen, at), characterAt(seen.text, at)) ||
  escapeEnd.test(seen.text.slice(Math.max(0, at - escapeCharsMax), at))

/** Does no word go on behind this place? */
export const freeAfter = ({ text }: SeenText, at: number): boolean =>
  !goesOn(characterAt(text, at), characterBefore(text, at))

/** Where an escape ends within a run of digits, `\x224111`; the beginning of the run if none does. */
export function behindEscape(text: string, start: number, end: number): number {
  const first = Math.max(0, start - 5)
  if (!/[\\%]/.test(text.slice(first, start))) return start
  for (let at = start + 1; at < end && at <= start + 4; at += 1)
    if (escapeEnd.test(text.slice(first, at))) return at
  return start
}
