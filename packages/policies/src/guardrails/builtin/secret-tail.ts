/**
 * The text that follows the marker of a secret that is longer than is seen at once. Nothing need be remembered: the marker is
 * held back as long as what follows goes on, and takes it in piece by piece.
 */
import { marker } from '../marker.ts'
import { whenNeeded } from '../matches.ts'
import { tokenShapes } from './secret-shapes.ts'

/** Kinds of tokens that may be longer than is seen at once. */
const kinds = tokenShapes.filter(({ open, kind }) => open && kind !== 'private-key')
const tokenTail = whenNeeded(
  `(\\[redacted:(?:${kinds.map(({ kind }) => kind).join('|')})\\])(?:(?:[.=]|[+/]{1,4})?[A-Za-z0-9_-])+`,
)
/** The same of a value without a format: that of an address has its signs escaped. Where such a value ends, none of these follows. */
const valueTail = whenNeeded('(\\[redacted:credential\\])(?:(?:[.=~%]|[+/]{1,4})?[A-Za-z0-9_-])+')

export const tailKinds: ReadonlySet<string> = new Set(kinds.map(({ kind }) => kind))

/** Kinds that may be found within the lines of a key. */
const inKey = new Set(['credential', ...tokenShapes.map(({ kind }) => kind)])
inKey.delete('private-key')

const gap = '(?:\\s|\\\\{1,8}[rn])'

/** The rest of a line of a key; what looks like a token in it is a piece of the key. */
const line = `(?:[A-Za-z0-9+/=]|\\[redacted:(?:${[...inKey].join('|')})\\])*`

/**
 * Lines of base64 and the headers of an encrypted key, with real line breaks or escaped ones. A short line counts
 * directly behind the marker, or when it ends in padding, or right before the end line; else it could be a word.
 */
const keyTail = whenNeeded(
  `(\\[redacted:private-key\\])${line}` +
    `(?:${gap}+(?:(?:[A-Za-z0-9+/]{16}|[A-Za-z0-9+/]{1,15}=)${line}|=[A-Za-z0-9+/]{4}` +
    '|Proc-Type: [0-9A-Z,]{1,40}|DEK-Info: [0-9A-Za-z,-]{1,80}|Version: [^\\r\\n\\\\]{1,80}))*' +
    `(?:${gap}+[A-Za-z0-9+/]{1,15}(${gap}+-----END ))?`,
)

/** Takes in what belongs to the markers of open-ended secrets; the end line of a key stays. A text without such a marker stays as it is. */
export function absorbTails(text: string): string {
  if (!text.includes('[redacted:')) return text
  const tokens = [tokenTail, valueTail].reduce(
    (left, tail) => (tail().test(left) ? tail().matcher(left).replaceAll('$1') : left),
    text,
  )
  return text.includes(marker('private-key')) && keyTail().test(tokens)
    ? keyTail().matcher(tokens).replaceAll('$1$2')
    : tokens
}

/** So much of what follows a marker is looked at: the longest private key is shorter. At first a little of it. */
const seenMax = 65_536
const seenFirst = 512
/** A tail that ends so near to the end of what is seen may go on behind it. */
const openChars = 256

/** How many characters from this place on belong to a secret of this kind that ends there. */
export function tailLength(kind: string, text: string, from: number): number {
  for (let seen = seenFirst; ; seen *= 8) {
    const length = tailWithin(kind, text.slice(from, from + seen))
    if (seen >= seenMax || from + seen >= text.length || length < seen - openChars) return length
  }
}

function tailWithin(kind: string, after: string): number {
  const begun = marker(kind)
  const tail = kind === 'private-key' ? keyTail : kind === 'credential' ? valueTail : tokenTail
  const matcher = tail().matcher(begun + after)
  if (!matcher.lookingAt()) return 0
  const endLine = kind === 'private-key' ? matcher.start(2) : -1
  return (endLine < 0 ? matcher.end() : endLine) - begun.length
}
