/** Secrets: tokens by the formats of their issuers, private keys, and values given to names that say `password`. */
import { freeAfter, freeBefore } from '../border.ts'
import { createSearch, type Finding, type Seen } from '../finding.ts'
import { matchesOf, type Place } from '../matches.ts'
import type { Guardrail } from '../part.ts'
import type { SecretsSpec } from '../spec.ts'
import { assignment, tokenShapes } from './secret-shapes.ts'
import { absorbTails } from './secret-tail.ts'

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
    find: (seen) => [...findTokens(seen), ...findAssignments(seen)],
    label: (kind) =>
      kind === credential
        ? 'a password or key'
        : (tokenShapes.find((shape) => shape.kind === kind)?.label ?? kind),
    clean: absorbTails,
  })

/** Literals, so linear. */
const anyHint = new RegExp(tokenShapes.flatMap(({ hints }) => hints).join('|'))

function findTokens(seen: Seen): readonly Finding[] {
  const { text } = seen
  const found: Finding[] = []
  if (!anyHint.test(text)) return found
  for (const { kind, hints, pattern } of tokenShapes) {
    if (!hints.some((hint) => text.includes(hint))) continue
    const accept = (place: Place): Place | null => (isToken(seen, kind, place) ? place : null)
    found.push(...matchesOf({ kind, pattern, accept }, text))
  }
  return found
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

function findAssignments({ text }: Seen): readonly Finding[] {
  if (!namedValue.test(text)) return []
  const accept = (place: Place): Place | null =>
    isLiteral(text.slice(place.start, place.end)) ? place : null
  return matchesOf({ kind: credential, pattern: assignment, group: 1, accept }, text)
}

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
