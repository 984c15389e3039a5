/** E-mail addresses, also with letters beyond ASCII. */
import { characterAt, characterBefore, isUnspaced } from '../border.ts'
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
  const accept = (place: Place): Place | null => {
    const { start, end } = withoutNeighbours(text, place)
    const isAddress = /^[^@]+@[^@]+\.[^@.]{2,}$/.test(text.slice(start, end))
    if (!isAddress || isUserOfHost(text, start, end)) return null
    const behind = text.slice(end)
    return { start, end, open: behind === ':' || (end === place.end && rest.test(behind)) }
  }
  return matchesOf({ kind: 'email', pattern: email(), accept }, text)
}

/** `https://ada@example.com`, `git@example.com:ada/repository`: who logs in, not who gets mail. */
const isUserOfHost = (text: string, start: number, end: number): boolean =>
  text.slice(Math.max(0, start - 2), start) === '//' || /^:[^\s]/.test(text.slice(end, end + 2))

/**
 * Where words are not separated, the words beside an address look like more of it: `联系ada@example.com吧`. Name and domain each
 * end where the script changes. An address in such a script keeps its neighbours: nothing tells them apart.
 */
function withoutNeighbours(text: string, { start, end }: Place): Place {
  const at = text.indexOf('@', start)
  const name = isUnspaced(characterBefore(text, at))
  let from = at
  while (from > start) {
    const character = characterBefore(text, from)
    if (isForeign(character, name)) break
    from -= character.length
  }
  const domain = isUnspaced(characterAt(text, at + 1))
  let to = at + 1
  while (to < end) {
    const character = characterAt(text, to)
    // A domain of one script may end in a label of another: `例子.com`.
    if (isForeign(character, domain) && characterBefore(text, to) !== '.') break
    to += character.length
  }
  return { start: from, end: to }
}

const isForeign = (character: string, unspaced: boolean): boolean =>
  /^\p{L}$/u.test(character) && isUnspaced(character) !== unspaced
