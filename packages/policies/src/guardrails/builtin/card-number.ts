/** Payment card numbers: the ranges of the card schemes and the Luhn check digit. */
import { behindEscape, freeAfter, freeBefore, isDigit } from '../border.ts'
import type { Finding, SeenText } from '../finding.ts'

/** A run of digits without a separator. */
interface Group {
  readonly start: number
  readonly end: number
}

const digitsMin = 13
const digitsMax = 19

/** Prefix, and how many digits a number with it has. */
const schemes: readonly { prefix: RegExp; lengths: readonly number[] }[] = [
  { prefix: /^4/, lengths: [13, 16, 18, 19] },
  { prefix: /^5[1-5]/, lengths: [16] },
  { prefix: /^2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)/, lengths: [16] },
  { prefix: /^3[47]/, lengths: [15] },
  { prefix: /^3(?:0[0-5]|095|6|8|9)/, lengths: [14, 15, 16, 17, 18, 19] },
  { prefix: /^35(?:2[89]|[3-8])/, lengths: [16, 17, 18, 19] },
  { prefix: /^6(?:011|4[4-9]|5|2)/, lengths: [16, 17, 18, 19] },
  { prefix: /^(?:5[06-8]|6[037])/, lengths: [13, 14, 15, 16, 17, 18, 19] },
]

/** Asked before: thirteen digits with at most one separator between two of them. Bounded, so linear. */
const hint = /[0-9](?:[ -]?[0-9]){12}/

/** Numbers of 13 to 19 digits, in one piece or in groups with one space or hyphen between them. */
export function findCards(seen: SeenText): readonly Finding[] {
  if (!hint.test(seen.text)) return []
  const groups = groupsOf(seen.text)
  return groups.flatMap((_, first) => cardFrom(seen, groups, first))
}

/** The longest card number that begins with this group. */
function cardFrom(seen: SeenText, groups: readonly Group[], first: number): readonly Finding[] {
  const start = groups[first]?.start ?? 0
  if (!freeBefore(seen, start)) return []
  let found: readonly Finding[] = []
  let digits = ''
  let end = start
  for (const group of groups.slice(first, first + digitsMax)) {
    if (group.start > end && !joins(seen.text, end, group.start)) break
    digits += seen.text.slice(group.start, Math.min(group.end, group.start + digitsMax + 1))
    end = group.end
    if (digits.length > digitsMax) break
    if (isCard(digits) && freeAfter(seen, end)) found = [{ kind: 'credit-card', start, end }]
  }
  return found
}

const joins = (text: string, from: number, to: number): boolean =>
  to - from === 1 && (text[from] === ' ' || text[from] === '-')

function groupsOf(text: string): readonly Group[] {
  const groups: Group[] = []
  for (let at = 0; at < text.length; at += 1) {
    if (!isDigit(text.charCodeAt(at))) continue
    const start = at
    while (at < text.length && isDigit(text.charCodeAt(at))) at += 1
    groups.push({ start: behindEscape(text, start, at), end: at })
  }
  return groups
}

const isCard = (digits: string): boolean =>
  digits.length >= digitsMin &&
  schemes.some(({ prefix, lengths }) => lengths.includes(digits.length) && prefix.test(digits)) &&
  luhn(digits)

/** Every second digit from the right doubled, digits of it summed: the sum is a multiple of ten. */
function luhn(digits: string): boolean {
  let sum = 0
  for (let back = 0; back < digits.length; back += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - back) - 48
    const worth = back % 2 === 0 ? digit : digit * 2
    sum += worth > 9 ? worth - 9 : worth
  }
  return sum % 10 === 0
}
