/**
 * Does a script of sed run a program or write a file? Its commands `e`, `w` and `W`, and the flags `e` and `w` of `s`, wherever
 * they stand behind an address. What is no command that is known counts as one that does.
 */

interface Reader {
  readonly text: string
  at: number
}

/** True, too, for a script that cannot be read to its end. */
export function sedRuns(text: string): boolean {
  const reader: Reader = { text, at: 0 }
  for (;;) {
    reader.at += /^[\s;{}]*/.exec(rest(reader))?.[0].length ?? 0
    if (reader.at >= text.length) return false
    if (rest(reader).startsWith('#')) toLineEnd(reader)
    else if (!skipsAddresses(reader) || runsHere(reader)) return true
  }
}

const rest = ({ text, at }: Reader): string => text.slice(at)

function toLineEnd(reader: Reader): void {
  // A line that ends in a backslash goes on.
  const line = /^(?:\\[^]|[^\\\n])*/.exec(rest(reader))?.[0] ?? ''
  reader.at += Math.max(1, line.length)
}

function skipsAddresses(reader: Reader): boolean {
  if (!skipsAddress(reader)) return false
  const comma = /^\s*,\s*/.exec(rest(reader))?.[0]
  if (comma !== undefined) {
    reader.at += comma.length
    if (!skipsAddress(reader)) return false
  }
  reader.at += /^[\s!]*/.exec(rest(reader))?.[0].length ?? 0
  return true
}

/** A number, `first~step`, `+n`, `~n`, `$`, or a pattern between slashes or other marks. */
function skipsAddress(reader: Reader): boolean {
  const text = rest(reader)
  const simple = /^(?:[+~]?\d+(?:~\d+)?|\$)/.exec(text)?.[0]
  if (simple !== undefined) {
    reader.at += simple.length
    return true
  }
  const isPattern = text.startsWith('/') || /^\\[^\n]/.test(text)
  if (!isPattern) return true
  reader.at += text.startsWith('/') ? 1 : 2
  if (!skipsTo(reader, text.charAt(text.startsWith('/') ? 0 : 1), true)) return false
  reader.at += /^[IM]*/.exec(rest(reader))?.[0].length ?? 0
  return true
}

/** Behind the next mark; false if there is none. In a pattern, a mark in brackets is none to some, and one to others. */
function skipsTo(reader: Reader, mark: string, isPattern: boolean): boolean {
  let isClass = false
  for (; reader.at < reader.text.length; reader.at += 1) {
    const char = reader.text.charAt(reader.at)
    if (char === '\\') reader.at += 1
    else if (isPattern && char === '[') isClass = true
    else if (isPattern && char === ']') isClass = false
    else if (char === mark && !isClass) {
      reader.at += 1
      return true
    }
  }
  return false
}

function runsHere(reader: Reader): boolean {
  const command = reader.text.charAt(reader.at)
  reader.at += 1
  if (command === '' || command === '{' || command === '}') return false
  if (command === 's' || command === 'y') {
    const mark = reader.text.charAt(reader.at)
    reader.at += 1
    if (!skipsTo(reader, mark, true) || !skipsTo(reader, mark, false)) return true
    const flags = /^[0-9a-zA-Z]*/.exec(rest(reader))?.[0] ?? ''
    reader.at += flags.length
    return /[ewW]/.test(flags)
  }
  if (/[aic]/.test(command)) {
    toLineEnd(reader)
    return false
  }
  if (/[:btTrRlLqQv]/.test(command)) {
    const ends = /[rR:]/.test(command) ? /^[^\n]*/ : /^[^;}\n]*/
    reader.at += ends.exec(rest(reader))?.[0].length ?? 0
    return false
  }
  return !/[=dDgGhHnNpPxzF]/.test(command)
}
