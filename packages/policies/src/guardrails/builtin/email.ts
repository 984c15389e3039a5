/** E-mail addresses, also with letters beyond ASCII. */
import { characterAt, characterBefore, isPlainLetter, isUnspaced, unitsOf } from '../border.ts'
import type { Finding, SeenText } from '../finding.ts'
import { matchesOf, type MatchPlace, whenNeeded } from '../matches.ts'

const email = whenNeeded(
  "[\\p{L}\\p{N}._%+'-]{1,64}@(?:[\\p{L}\\p{N}](?:[\\p{L}\\p{N}-]{0,62})\\.){1,8}\\p{L}[\\p{L}\\p{N}-]{1,62}",
)

/** Text that may become one more label of the domain. */
const rest = /^[\p{L}\p{N}.-]*$/u

/** A name, an at sign, a domain with at least one dot. */
export function findEmails(seen: SeenText): readonly Finding[] {
  const { text } = seen
  if (!text.includes('@')) return []
  const accept = (place: MatchPlace): MatchPlace | number => {
    const { start, end } = withoutNeighbours(text, place)
    const isAddress = /^[^@]+@[^@]+\.[^@.]{2,}$/.test(text.slice(start, end))
    if (!isAddress || isUserOfHost(text, start, end)) return end
    const behind = text.slice(end)
    return { start, end, open: behind === ':' || (end === place.end && rest.test(behind)) }
  }
  return matchesOf({ kind: 'email', pattern: email(), accept }, seen)
}

/** `https://ada@example.com`, `git@example.com:ada/repository`: who logs in, not who gets mail. */
const isUserOfHost = (text: string, start: number, end: number): boolean =>
  text.slice(Math.max(0, start - 2), start) === '//' || /^:[^\s]/.test(text.slice(end, end + 2))

/**
 * Where words are not separated, the words beside an address look like more of it: `联系ada@example.com吧`. Name and domain each
 * end where the script changes. An address in such a script keeps some of its neighbours: nothing tells them apart.
 */
function withoutNeighbours(text: string, { start, end }: MatchPlace): MatchPlace {
  const at = text.indexOf('@', start)
  const name = isUnspaced(characterBefore(text, at))
  const most = name ? unspacedNameMax : nameMax * 2
  let from = at
  for (let count = 0; from > start && count < most; count += 1) {
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

/** A name in a script without spaces has no more characters: longer ones are a sentence with an at sign in it. */
const unspacedNameMax = 8
const nameMax = 64
/** Eight labels, and a last one. */
const domainMax = 8 * 64 + 64

/** Where an address may have begun that is not over: a name, or a name, an at sign and what may be a domain. */
export function pendingEmail(text: string, from: number): number {
  const at = text.includes('@', from) ? text.lastIndexOf('@') : -1
  // Behind a colon it is seen whether the address is that of a host.
  const end = text.endsWith(':') ? text.length - 1 : text.length
  if (at > from && end - at <= domainMax && isDomain(text.slice(at + 1, end))) {
    const name = nameBefore(text, at, from)
    if (name < at) return name
  }
  return nameBefore(text, text.length, from)
}

/** May all of it be a domain, or the beginning of one? */
function isDomain(text: string): boolean {
  if (!rest.test(text)) return false
  const unspaced = isUnspaced(characterAt(text, 0))
  let before = '.'
  for (const character of text) {
    if (isForeign(character, unspaced) && before !== '.') return false
    before = character
  }
  return true
}

/** Where the name begins that could end there, whatever script its last letter will be of. */
function nameBefore(text: string, end: number, from: number): number {
  let at = end
  let unspaced: boolean | null = null
  for (let count = 0; at > from && count < nameMax; count += 1) {
    const unit = text.charCodeAt(at - 1)
    if (unit < 0x80) {
      if (!isPlain(unit) || (isPlainLetter(unit) && unspaced)) break
      if (isPlainLetter(unit)) unspaced = false
      if (unspaced && count >= unspacedNameMax) break
      at -= 1
      continue
    }
    const isCommon = isIdeograph(unit)
    const character = isCommon ? text.charAt(at - 1) : characterBefore(text, at)
    const isOther = isCommon || isUnspaced(character)
    if (!isOther && !namePart.test(character)) break
    if (isOther || letter.test(character)) {
      unspaced ??= isOther
      if (isOther !== unspaced) break
    }
    if (unspaced && count >= unspacedNameMax) break
    at -= character.length
  }
  return at
}

/** Han, Hiragana, Katakana, Hangul: most letters of scripts without spaces. */
const isIdeograph = (unit: number): boolean =>
  (unit >= 0x4e00 && unit <= 0x9fff) ||
  (unit >= 0x3041 && unit <= 0x3096) ||
  (unit >= 0x30a1 && unit <= 0x30fa) ||
  (unit >= 0xac00 && unit <= 0xd7a3)

const isPlain = unitsOf("A-Za-z0-9._%+'-")

const namePart = /^[\p{L}\p{N}]$/u
const letter = /^\p{L}$/u

const isForeign = (character: string, unspaced: boolean): boolean =>
  letter.test(character) && isUnspaced(character) !== unspaced
