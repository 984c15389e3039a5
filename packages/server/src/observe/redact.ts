/** Takes secrets out of what is logged (I20): values we know to be secret, and what looks like one. */

const hidden = '[redacted]'
const valueCharsMin = 6

/** What keys of well-known services look like, and passwords within addresses. */
const patterns: readonly (readonly [RegExp, string])[] = [
  [/\b(?:sk|pk|rk)-[A-Za-z0-9_-]{12,}/g, hidden],
  [/\bAIza[A-Za-z0-9_-]{20,}/g, hidden],
  [/\bsbx_[0-9a-f]{16}_[0-9a-f]{16,}(?:_[0-9a-f]{8})?/g, hidden],
  [/\bAKIA[A-Z0-9]{16}\b/g, hidden],
  [/\bgh[pousr]_[A-Za-z0-9]{20,}/g, hidden],
  [/\bBearer\s+[A-Za-z0-9._~+/=-]{8,}/gi, `Bearer ${hidden}`],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g, hidden],
  [/(\/\/[^:@/\s]*:)[^@/\s]+@/g, `$1${hidden}@`],
]

const secretNames = /(^|[_-])(password|passwd|secret|token|authorization|api[_-]?key|apikey)s?$/i

/** A function that takes secrets out of any value that is about to be logged. */
export type Redact = (value: unknown) => unknown

/** `secrets` are values that must never appear, whatever they look like; very short ones are left out. */
export function createRedact(secrets: readonly string[]): Redact {
  const known = [...new Set(secrets)]
    .filter((secret) => secret.length >= valueCharsMin)
    .sort((a, b) => b.length - a.length)
  const clean = (text: string): string => {
    let cleaned = text
    for (const secret of known) cleaned = cleaned.replaceAll(secret, hidden)
    for (const [pattern, instead] of patterns) cleaned = cleaned.replaceAll(pattern, instead)
    return cleaned
  }
  const redact = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return clean(value)
    if (typeof value !== 'object' || value === null) return value
    if (depth > 6) return '[deep]'
    if (Array.isArray(value)) return value.map((each) => redact(each, depth + 1))
    if (value instanceof Error) return { name: value.name, message: clean(value.message) }
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [
        key,
        typeof each === 'string' && secretNames.test(key) ? hidden : redact(each, depth + 1),
      ]),
    )
  }
  return (value) => redact(value, 0)
}

/** Values of the environment that are secret: keys of models, and everything that is named like one. */
export function secretsOf(
  env: Readonly<Record<string, string | undefined>>,
  apiKeyEnvs: readonly string[],
): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (!value) return []
    if (apiKeyEnvs.includes(name) || secretNames.test(name)) return [value.trim()]
    return passwordsOf(value)
  })
}

/** Passwords in an address, as they stand there and decoded. It may name many hosts, which no URL does. */
function passwordsOf(value: string): readonly string[] {
  const [, own] = /^[a-z][a-z0-9+-]*:\/\/[^:@/?#\s]*:([^/?#\s]+)@/i.exec(value) ?? []
  const [, ofSentinels] = /[?&]sentinelPassword=([^&#\s]+)/.exec(value) ?? []
  return [own, ofSentinels].flatMap((one) => (one ? [one, decoded(one)] : []))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
