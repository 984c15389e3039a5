/**
 * Does a program of awk run another program, write a file, or take in text that is not seen? It is read token by token: what
 * stands in texts and patterns is data, and `>` compares unless it stands behind `print`.
 */

const regexBefore = new Set(['', '(', ',', '{', '}', ';', '!', '&', '|', '~', '=', '\n', '?', ':'])

interface Reader {
  readonly text: string
  at: number
  /** The last character that is no space, before `at`. */
  last: string
  depth: number
  /** Depth of parentheses at which a `print` stands; null outside of one. */
  printing: number | null
}

/** True, too, for a program that cannot be read to its end. */
export function awkRuns(text: string): boolean {
  const reader: Reader = { text, at: 0, last: '', depth: 0, printing: null }
  while (reader.at < text.length) {
    if (runsHere(reader)) return true
  }
  return false
}

function runsHere(reader: Reader): boolean {
  const { text, at, last } = reader
  const char = text.charAt(at)
  if (char === '"' || (char === '/' && regexBefore.has(last))) return !skips(reader, char)
  if (char === '#') {
    const end = text.indexOf('\n', at)
    reader.at = end < 0 ? text.length : end
    return false
  }
  const word = /^[A-Za-z_][A-Za-z0-9_]*/.exec(text.slice(at))?.[0]
  if (word !== undefined) return readsWord(reader, word)
  reader.at += 1
  if (char === '@' || text.startsWith('|&', at)) return true
  if (char === '|') return readsBar(reader)
  if (char === '>' && reader.printing === reader.depth) return true
  if (char === '(' || char === '[') reader.depth += 1
  if (char === ')' || char === ']') reader.depth -= 1
  const goesOn = last === ',' || last === '&' || last === '|' || last === '\\'
  if (char === ';' || char === '}' || (char === '\n' && !goesOn)) reader.printing = null
  if (char !== ' ' && char !== '\t') reader.last = char
  return false
}

/** Steps over a text or a pattern; false if it is not closed. */
function skips(reader: Reader, mark: string): boolean {
  const { text } = reader
  let isClass = false
  for (let at = reader.at + 1; at < text.length; at += 1) {
    const char = text.charAt(at)
    if (char === '\\') at += 1
    else if (mark === '/' && char === '[') isClass = true
    else if (char === ']') isClass = false
    else if (char === '\n') return false
    else if (char === mark && !isClass) {
      reader.at = at + 1
      reader.last = '"'
      return true
    }
  }
  return false
}

function readsWord(reader: Reader, word: string): boolean {
  reader.at += word.length
  reader.last = 'a'
  if (word === 'print' || word === 'printf') {
    reader.printing = reader.depth
    reader.last = ''
  }
  return word === 'system' && /^\s*\(/.test(reader.text.slice(reader.at))
}

/** One bar pipes: behind `print` to a program, before `getline` from one. */
function readsBar(reader: Reader): boolean {
  if (reader.text.charAt(reader.at) === '|') {
    reader.at += 1
    reader.last = '|'
    return false
  }
  return true
}
