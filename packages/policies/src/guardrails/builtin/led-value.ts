/** A secret without a format of its own: what leads to it, what it is made of, and which of them count. */
import type { ValueForm } from '../lead-scan.ts'
import type { MatchPlace } from '../matches.ts'

export interface LedValue {
  /** Ends where the value begins. In RE2 syntax. */
  readonly lead: string
  readonly form: ValueForm
  /** The part of it that is the secret; null if it is none. It may look at 96 code units before it, and at nothing behind it. */
  readonly accept: (text: string, place: MatchPlace) => MatchPlace | null
}

/** A quotation mark, if there is one: escaped where a program or JSON stands in JSON, however deep. */
export const quoteBefore = '\\\\*["\'`]?'
/** A quotation mark that must be there. */
export const quoteAround = '\\\\*["\'`]'

/** The end of a value without the escape of the quotation mark behind it. */
export function unescapedEnd(text: string, start: number, end: number): number {
  let to = end
  while (to > start && text[to - 1] === '\\') to -= 1
  return to
}

/** A run of so many characters of a class. */
export const run = (characters: string, min: number, max: number): ValueForm => ({
  whole: new RegExp(`(${characters}{${min},${max}})`, 'yu'),
  begun: new RegExp(`${characters}{0,${max - 1}}$`, 'yu'),
})

/** The text that must stand there, and what a text that ends within it looks like. */
export const form = (whole: string, begun: string): ValueForm => ({
  whole: new RegExp(whole, 'yu'),
  begun: new RegExp(`${begun}$`, 'yu'),
})
