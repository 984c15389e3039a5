/** E-mail addresses, also with letters beyond ASCII. */
import type { Finding, Seen } from '../finding.ts'
import { matchesOf, type Place } from '../matches.ts'
import { whenNeeded } from '../when-needed.ts'

const email = whenNeeded(
  "[\\p{L}\\p{N}._%+'-]{1,64}@(?:[\\p{L}\\p{N}](?:[\\p{L}\\p{N}-]{0,62})\\.){1,8}\\p{L}[\\p{L}\\p{N}-]{1,62}",
)

/** What may become one more label of the domain. */
const rest = /^[\p{L}\p{N}.-]*$/u

/** A name, an at sign, a domain with at least one dot. */
export function findEmails({ text }: Seen): readonly Finding[] {
  if (!text.includes('@')) return []
  const accept = (place: Place): Place => ({ ...place, open: rest.test(text.slice(place.end)) })
  return matchesOf({ kind: 'email', pattern: email(), accept }, text)
}
