/** The lines of a private key, one after the other, with real line breaks or escaped ones. */

/** The part of the text that belongs to the key. */
export interface KeyLine {
  /** 0: nothing does any more. */
  readonly chars: number
  /** Base64 that follows belongs to the same line. */
  readonly goesOn: boolean
  readonly isLast: boolean
}

const gap = /^(?:\s|\\{1,8}[rn])+/
/** The beginning of an escaped line break: in JSON within JSON it has two of them, then four. */
const slashes = /^\\{1,8}$/
/** Blank text beyond it ends a key. */
const gapMax = 80
const headers: readonly { name: string; value: RegExp; max: number }[] = [
  { name: 'Proc-Type: ', value: /^[0-9A-Z,]{0,40}/, max: 40 },
  { name: 'DEK-Info: ', value: /^[0-9A-Za-z,-]{0,80}/, max: 80 },
  { name: 'Version: ', value: /^[^\r\n\\]{0,80}/, max: 80 },
]
const before = '-----END '
const none: KeyLine = { chars: 0, goesOn: false, isLast: true }

/**
 * The line that stands there behind a line break: base64 of sixteen characters and more, or a shorter one that ends in padding or
 * right before the end line, or a header. `open` while more text could make it one; nothing is open in a text that ends there.
 */
export function keyLine(text: string, last: boolean): KeyLine | 'open' {
  const begin = gap.exec(text)?.[0].length ?? 0
  const isOpen = !last && (begin === text.length || slashes.test(text.slice(begin)))
  if (begin > gapMax) return none
  if (isOpen) return 'open'
  return begin === 0 ? none : (headerLine(text, begin, last) ?? base64Line(text, begin, last))
}

function headerLine(text: string, begin: number, last: boolean): KeyLine | 'open' | null {
  const line = text.slice(begin)
  for (const { name, value, max } of headers) {
    if (!last && line.length < name.length && name.startsWith(line)) return 'open'
    if (!line.startsWith(name)) continue
    const { length } = value.exec(line.slice(name.length))?.[0] ?? ''
    const isOver = last || length === max || name.length + length < line.length
    if (!isOver) return 'open'
    return length === 0 ? none : lineOf(begin + name.length + length, false)
  }
  return null
}

function base64Line(text: string, begin: number, last: boolean): KeyLine | 'open' {
  const line = text.slice(begin)
  const { length } = /^[A-Za-z0-9+/]*/.exec(line)?.[0] ?? ''
  if (length >= 16) return lineOf(begin + length, true)
  if (length === line.length) return last ? none : 'open'
  if (line[length] === '=')
    return length > 0 ? lineOf(begin + length + 1, true) : checksum(line, begin, last)
  return length === 0 ? none : lastLine(line, { begin, length, last })
}

/** An equals sign and four characters. */
function checksum(line: string, begin: number, last: boolean): KeyLine | 'open' {
  if (/^=[A-Za-z0-9+/]{4}/.test(line)) return lineOf(begin + 5, false)
  return !last && /^=[A-Za-z0-9+/]{0,3}$/.test(line) ? 'open' : none
}

/** A short line, right before the end line. */
function lastLine(
  line: string,
  { begin, length, last }: { begin: number; length: number; last: boolean },
): KeyLine | 'open' {
  const rest = line.slice(length)
  const blank = gap.exec(rest)?.[0].length ?? 0
  const end = rest.slice(blank)
  if (blank > gapMax) return none
  if (blank > 0 && end.startsWith(before))
    return { chars: begin + length, goesOn: false, isLast: true }
  const mayEnd = blank > 0 ? before.startsWith(end) || slashes.test(end) : slashes.test(rest)
  return !last && mayEnd ? 'open' : none
}

const lineOf = (chars: number, goesOn: boolean): KeyLine => ({ chars, goesOn, isLast: false })
