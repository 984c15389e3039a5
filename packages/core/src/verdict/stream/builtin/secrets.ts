/** Secrets: tokens by the formats of their issuers, private keys, and values given to names that say `password`. */
import { freeAfter, freeBefore } from '../border.ts'
import { createSearch, type Finding, type Seen } from '../finding.ts'
import { matchesOf, type Place } from '../matches.ts'
import type { Guardrail } from '../part.ts'
import type { SecretsSpec } from '../spec.ts'
import { assignment, tokenShapes } from './secret-shapes.ts'
import { absorbTails } from './secret-tail.ts'
import { ledValues } from './secret-values.ts'
import { toldHint, toldKey } from './told-keys.ts'
import { isAboutSecret, isVendorKey, vendorHint, vendorValue } from './vendor-values.ts'

/** Holds the longest token but web tokens and private keys; those are taken in piece by piece. */
const windowChars = 256

const credential = 'credential'

/** Looks for secrets in text and reasoning; what it takes out is marked `[redacted:<kind>]`. */
export const createSecrets = (spec: SecretsSpec): Guardrail =>
  createSearch({
    id: spec.id ?? spec.use,
    name: 'Secrets',
    window: windowChars,
    action: spec.action,
    reach: spec,
    find: (seen) => [
      ...findTokens(seen),
      ...findAssignments(seen),
      ...findVendorValues(seen),
      ...findToldKeys(seen),
      ...findLedValues(seen),
    ],
    label: (kind) =>
      kind === credential
        ? 'a password or key'
        : (tokenShapes.find((shape) => shape.kind === kind)?.label ?? kind),
    clean: absorbTails,
  })

/** Every format has so many of these in a row, or is a key's header; prose seldom has. Asked first, since it costs least. */
const anyRun = /[A-Za-z0-9_-]{16}|PRIVATE KEY/

/** Literals, so linear. */
const anyHint = new RegExp(
  tokenShapes
    .flatMap(({ hints, check }) =>
      hints.length > 0
        ? hints.map((hint) => hint.replaceAll(/[.+|?*()[\]$^]/g, '\\$&'))
        : (check?.source ?? []),
    )
    .join('|'),
)

function findTokens(seen: Seen): readonly Finding[] {
  const { text } = seen
  const found: Finding[] = []
  if (!anyRun.test(text) || !anyHint.test(text)) return found
  for (const shape of tokenShapes) {
    const { kind, hints, check } = shape
    const hinted = hints.length === 0 || hints.some((hint) => text.includes(hint))
    if (!hinted || check?.test(text) === false) continue
    const accept = (place: Place): Place | null => (isToken(seen, kind, place) ? place : null)
    found.push(...matchesOf({ kind, pattern: shape.pattern, accept }, text))
  }
  return found
}

/** Their prefixes begin words of every day as well: `sk-learn`, `api_reference`. */
const mustLookRandom: ReadonlySet<string> = new Set(['openai-key', 'close-key', 'render-key'])

/** The header of a private key is its own border. */
const isToken = (seen: Seen, kind: string, { start, end }: Place): boolean =>
  kind === 'private-key' ||
  (freeBefore(seen, start) && freeAfter(seen, end) && isMade(kind, seen.text.slice(start, end)))

/** Placeholders such as `ghp_xxxxxxxx` have the format, and hardly two letters. */
const isMade = (kind: string, token: string): boolean =>
  mustLookRandom.has(kind) ? looksRandom(token) : entropy(token) >= 2.5

