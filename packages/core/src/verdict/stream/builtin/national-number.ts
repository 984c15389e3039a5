/** Phone numbers, and social security numbers of the United States. Both only as people write them, not bare digits. */
import { freeAfter, freeBefore } from '../border.ts'
import type { Finding, Seen } from '../finding.ts'
import { matchesOf, type Place } from '../matches.ts'
import { whenNeeded } from '../when-needed.ts'

/** E.164 with its plus or 00, seven to fifteen digits; or the North American form with a separator in it. */
const phone = whenNeeded(
  '(?:\\+|00)[1-9](?:\\)?[ ./-]?\\(?[0-9]){6,14}' +
    '|(?:1[ .-])?(?:\\([2-9][0-9]{2}\\) ?|[2-9][0-9]{2}[ .-])[2-9][0-9]{2}[ .-][0-9]{4}',
)

/** Asked before, on the native engine: fixed in length, so linear. */
const phoneHint = /(?:\+|00)[1-9]|[0-9]{3}[ .)-] ?[0-9]{3}[ .-][0-9]{4}/
const ssnHint = /[0-9]{3}[- ][0-9]{2}[- ][0-9]{4}/

const ssn = whenNeeded('[0-9]{3}(?:-[0-9]{2}-| [0-9]{2} )[0-9]{4}')

/** Phone numbers with a country code, and North American ones without. */
export function findPhones(seen: Seen): readonly Finding[] {
  if (!phoneHint.test(seen.text)) return []
  const accept = (place: Place): Place | null => (isFree(seen, place) ? place : null)
  return matchesOf({ kind: 'phone', pattern: phone(), accept, retryWithin: true }, seen)
}

/** Three, two and four digits; never issued are the areas 000, 666 and 900 to 999, the group 00, the serial 0000. */
export function findSsns(seen: Seen): readonly Finding[] {
  if (!ssnHint.test(seen.text)) return []
  const accept = (place: Place): Place | null =>
    isFree(seen, place) && isIssued(seen.text.slice(place.start, place.end)) ? place : null
  return matchesOf({ kind: 'ssn', pattern: ssn(), accept, retryWithin: true }, seen)
}

/** A plus, a country code, and fourteen digits with three signs between two of them: sixty characters, and one behind. */
const longest = 64

/**
 * Where a number may have begun that is not over: the run of digits and of the signs that stand between them. Card numbers and
 * dotted quads are shorter runs of the same characters.
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

const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39

/** A space, a closing parenthesis, a hyphen, a full stop, a slash. */
const isBetween = (unit: number): boolean =>
  unit === 0x20 || unit === 0x29 || (unit >= 0x2d && unit <= 0x2f)

const isFree = (seen: Seen, { start, end }: Place): boolean =>
  freeBefore(seen, start) && freeAfter(seen, end)

const isIssued = (text: string): boolean =>
  !/^(?:000|666|9)/.test(text) && text.slice(4, 6) !== '00' && text.slice(7) !== '0000'
