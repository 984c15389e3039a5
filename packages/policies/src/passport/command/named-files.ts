/**
 * Every part of a word by which a program may be told a file to read: the word, the value that is glued to an option, what stands
 * behind `@`, `<`, `=` or a colon, an address of a file. Each word gives a number of parts that its length bounds.
 */
import { after, wordOf, type Word } from '../../shell/script.ts'

/** A part, and whether it is one for sure: others are prose more often. */
export interface NamedFile {
  readonly word: Word
  readonly sure: boolean
}

/** Letters in one word behind a dash, before a value that is glued to them. */
const clusterMax = 12
const separators = /[@<>=:;,(){}'"`^|]/

const sure = (word: Word): NamedFile => ({ word, sure: true })

/** The files that a word may name. */
export function filesIn(word: Word, program: string): readonly NamedFile[] {
  const { text } = word
  if (isExclusion(text)) return []
  const isUrl = program === 'curl' || program === 'wget'
  // curl expands braces and brackets by itself; an address may be written in percent signs.
  const spelt = isUrl ? { ...word, braces: true, globs: true } : word
  const decoded = /%[0-9a-f]{2}/i.test(text) ? [sure(wordOf(percentDecoded(text), word))] : []
  // A text with spaces is prose, or a program.
  if (/\s/.test(text)) return [...named(spelt, program), ...decoded]
  const pieces = text
    .split(separators)
    .filter((piece) => piece !== '' && piece.length < text.length)
    .map((piece) => ({ word: wordOf(piece, word), sure: false }))
  return [...named(spelt, program), ...decoded, ...pieces]
}

function named(word: Word, program: string): readonly NamedFile[] {
  const { text } = word
  const reference = /^(?:-[a-zA-Z]|[^@\s]*=)@/.exec(text)?.[0]
  if (reference !== undefined) return [sure(after(word, reference.length))]
  const ofTree = program === 'git' ? /^[\w./~^@-]*:(?=[\w.])/.exec(text)?.[0] : undefined
  if (ofTree !== undefined) return [sure(after(word, ofTree.length))]
  if (!text.startsWith('-')) return [sure(text.startsWith('@') ? after(word, 1) : word)]
  const equals = text.indexOf('=')
  if (equals > 0) return [sure(after(word, equals + 1))]
  if (!/^-[a-zA-Z0-9]./.test(text)) return []
  const ends = Math.min(text.length, clusterMax)
  return Array.from({ length: ends - 2 }, (_, n) => ({ word: after(word, n + 2), sure: false }))
}

/** A file that is left out is not read: `--exclude=.env`, `:!.env`, `!.env`. */
const isExclusion = (text: string): boolean =>
  /^--(?:exclude|ignore)[a-z-]*=|^:(?:[!^]|\([a-z,]*exclude)|^!/.test(text)

const percentDecoded = (text: string): string =>
  text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))

/** Files that a script of sed reads: behind its commands `r` and `R`. */
export function filesOfSed(word: Word): readonly NamedFile[] {
  const reads = word.text.matchAll(
    /(?:^-[a-zA-Z]*e|^--[a-z]+=|^|[;{}\n\d$!/])\s{0,8}[rR]\s{0,8}([^\s;}]{1,300})/g,
  )
  return Array.from(reads, ([, name = '']) => ({ word: wordOf(name, word), sure: false }))
}

/** Texts in quotes within a program of awk, Python or another language. */
export function textsOfProgram(word: Word): readonly NamedFile[] {
  const texts = word.text.matchAll(/(["'`])([^"'`\\\s]{1,300})\1/g)
  return Array.from(texts, ([, , name = '']) => ({ word: wordOf(name, word), sure: false }))
}

/** Every word of a text that another program reads as names. */
export const wordsOfText = (word: Word): readonly NamedFile[] =>
  word.text
    .split(/\s|\\n/)
    .filter((piece) => piece !== '')
    .map((piece) => ({ word: wordOf(piece, word), sure: false }))
