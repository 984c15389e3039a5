/**
 * Does a program of awk run another program, write a file, or take in text that is not seen?
 *
 * L1 A program is read token by token: what stands in texts and patterns is data, and `>` compares unless it stands behind
 *    `print`. Where a slash could begin a pattern and could divide as well, or a token is none that is known, the program
 *    counts as one that runs another.
 * L2 `system(`, `getline` and joined lines count wherever they stand.
 */
import { skipsPattern, skipsText } from './script-pattern.ts'

const everywhere = /\bsystem\b\s*\(|\bgetline\b|\\\r?\n/
const patternBehind = new Set([
  '',
  '(',
  ',',
  '{',
  '}',
  ';',
  '!',
  '&',
  '|',
  '~',
  '=',
  '\n',
  '?',
  ':',
])
const keywords = new Set([
  'do',
  'else',
  'exit',
  'in',
  'print',
  'printf',
  'return',
  'delete',
  'case',
])
/** A file that awk writes to, and that is none. */
const outputs = /^>?[ \t]*"\/dev\/(?:stderr|stdout)"[ \t]*(?=[;}\n]|$)/

interface Reader {
  readonly text: string
  at: number
  /** The last character that is no space, before `at`; `a` behind a name, `"` behind a text or a pattern. */
  last: string
  depth: number
  /** Depth of parentheses at which a `print` stands; null outside of one. */
  printing: number | null
}

/** True, too, for a program that cannot be read to its end. */
export function awkRuns(text: string): boolean {
  if (everywhere.test(text)) return true
  const reader: Reader = { text, at: 0, last: '', depth: 0, printing: null }
  while (reader.at < text.length) {
    if (runsHere(reader)) return true
  }
  return false
}

const word = /[A-Za-z_][A-Za-z0-9_]*/y

function runsHere(reader: Reader): boolean {
  const { text, at } = reader
  const char = text.charAt(at)
  if (char === '"') return !skips(reader, skipsText(text, at + 1, '"'))
  if (char === '/') return readsSlash(reader)
  if (char === '#') {
    const end = text.indexOf('\n', at)
    reader.at = end < 0 ? text.length : end
    return false
  }
  word.lastIndex = at
  const name = word.exec(text)?.[0]
  if (name !== undefined) {
    reader.at += name.length
    reader.last = keywords.has(name) ? '' : 'a'
    if (name === 'print' || name === 'printf') reader.printing = reader.depth
    return false
  }
  return readsSign(reader, char)
}

function readsSign(reader: Reader, char: string): boolean {
  const { text, last } = reader
  if (!/[\s0-9$(){}[\];,+\-*%^<>=!~?:&|.]/.test(char)) return true
  reader.at += 1
  if (char === '|') return readsBar(reader)
  if (char === '>' && reader.printing === reader.depth) {
    const output = outputs.exec(text.slice(reader.at, reader.at + 40))?.[0]
    reader.at += output?.length ?? 0
    return output === undefined
  }
  if (char === '(' || char === '[') reader.depth += 1
  if (char === ')' || char === ']') reader.depth -= 1
  const goesOn = last === ',' || last === '&' || last === '|'
  if (char === ';' || char === '}' || (char === '\n' && !goesOn)) reader.printing = null
  if (char !== ' ' && char !== '\t') reader.last = char
  return false
}

/** A pattern, or a division. Behind a parenthesis it may be either, unless no other slash could end a pattern. */
function readsSlash(reader: Reader): boolean {
  const { text, at, last } = reader
  if (patternBehind.has(last)) return !skips(reader, skipsPattern(text, at + 1, '/'))
  const divides = /[a-z0-9\].$"]/.test(last)
  if (!divides && text.includes('/', at + 1)) return true
  reader.at += 1
  reader.last = '/'
  return false
}

/** Steps over a text or a pattern; false if it is not closed. */
function skips(reader: Reader, end: number | null): boolean {
  if (end === null) return false
  reader.at = end
  reader.last = '"'
  return true
}

/** One bar pipes: behind `print` to a program, before `getline` from one. */
function readsBar(reader: Reader): boolean {
  if (reader.text.charAt(reader.at) !== '|') return true
  reader.at += 1
  reader.last = '|'
  return false
}
