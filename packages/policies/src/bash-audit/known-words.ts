/**
 * The values of words, as far as the script says them: variables and arrays that it sets, arguments that its functions are called with, texts
 * that it prints into a substitution.
 *
 * K1 A word of which any part is not known stays as it is written. Values count in no order of time: one that is set twice is both.
 * K2 Always ends: readings, words, characters and depth have a limit, and a value that needs itself is not known.
 */
import type { Variable } from '../passport/command/doings.ts'
import { withoutBraces } from '../passport/command/places.ts'
import { isOutside } from './outside.ts'
import {
  arrayOf,
  type Command,
  expansionEnd,
  expansionStart,
  isPlain,
  type ShellScope,
  type ShellScript,
  type Word,
} from '../shell/script.ts'

/** The values of variables, the arguments of functions and the places of shells, as a script sets them. */
export interface KnownNames {
  readonly values: ReadonlyMap<string, readonly Variable[]>
  /** The arguments of the calls of each function, and by `scriptOwner` those that the script gives itself. */
  readonly calls: ReadonlyMap<string, Readings>
  /** Where its shells have changed to. */
  readonly places: ReadonlyMap<ShellScope, string | null>
}

/** By what `set --` is known outside of functions. */
export const scriptOwner = ' '

/** Where words stand. */
export interface Where {
  readonly known: KnownNames
  readonly owner: Owner
  /** How deep values were followed, and whose. */
  readonly depth?: number
  readonly seen?: ReadonlySet<string>
}

/** Lists of words, one of which it is. */
type Readings = readonly (readonly Word[])[]

/** By what `$1` is known: the name of the function around, or what a text is run with; null outside of both. */
export type Owner = string | Readings | null

const readingsMax = 16
const wordsMax = 256
const charsMax = 10_000
const depthMax = 8

/** The lists of words that these come to; the words themselves where nothing more is known. */
export function readingsOf(words: readonly Word[], where: Where): Readings {
  if (!words.some(isOpen)) return [words]
  let readings: Word[][] = [[]]
  for (const word of words) {
    const each = (isOpen(word) ? comesTo(word, where) : null) ?? [[word]]
    const [only = []] = each
    if (each.length === 1) for (const reading of readings) reading.push(...only)
    else readings = readings.flatMap((before) => each.map((next) => [...before, ...next]))
    if (readings.length > readingsMax || (readings[0]?.length ?? 0) > wordsMax) return [words]
  }
  return readings
}

const isOpen = (word: Word): boolean => word.braces || word.exact.includes(expansionStart)

function comesTo(word: Word, where: Where): Readings | null {
  if (!word.exact.includes(expansionStart)) return bracedAs(word)
  if ((where.depth ?? 0) > depthMax) return null
  const texts = listsOf(word, where) ?? textsOf(word, where)
  if (texts === null) return null
  return texts.map((text) =>
    typeof text === 'string' ? splitAt(text, word, where).map((each) => told(word, each)) : text,
  )
}

