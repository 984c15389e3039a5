/**
 * The entry of an event type: everything known of it besides its schema. Command line, search, wires and documentation ask the catalogue
 * (`catalogue.ts`), and know no type themselves.
 */
import type { FactPayload, FactType } from './fact.ts'

/** The parts of a line about an event, most important first; empty ones are left out. */
export type Parts = readonly string[]

/** How an event stands out among others: something went wrong, something wants to be noticed, or neither. */
export type Tone = 'alarm' | 'notice' | 'plain'

/** An entry of the catalogue. `P`: the payload, in its newest version. */
export interface Entry<P> {
  /**
   * The line about the event. Arguments, outputs and what people wrote may be nobody's business: they are said when
   * `isVerbose`, and arguments of a verdict never.
   */
  readonly says: (payload: P, isVerbose: boolean) => Parts
  /**
   * The texts that a search looks into, as JSON paths of Postgres into the payload. Never what is not shown to everybody who watches a
   * run: a provider's own words in its errors are left out.
   */
  readonly searched: readonly string[]
  /** Default: `plain`. */
  readonly tone?: Exclude<Tone, 'plain'>
  /** Is it a verdict that a user should hear of while the run goes on? Default: no. */
  readonly isNotable?: true
  /** The sentence that stands in the place of an answer, or behind it, and the message it belongs to. Default: none. */
  readonly sentence?: (payload: P) => { readonly messageId: string; readonly text: string }
}

/** Its type says it all. */
export const nothing = (): Parts => []

/** `word text`, or nothing where there is no text. */
export const withWord = (word: string, text: string | undefined): string =>
  text === undefined || text === '' ? '' : `${word} ${text}`

/** A text that is said with `isVerbose` only. */
export const words = (isVerbose: boolean, text: string | undefined): string =>
  isVerbose ? (text ?? '') : ''

/** Names of calls, `a, b`. */
export const takenOut = (calls: readonly { readonly name: string }[]): string =>
  withWord('calls taken out:', calls.map(({ name }) => name).join(', '))

/** A time, milliseconds since the epoch, as people read it. */
export const timeOf = (ms: number | null): string =>
  // oxlint-disable-next-line no-restricted-globals -- writes the time it is given, and reads no clock
  ms === null || Math.abs(ms) > 8.64e15 ? '' : `${new Date(ms).toISOString().slice(0, 19)}Z`

/** JSON paths of the texts in a list of content. */
export const contentPaths = (where: string): readonly string[] => [
  `${where}[*].text`,
  `${where}[*].preview`,
]

/** How far an approval reaches; nothing is said of one that is for this call alone. */
export function reach(scope: FactPayload<'approval.answered'>['scope']): string {
  if (scope === 'run') return 'this run'
  return scope === 'always' ? 'always' : ''
}

/** The parts of a line about a limit. */
export const limitParts = (of: {
  readonly budget: string
  readonly used: number
  readonly limit: number
}): Parts => [of.budget, `${of.used} of ${of.limit}`]

/** Entries of the facts. */
export type FactEntries = { readonly [T in FactType]: Entry<FactPayload<T>> }