/** Asked before, on the native engine: bounded, so linear. */
const namedValue =
  /(?:passw(?:or)?d|pwd|passphrase|secret|token|key|credential)[\w-]{0,20}\\?["'`]?\s{0,4}[:=]/i

function findAssignments({ text }: Seen): readonly Finding[] {
  if (!namedValue.test(text)) return []
  const accept = ({ start, end }: Place): Place | null => {
    // The quote behind it is escaped, where a program stands in JSON.
    const place = { start, end: text[end - 1] === '\\' ? end - 1 : end }
    const value = text.slice(place.start, place.end)
    return isLiteral(value) && !isAboutSecret(text, place.start) ? place : null
  }
  return matchesOf({ kind: credential, pattern: assignment, group: 1, accept }, text)
}

function findVendorValues({ text }: Seen): readonly Finding[] {
  if (!vendorHint.test(text)) return []
  const accept = (place: Place): Place | null => {
    const value = text.slice(place.start, place.end)
    return entropy(value) >= 3 && isVendorKey(text, place.start, value) ? place : null
  }
  return matchesOf({ kind: credential, pattern: vendorValue(), group: 1, accept }, text)
}

/** Ten letters and digits seldom have three bits each. */
const toldBitsMin = 2.8

function findToldKeys({ text }: Seen): readonly Finding[] {
  if (!toldHint.test(text)) return []
  const accept = (place: Place): Place | null => {
    const trimmed = withoutStop(text, place)
    const value = text.slice(trimmed.start, trimmed.end)
    const digitsMin = value.length < 20 ? 2 : 1
    const digits = value.replaceAll(/[^0-9]/g, '').length
    return looksRandom(value, toldBitsMin) && digits >= digitsMin ? trimmed : null
  }
  return matchesOf({ kind: credential, pattern: toldKey(), group: 1, accept }, text)
}

/** Words, so linear. */
const anyLead =
  /:\/\/|[Pp]ass|PASS|\b[Pp][Ww]\b|[Kk]ennwort|KENNWORT|[Mm]ot de passe|[Cc]ontrase|[Cc]lave|[Ss]enha|[Ww]achtwoord|[Hh]asło|[Pp]arola|[Şş]ifre|[Пп]арол|كلمة|รหัสผ่าน|[Aa]uth|AUTH|[Bb]earer|BEARER|Basic |[Aa]pi-[Kk]ey|API-KEY|[Cc]ookie|COOKIE|Key=|sig=|curl|mysql|mariadb|docker login|[Ss]ess|SESS|[Ss]id|SID|X-Amz|contribsys|CONTRIBSYS|[密口用パ비암]/

/** What stands behind a word that leads to a secret. */
function findLedValues({ text }: Seen): readonly Finding[] {
  if (!anyLead.test(text)) return []
  return ledValues.flatMap(({ hint, pattern, isProse }) => {
    if (!hint.test(text)) return []
    const accept = (place: Place): Place | null => {
      const trimmed = isProse ? withoutStop(text, place) : place
      const found = text.slice(trimmed.start, trimmed.end)
      return isProse && !isValue(found) ? null : trimmed
    }
    return matchesOf({ kind: credential, pattern: pattern(), group: 1, accept }, text)
  })
}

/** A sentence that ends with its password has a stop of its own behind it. */
function withoutStop(text: string, { start, end }: Place): Place {
  let to = end
  while (to > start && /[.!?:]/.test(text.charAt(to - 1))) to -= 1
  return { start, end: to }
}

/** Letters and a digit, at least six characters: words of a sentence have no digit. Or letters whose case changes within. */
const isValue = (found: string): boolean =>
  found.length >= 6 &&
  /[A-Za-z]/.test(found) &&
  (/[0-9]/.test(found) || /[a-z][A-Z].*[a-z][A-Z]/.test(found)) &&
  entropy(found) >= 2.5 &&
  !found.includes('redacted')

/** A value, and not the place in a program where one is read from. */
const isLiteral = (value: string): boolean =>
  looksRandom(value) && !/^(?:process\.env|import\.meta\.env|os\.environ|ENV)\b/.test(value)

/** At least so many bits per character and three kinds of characters, or letters and digits if it is long. */
function looksRandom(value: string, bitsMin = 3): boolean {
  const letters = Number(/[a-z]/.test(value)) + Number(/[A-Z]/.test(value))
  const digits = Number(/[0-9]/.test(value))
  const others = Number(/[^A-Za-z0-9]/.test(value))
  const mixed = letters + digits + others >= 3 || (value.length >= 20 && letters > 0 && digits > 0)
  return mixed && entropy(value) >= bitsMin
}

/** Shannon's entropy of the characters, in bits per character. */
function entropy(value: string): number {
  const counts = new Map<string, number>()
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1)
  const shares = [...counts.values()].map((count) => count / value.length)
  return -shares.reduce((sum, share) => sum + share * Math.log2(share), 0)
}