/** `{rm,-rf,/}` is three words. */
function bracedAs(word: Word): Readings | null {
  const texts = withoutBraces(word.text)
  if (texts === null || texts.length > wordsMax) return null
  return [texts.map((text) => told({ ...word, globs: word.globs && /[*?[]/.test(text) }, text))]
}

const told = (word: Word, text: string): Word => ({
  ...word,
  text,
  exact: text,
  expands: false,
  splits: false,
  braces: false,
  // With a blank in it, it is no name of files.
  globs: word.globs || /^\S*[*?[]\S*$/.test(text),
  substitutions: [],
})

/** Outside of quotes a value becomes as many words as there are between its blanks, or between the signs that IFS is set to. */
function splitAt(text: string, { splits }: Word, { known }: Where): readonly string[] {
  if (!splits) return [text]
  const signs = (known.values.get('IFS') ?? []).map((each) => each.text ?? '').join('')
  const ends = new Set(` \t\n${signs}`)
  const found: string[] = ['']
  for (const char of text)
    if (ends.has(char)) found.push('')
    else found.push(`${found.pop() ?? ''}${char}`)
  return found.filter((each) => each !== '')
}

const alone = new RegExp(`^${expansionStart}([^${expansionEnd}]*)${expansionEnd}$`)

/** A word that is one list: an array, or all arguments. */
function listsOf(word: Word, where: Where): Readings | null {
  const name = alone.exec(word.exact)?.[1]
  if (name === '@' || (name === '*' && word.splits))
    return callsOf(where)?.map((words) => words.map((each) => asNamed(each, name))) ?? null
  const array = arrayOf(name ?? '')
  const set = where.known.values.get(array) ?? []
  const lists = set.flatMap(({ word: value }) => (value?.elements ? [value.elements] : []))
  const inner = deeper(array, where)
  if (set.length === 0 || lists.length < set.length || inner === null) return null
  const found = elementsAt(lists, name?.slice(array.length) ?? '')
  if (found.length > 0) return found.map((each) => [each])
  const elements = lists.flat().map((each) => {
    const [key = ''] = keyOf.exec(each.text) ?? []
    return { ...each, text: each.text.slice(key.length), exact: each.exact.slice(key.length) }
  })
  return readingsOf(elements, inner).map((words) => words.map((each) => asNamed(each, array)))
}

const keyOf = /^\[[^\]]*\]=/

/** The words that an element may be: of each list that the array is set to, and of all one behind the other. None where that cannot be told. */
function elementsAt(lists: Readings, subscript: string): readonly Word[] {
  const all = lists.flat()
  if (subscript === '' || !all.every((each) => isPlain(each) && !keyOf.test(each.text))) return []
  const at = Number(subscript.slice(1, -1))
  return [...new Set([all, ...lists].flatMap((list) => list[at] ?? []))]
}

/** A word with a script in it, whose output is not known, becomes an expansion of its name: origins are followed by that name. */
const asNamed = (word: Word, name: string): Word =>
  word.substitutions.length === 0
    ? word
    : {
        ...word,
        text: `$${name}`,
        exact: `${expansionStart}${name}${expansionEnd}`,
        expands: true,
        substitutions: [],
      }

function callsOf({ known, owner }: Where): Readings | null {
  const name = owner ?? scriptOwner
  const calls = typeof name === 'string' ? (known.calls.get(name) ?? []) : name
  return calls.length > 0 && calls.length <= readingsMax ? calls : null
}

function deeper(name: string, where: Where): Where | null {
  const { depth = 0, seen = new Set<string>() } = where
  if (seen.has(name) || depth >= depthMax) return null
  return { ...where, depth: depth + 1, seen: new Set([...seen, name]) }
}

/** Every text that a word may be; null if that is not known. */
function textsOf(word: Word, where: Where): readonly string[] | null {
  const [literal = '', ...rest] = word.exact.split(expansionStart)
  const { substitutions } = word
  const names = rest.map((piece) => piece.slice(0, piece.indexOf(expansionEnd)))
  // Else some of them stand within other expansions.
  const isEven = names.filter((name) => name === '()').length === substitutions.length
  let texts: readonly string[] = [literal]
  let at = 0
  for (const [n, name] of names.entries()) {
    const tail = rest[n]?.slice(name.length + 1) ?? ''
    const script = name === '()' && isEven ? substitutions[at] : undefined
    if (script !== undefined) at += 1
    const values = script === undefined ? valuesOf(name, where) : printedBy(script, where)
    if (values === null) return null
    texts = values.flatMap((value) => texts.map((text) => text + value + tail))
    if (texts.length > readingsMax || texts.some((text) => text.length > charsMax)) return null
  }
  if (!word.braces) return texts
  const expanded = texts.map(withoutBraces)
  const all = expanded.flatMap((each) => each ?? [])
  return expanded.includes(null) || all.length > readingsMax ? null : all
}

function valuesOf(name: string, where: Where): readonly string[] | null {
  // Numbers: the process, the last status, how many arguments there are.
  if (/^[$?#!]$/.test(name)) return ['0']
  if (/^(?:[1-9]\d*|[@*])$/.test(name)) return argumentsAs(name, where)
  if (!/^[A-Za-z_]\w*(?:\[\d+\])?$/.test(name)) return null
  const set = where.known.values.get(arrayOf(name)) ?? []
  if (set.length === 0) return name === 'IFS' ? [' '] : name === 'PWD' ? placeHere(where) : null
  const inner = deeper(name, where)
  const texts = new Set<string>()
  for (const { text, word } of set) {
    const values = text === null ? (word && inner ? valueOf(word, inner) : null) : [text]
    if (values === null) return null
    for (const value of values) texts.add(value)
    if (texts.size > readingsMax) return null
  }
  return [...texts]
}

/** Where the shell is, as a word that is relative to it: what a variable has kept of it may have been another place. */
const placeHere = ({ known, depth = 0 }: Where): readonly string[] | null =>
  depth > 0 && [...known.places.values()].some(isOutside) ? null : ['.']

/** A value as one text; of an array, its elements one behind the other. */
function valueOf(word: Word, where: Where): readonly string[] | null {
  if (word.elements === undefined) return textsOf(word, where)
  const readings = readingsOf(word.elements, where)
  return readings.flat().every(isSaid) ? readings.map(joined) : null
}

const isSaid = (word: Word): boolean => isPlain(word) || (word.globs && !isOpen(word))

const joined = (words: readonly Word[]): string => words.map(({ text }) => text).join(' ')

function argumentsAs(name: string, where: Where): readonly string[] | null {
  const calls = callsOf(where)
  if (calls === null) return null
  const at = Number(name)
  const given = calls.map((words) => (Number.isNaN(at) ? words : words.slice(at - 1, at)))
  return given.flat().every((word) => isPlain(word)) ? [...new Set(given.map(joined))] : null
}

/** The text that a script prints, without the line ends at the end; null if it prints anything that it does not say itself. */
function printedBy(script: ShellScript, where: Where): readonly string[] | null {
  // Of no command at all, nothing was read.
  const text = script.length === 0 ? null : printedText(script, where)
  return text === null ? null : [text.replace(/\n+$/, '')]
}

/** The text that commands print, one after the other; null if they print what is not known. */
function printedText(script: ShellScript, where: Where): string | null {
  const { depth = 0 } = where
  if (depth > depthMax) return null
  const inner = { ...where, depth: depth + 1 }
  const names = script.map(({ words }) => words[0]?.text ?? '')
  if (names.includes('pwd') && names.some((name) => /^(?:cd|pushd|popd)$/.test(name))) return null
  let all = ''
  for (const command of script) {
    const text = printed(command, inner)
    if (text === null) return null
    all += text
    if (all.length > charsMax) return null
  }
  return all
}

/** Parts of the grammar, and programs, that print nothing. */
const silent = /^(?:\[\[|\(\(|case|:|true|false|cd|set|\[|test)$/

function printed(command: Command, where: Where): string | null {
  if (command.isLoopHead) return null
  if (command.words.length === 0) return ''
  const [words = [], more] = readingsOf(command.words, where)
  if (more !== undefined || !words.every((word) => isPlain(word) || word.text === '[')) return null
  const [name = '', ...given] = words.map(({ text }) => text)
  switch (name) {
    case 'echo':
      return echoed(given)
    case 'printf':
      return formatted(given)
    case 'cat':
      return given.every((each) => each === '-') ? inputText(command, where) : null
    case 'tee':
      return inputText(command, where)
    case 'which':
      return given.length === 1 ? foundAs(given[0]) : null
    case 'command':
      return given.length === 2 && given[0] === '-v' ? foundAs(given[1]) : null
    case 'type':
      return given.length === 2 && /^-[pP]$/.test(given[0] ?? '') ? foundAs(given[1]) : null
    case 'pwd':
      // It stands within one value at least.
      return placeHere({ ...where, depth: (where.depth ?? 0) - 1 })?.join('') ?? null
    default:
      return silent.test(name) ? '' : null
  }
}

/** Where a program is found. */
const foundAs = (name = ''): string => `/usr/bin/${name.replace(/^.*\//, '')}\n`

/** The input of a command, where the script itself says it: from a here-document, or from the text that it prints into a pipe. */
export function inputText(command: Command, where: Where): string | null {
  const { from = [], redirects } = command
  const texts = redirects.flatMap(({ op, target, body }) => {
    if (op === '<<' || op === '<<-') return [body?.word ?? null]
    if (op === '<<<') return [target]
    return op === '<' ? [target] : []
  })
  const [text, ...others] = texts
  if (text === null || others.length > 0) return null
  if (text === undefined) return fromPipe(from, where)
  const file = redirects.some(({ op }) => op === '<') ? fileText(text, where) : undefined
  if (file !== undefined) return file
  const [only, more] = textsOf(text, where) ?? []
  return only === undefined || more !== undefined ? null : `${only}\n`
}

function fromPipe(from: readonly Command[], where: Where): string | null {
  const { depth = 0 } = where
  const speaking = from.filter((each) => each.words.length > 0)
  const [around] = from
  if (speaking.length > 0) return printedText(speaking, where)
  if (around === undefined || from.length > 1 || depth > depthMax) return null
  return inputText(around, { ...where, depth: depth + 1 })
}

/** The text of the file that a `<(…)` is; null where it is not known. */
export function fileText(word: Word, where: Where): string | null {
  const [script] = word.substitutions
  return alone.exec(word.exact)?.[1] === '<()' && script ? printedText(script, where) : null
}

function echoed(given: readonly string[]): string {
  const end = given.findIndex((text) => !/^-[neE]+$/.test(text))
  const options = given.slice(0, end < 0 ? given.length : end).join('')
  const text = given.slice(end < 0 ? given.length : end).join(' ')
  return `${options.includes('e') ? unescaped(text) : text}${options.includes('n') ? '' : '\n'}`
}

/** Of all that a format can say, texts; a number is taken as it is written. */
export function formatted([format, ...given]: readonly string[]): string | null {
  if (format === undefined || /^-./.test(format)) return null
  let rest = given
  let all = ''
  do {
    let used = 0
    all += unescaped(format).replaceAll(/%(?:%|[-+ 0#]*\d*(?:\.\d+)?[a-zA-Z])/g, (sign) => {
      if (sign === '%%') return '%'
      used += 1
      return rest[used - 1] ?? ''
    })
    rest = used === 0 ? [] : rest.slice(used)
  } while (rest.length > 0 && all.length < charsMax)
  return all
}

const signs: Readonly<Record<string, string>> = { n: '\n', t: '\t', '\\': '\\', '"': '"' }

const unescaped = (text: string): string =>
  text.replaceAll(
    /\\(?:x([0-9A-Fa-f]{1,2})|0?([0-7]{1,3})|(.))/g,
    (whole, ...groups: readonly (string | undefined)[]) => {
      const [hex, octal, letter = ''] = groups
      if (hex !== undefined) return String.fromCodePoint(parseInt(hex, 16))
      if (octal !== undefined) return String.fromCodePoint(parseInt(octal, 8) % 256)
      return signs[letter] ?? whole
    },
  )
