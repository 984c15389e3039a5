/**
 * A text as it means: with the escapes of JSON and of programs, of addresses and of markup read, and where each of its characters stands
 * in the text as it is spelt.
 */
import type { Stepwise } from './steps.ts'

export interface Unescaped {
  readonly text: string
  /** Where the character, or the end of the text, stands in what it was read from. */
  at(place: number): number
}

const spelling =
  /\\(?:u\{([\dA-Fa-f]{1,6})\}|u([\dA-Fa-f]{4})|x([\dA-Fa-f]{2})|([bfnrtv0"'`\\/]))|%([0-7][\dA-Fa-f])|&(?:(amp|lt|gt|quot|apos|nbsp)|#(\d{1,7})|#[xX]([\dA-Fa-f]{1,6}));/g

/** Every spelling begins so; most texts have none. */
const anySpelling = /[\\%&]/

/** May the text mean another one? */
export const mayBeEscaped = (text: string): boolean => anySpelling.test(text)

const signs: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '0': '\0',
}
const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00A0',
}

/** Places that are noted in one step. */
const stepSigns = 4096

/** So often an escape may be escaped: JSON in JSON in JSON. */
const roundsMax = 3

/** The text after one round, after two of them, as long as there is something to read. */
export function* unescapings(text: string): Stepwise<readonly Unescaped[]> {
  const rounds: Unescaped[] = []
  let outer: Unescaped | undefined
  while (rounds.length < roundsMax) {
    const next = yield* readOnce(outer?.text ?? text)
    if (next === null) break
    const before = outer
    outer = before ? { text: next.text, at: (place) => before.at(next.at(place)) } : next
    rounds.push(outer)
  }
  return rounds
}

/** One round; null if there is nothing to read. */
function* readOnce(text: string): Stepwise<Unescaped | null> {
  if (!mayBeEscaped(text)) return null
  /** Where what was read, and what stands behind it, begins: here, and in the text. */
  const here: number[] = [0]
  const there: number[] = [0]
  let read = ''
  let from = 0
  for (const match of text.matchAll(spelling)) {
    const sign = meaningOf(match)
    if (sign === null) continue
    read += text.slice(from, match.index)
    here.push(read.length)
    there.push(match.index)
    read += sign
    from = match.index + match[0].length
    here.push(read.length)
    there.push(from)
    if (there.length % stepSigns === 1) yield
  }
  if (from === 0) return null
  read += text.slice(from)
  return {
    text: read,
    at: (place) => {
      const n = lastUpTo(here, place)
      return (there[n] ?? 0) + place - (here[n] ?? 0)
    },
  }
}

function meaningOf(match: RegExpExecArray): string | null {
  const [, braced, unit, byte, sign, octet, entity, decimal, hex] = match
  if (sign !== undefined) return signs[sign] ?? sign
  if (entity !== undefined) return entities[entity] ?? null
  const code =
    decimal === undefined
      ? Number.parseInt(braced ?? unit ?? byte ?? octet ?? hex ?? '', 16)
      : Number(decimal)
  return code > 0x10ffff ? null : String.fromCodePoint(code)
}

/** The last of these ascending numbers that is no larger: of several that are the same, the last. */
function lastUpTo(numbers: readonly number[], most: number): number {
  let low = 0
  let high = numbers.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((numbers[middle] ?? 0) <= most) low = middle
    else high = middle - 1
  }
  return low
}
