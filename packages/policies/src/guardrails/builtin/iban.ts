/** International bank account numbers (ISO 13616): the length of the country, and the remainder of 97. */
import { freeAfter, freeBefore, unitsOf } from '../border.ts'
import type { Finding, SeenText } from '../finding.ts'
import { matchesOf, type MatchPlace, whenNeeded } from '../matches.ts'

/** The SWIFT register: country and how many characters a number of it has. */
const lengths = new Map(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ' +
    'ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 ' +
    'LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 ' +
    'PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
)

const opening = whenNeeded('(?i)[A-Z]{2}[0-9]{2}[ -]?[A-Z0-9]{2}')

/** Asked before, on the native engine: fixed in length, so linear. */
const hint = /[A-Z]{2}[0-9]{2}[ -]?[A-Z0-9]{2}/i

/** In one piece, or in groups with one space or hyphen between them; in either case. */
export function findIbans(seen: SeenText): readonly Finding[] {
  if (!hint.test(seen.text)) return []
  const accept = ({ start }: MatchPlace): MatchPlace | null => ibanAt(seen, start)
  return matchesOf({ kind: 'iban', pattern: opening(), accept, retryWithin: true }, seen)
}

/** The beginning of a number, at the end of a text: a country, a check number, up to thirty more characters. */
const begun =
  /(?:[A-Z]{1,2}|[A-Z]{2}[0-9]{1,2}|[A-Z]{2}[0-9]{2}(?:[ -]?[A-Z0-9]){1,30}|[A-Z]{2}[0-9]{2}(?:[ -]?[A-Z0-9]){0,30}[ -])$/i
/** Four characters, and thirty with a separator before each, and one behind. */
const longest = 65

/** Where a number may have begun that is not over. */
export function pendingIban(text: string, from: number): number {
  const most = Math.max(from, text.length - longest)
  let since = text.length
  while (since > most && isPart(text.charCodeAt(since - 1))) since -= 1
  if (since === text.length) return since
  const at = begun.exec(text.slice(since))?.index
  return at === undefined ? text.length : since + at
}

const isPart = unitsOf('A-Za-z0-9 -')

function ibanAt(seen: SeenText, start: number): MatchPlace | null {
  const { text } = seen
  const length = lengths.get(text.slice(start, start + 2).toUpperCase())
  if (length === undefined || !freeBefore(seen, start)) return null
  let compact = ''
  let at = start
  for (; compact.length < length && at < text.length; at += 1) {
    const character = text.charAt(at)
    if (/[A-Za-z0-9]/.test(character)) compact += character.toUpperCase()
    else if (!/[ -]/.test(character) || /[ -]/.test(text.charAt(at - 1))) return null
  }
  if (compact.length < length || !freeAfter(seen, at) || remainder(compact) !== 1) return null
  return { start, end: at }
}

/** The number read as ISO 7064 wants it, modulo 97: the first four characters last, letters as 10 to 35. */
function remainder(iban: string): number {
  let rest = 0
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest
}
