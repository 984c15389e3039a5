/** Secrets: tokens by the formats of their issuers, private keys, and values given to names that say `password`. */
import { freeAfter, freeBefore } from '../border.ts'
import { createSearch, type Finding, type Seen } from '../finding.ts'
import { matchesOf, type Place } from '../matches.ts'
import type { Guardrail } from '../part.ts'
import type { SecretsSpec } from '../spec.ts'
import { pendingSecret, secretLookBack, tokenMax } from './secret-pending.ts'
import { assignment, tokenShapes } from './secret-shapes.ts'
import { absorbTails } from './secret-tail.ts'
import { SecretTailFlow } from './secret-tail-flow.ts'
import { ledValues } from './secret-values.ts'

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
    find: (seen) =>
      mayHoldValue(seen)
        ? [...findTokens(seen), ...findAssignments(seen), ...findLedValues(seen)]
        : findTokens(seen),
    watch: () => pendingSecret,
    lookBack: secretLookBack,
    tail: () => new SecretTailFlow(),
    label: (kind) =>
      kind === credential
        ? 'a password or key'
        : (tokenShapes.find((shape) => shape.kind === kind)?.label ?? kind),
    clean: absorbTails,
  })

/** Of a text that grows, is there a value in what is not decided? None is shorter, but for a password in an address. */
const mayHoldValue = ({ text, progress }: Seen): boolean =>
  !progress || /\S{6}/.test(text.slice(progress.from)) || text.includes('://')

/** Every format has so many of these in a row, or is a key's header; prose seldom has. Asked first, since it costs least. */
const anyRun = /[A-Za-z0-9_-]{16}|PRIVATE KEY/

/** Literals, so linear. */
const anyHint = new RegExp(
  tokenShapes
    .flatMap(({ hints, check }) =>
      hints.length > 0 ? hints.map((hint) => hint.replaceAll('.', '\\.')) : (check?.source ?? []),
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
    const pattern = seen.progress ? shape.within : shape.pattern
    found.push(...matchesOf({ kind, pattern, accept: acceptToken(seen, kind) }, seen))
  }
  return found
}

/** Of a text that grows, a token that is longer than is seen at once is judged by its beginning: the rest is its tail. */
const acceptToken =
  (seen: Seen, kind: string) =>
  (place: Place): Place | number | null => {
    if (!seen.progress || place.end - place.start <= tokenMax)
      return isToken(seen, kind, place) ? place : null
    const begun = { start: place.start, end: place.start + tokenMax }
    const free = { ...seen, text: seen.text.slice(0, begun.end) }
    return isToken(free, kind, begun) ? begun : begun.end
  }

/** The header of a private key is its own border. The prefix of OpenAI also begins words: `sk-learn`. */
const isToken = (seen: Seen, kind: string, { start, end }: Place): boolean =>
  kind === 'private-key' ||
  (freeBefore(seen, start) &&
    freeAfter(seen, end) &&
    (kind !== 'openai-key' || looksRandom(seen.text.slice(start, end))))

/** Asked before, on the native engine: bounded, so linear. */
const namedValue =
  /(?:passw(?:or)?d|passphrase|secret|token|key|credential)[\w-]{0,20}["'`]?\s{0,4}[:=]/i

function findAssignments(seen: Seen): readonly Finding[] {
  const { text } = seen
  if (!namedValue.test(text)) return []
  const accept = (place: Place): Place | null =>
    isLiteral(text.slice(place.start, place.end)) ? place : null
  return matchesOf({ kind: credential, pattern: assignment, group: 1, accept }, seen)
}

/** Words, so linear. */
const anyLead =
  /:\/\/|[Pp]ass(?:w|phrase|code)|PASS|[Kk]ennwort|[Mm]ot de passe|[Cc]ontrase|[Cc]lave|[Ss]enha|[Ww]achtwoord|[Aa]uthorization|[Bb]earer|BEARER|[Aa][Pp][Ii]-[Kk]ey|[Cc]ookie|Key=|sig=|[密口パ비암]/

/** What stands behind a word that leads to a secret. */
function findLedValues(seen: Seen): readonly Finding[] {
  const { text } = seen
  if (!anyLead.test(text)) return []
  return ledValues.flatMap(({ hint, pattern, isProse }) => {
    if (!hint.test(text)) return []
    const accept = (place: Place): Place | null => {
      const trimmed = isProse ? withoutStop(text, place) : place
      const found = text.slice(trimmed.start, trimmed.end)
      return isProse && !isValue(found) ? null : trimmed
    }
    return matchesOf({ kind: credential, pattern: pattern(), group: 1, accept }, seen)
  })
}

/** A sentence that ends with its password has a stop of its own behind it. */
function withoutStop(text: string, { start, end }: Place): Place {
  let to = end
  while (to > start && /[.!?:]/.test(text.charAt(to - 1))) to -= 1
  return { start, end: to }
}

/** Letters and a digit, at least six characters: words of a sentence have no digit. */
const isValue = (found: string): boolean =>
  found.length >= 6 &&
  /[0-9]/.test(found) &&
  /[A-Za-z]/.test(found) &&
  entropy(found) >= 2.5 &&
  !found.includes('redacted')

/** A value, and not the place in a program where one is read from. */
const isLiteral = (value: string): boolean =>
  looksRandom(value) && !/^(?:process\.env|import\.meta\.env|os\.environ|ENV)\b/.test(value)

/** At least three bits per character and three kinds of characters, or letters and digits if it is long. */
function looksRandom(value: string): boolean {
  const letters = Number(/[a-z]/.test(value)) + Number(/[A-Z]/.test(value))
  const digits = Number(/[0-9]/.test(value))
  const others = Number(/[^A-Za-z0-9]/.test(value))
  const mixed = letters + digits + others >= 3 || (value.length >= 20 && letters > 0 && digits > 0)
  return mixed && entropy(value) >= 3
}

/** Shannon's entropy of the characters, in bits per character. */
function entropy(value: string): number {
  const counts = new Map<string, number>()
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1)
  const shares = [...counts.values()].map((count) => count / value.length)
  return -shares.reduce((sum, share) => sum + share * Math.log2(share), 0)
}
