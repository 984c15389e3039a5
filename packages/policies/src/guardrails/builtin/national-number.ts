/** Numbers of people: social security numbers of the United States, resident identity numbers of China. */
import { freeAfter, freeBefore, isDigit, unitsOf } from '../border.ts'
import type { Finding, SeenText } from '../finding.ts'
import { matchesOf, type MatchPlace, whenNeeded } from '../matches.ts'

/** Asked before, on the native engine: fixed in length, so linear. */
const ssnHint = /[0-9]{3}[- ][0-9]{2}[- ][0-9]{4}/
const residentHint = /[1-8][0-9]{16}[0-9Xx]/

const ssn = whenNeeded('[0-9]{3}(?:-[0-9]{2}-| [0-9]{2} )[0-9]{4}')
const resident = whenNeeded('[1-8][0-9]{16}[0-9Xx]')

/** Three, two and four digits; never issued are the areas 000, 666 and 900 to 999, the group 00, the serial 0000. */
export function findSsns(seen: SeenText): readonly Finding[] {
  if (!ssnHint.test(seen.text)) return []
  const accept = (place: MatchPlace): MatchPlace | null =>
    isFree(seen, place) && isIssued(seen.text.slice(place.start, place.end)) ? place : null
  return matchesOf({ kind: 'ssn', pattern: ssn(), accept, retryWithin: true }, seen)
}

/** GB 11643: six digits of the place, eight of the day of birth, three of the order, a check digit of ISO 7064 MOD 11-2. */
export function findResidentIds(seen: SeenText): readonly Finding[] {
  if (!residentHint.test(seen.text)) return []
  const accept = (place: MatchPlace): MatchPlace | null =>
    isFree(seen, place) && isResidentId(seen.text.slice(place.start, place.end)) ? place : null
  return matchesOf({ kind: 'cn-resident-id', pattern: resident(), accept, retryWithin: true }, seen)
}

/** Seventeen digits, and a check character that may be a letter. */
export function pendingResidentId(text: string, from: number): number {
  const number = pendingNumber(text, from)
  const last = text.at(-1)
  const isChecked = (last === 'X' || last === 'x') && /[0-9]{17}[Xx]$/.test(text.slice(-18))
  return isChecked && number === text.length ? Math.max(from, text.length - 18) : number
}

/** A plus, a country code, and fourteen digits with three signs between two of them: sixty characters, and two behind. */
const longest = 64

/**
 * Where a number may have begun that is not over: the run of digits and of the signs that stand between them, or behind them.
 * Card numbers and dotted quads are shorter runs of the same characters.
 */
export function pendingNumber(text: string, from: number): number {
  let first = text.length
  const since = Math.max(from, text.length - longest)
  for (let at = text.length - 1; at >= since; at -= 1) {
    const unit = text.charCodeAt(at)
    if (isDigit(unit) || unit === 0x2b || unit === 0x28) first = at
    else if (!isBetween(unit)) break
  }
  return first
}

const isBetween = unitsOf(' ):./-')

const isFree = (seen: SeenText, { start, end }: MatchPlace): boolean =>
  freeBefore(seen, start) && freeAfter(seen, end)

const isIssued = (text: string): boolean =>
  !/^(?:000|666|9)/.test(text) && text.slice(4, 6) !== '00' && text.slice(7) !== '0000'

/** The provinces of GB/T 2260, and 83 for residents of Taiwan. */
const provinces = /^(?:1[1-5]|2[1-3]|3[1-7]|4[1-6]|5[0-4]|6[1-5]|71|8[1-3])/
const birthday = /^.{6}(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])/

function isResidentId(id: string): boolean {
  if (!provinces.test(id) || !birthday.test(id)) return false
  let sum = 0
  for (let at = 0; at < 17; at += 1) sum += (id.charCodeAt(at) - 48) * (2 ** (17 - at) % 11)
  return id.charAt(17).toUpperCase() === '10X98765432'.charAt(sum % 11)
}
