/** IP addresses of both versions. */
import type { RE2JS } from 're2js'
import { characterLeftOf, freeAfter, freeBefore, unitsOf } from '../border.ts'
import type { Finding, SeenText } from '../finding.ts'
import { matchesOf, type MatchPlace, whenNeeded } from '../matches.ts'
import { pendingNumber } from './national-number.ts'

const octet = '(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])'
const v4 = whenNeeded(`(?:${octet}\\.){3}${octet}`)
const v6 = whenNeeded('(?i)[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,8}')

/** Asked before, on the native engine: the middle of each address, and bounded, so linear. */
const v4Hint = /[0-9]\.[0-9]{1,3}\.[0-9]/
const v6Hint = /:[0-9a-f]{0,4}:/i

/** Dotted quads, and colon-separated groups with at least one digit. */
export const findIpAddresses = (seen: SeenText): readonly Finding[] => [
  ...(v4Hint.test(seen.text) ? addresses(seen, v4(), isV4) : []),
  ...(v6Hint.test(seen.text) ? addresses(seen, v6(), isV6) : []),
]

function addresses(
  seen: SeenText,
  pattern: RE2JS,
  isAddress: (seen: SeenText, place: MatchPlace) => boolean,
): readonly Finding[] {
  const accept = (place: MatchPlace): MatchPlace | null =>
    freeBefore(seen, place.start) && freeAfter(seen, place.end) && isAddress(seen, place)
      ? place
      : null
  return matchesOf({ kind: 'ip-address', pattern, accept, retryWithin: true }, seen)
}

/** Nine groups of four digits and their colons, and one sign behind. */
const longest = 46

/** Where an address may have begun that is not over. */
export function pendingAddress(text: string, from: number): number {
  const most = Math.max(from, text.length - longest)
  let since = text.length
  while (since > most && isPart(text.charCodeAt(since - 1))) since -= 1
  return Math.min(pendingNumber(text, from), since)
}

const isPart = unitsOf('0-9A-Fa-f:')

/** Versions stand behind such words, and behind the name of a package or program: `nginx/1.18.0.1`. */
const versionBefore =
  /(?:\b(?:v|ver|version|versión|versione|release|build|driver|firmware|update|chrome|oid|abschnitt|section|kapitel|chapter|§)|版本|固件|バージョン|версия|версии)[.:： ]{0,3}(?:is |ist |est |号|為|是)?$|[a-z]@$|[a-z0-9][/-]$/i

/** Five numbers with dots are something else: a version, an object identifier. */
const isV4 = (seen: SeenText, { start, end }: MatchPlace): boolean =>
  characterLeftOf(seen, start) !== '.' &&
  !/^\.[0-9]|^[-+][a-z0-9]/i.test(seen.text.slice(end, end + 2)) &&
  !versionBefore.test(seen.text.slice(Math.max(0, start - 32), start))

/** Eight groups, or fewer and one double colon in place of the rest. */
function isV6(seen: SeenText, { start, end }: MatchPlace): boolean {
  if (characterLeftOf(seen, start) === ':' || seen.text[end] === ':') return false
  const text = seen.text.slice(start, end)
  if (!/[0-9]/.test(text) || text.includes(':::')) return false
  const halves = text.split('::')
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  if (halves.length > 2 || groups.includes('')) return false
  return halves.length === 2 ? groups.length < 8 : groups.length === 8
}
