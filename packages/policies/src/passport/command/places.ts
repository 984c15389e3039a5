/**
 * Which paths a word of a shell text may stand for. Variables stand for the values the text gives them, or for nothing:
 * a variable that was never set is empty. What comes out of a program at run time stands for any path.
 */
import type { Doings, Executable, Variables } from './doings.ts'
import { expansionEnd, expansionStart, isPlain, type Word } from '../../shell/script.ts'

const candidatesMax = 64

/** Every text a word may stand for; null for one that nobody can tell. Wildcards stay in them. */
export function textsOfWord(word: Word, variables: Variables): readonly string[] | null {
  const [literal = '', ...rest] = word.exact.split(expansionStart)
  let texts: readonly string[] = [literal]
  for (const piece of rest) {
    const end = piece.indexOf(expansionEnd)
    const values = valuesOf(piece.slice(0, end), variables)
    if (values === null) return null
    const tail = piece.slice(end + 1)
    texts = values.flatMap((value) => texts.map((text) => text + value + tail))
    if (texts.length > candidatesMax) return null
  }
  if (!word.braces) return texts
  const expanded = texts.map(withoutBraces)
  const all = expanded.flatMap((each) => each ?? [])
  return expanded.includes(null) || all.length > candidatesMax ? null : all
}

function valuesOf(name: string, variables: Variables): readonly string[] | null {
  // Numbers: the process, the last status, how many arguments there are.
  if (/^[$?#!]$/.test(name)) return ['0']
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return null
  const set = variables.filter((each) => each.name === name)
  // Not set here: the environment's, which calls cannot choose, or empty.
  if (set.length === 0) return name === 'HOME' ? ['/home/~'] : ['', '/environment']
  const texts = set.flatMap(({ text }) => text ?? [])
  return texts.length < set.length ? null : [...new Set(texts)]
}

/** `a{b,c}` as `ab` and `ac`; a range becomes a wildcard. Null for braces within braces. */
export function withoutBraces(text: string): readonly string[] | null {
  let texts: readonly string[] = [text]
  for (let round = 0; round < 8; round += 1) {
    const match = /\{([^{}]*)\}/.exec(texts[0] ?? '')
    if (!match) return texts
    const inner = match[1] ?? ''
    if (inner === '') return texts
    const parts = inner.includes(',') ? inner.split(',') : /\.\./.test(inner) ? ['*'] : [inner]
    texts = texts.flatMap((each) => {
      const at = each.indexOf(match[0])
      return parts.map((part) => each.slice(0, at) + part + each.slice(at + match[0].length))
    })
    if (texts.length > candidatesMax) return null
  }
  return null
}

/** Directories that relative paths may be relative to; null where the text changes to one that nobody can tell. */
export function basesOf(
  { executables, variables }: Doings,
  given: readonly string[],
): readonly string[] | null {
  let bases: readonly string[] = ['', ...given]
  for (const executable of executables) {
    for (const word of changesOf(executable)) {
      const texts = word === null ? null : textsOfWord(word, variables)
      if (texts === null) return null
      bases = [
        ...new Set([...bases, ...texts.flatMap((text) => bases.map((base) => joined(base, text)))]),
      ]
      if (bases.length > candidatesMax) return null
    }
  }
  return bases
}

/** Where a program changes to; null for what nobody can tell, e.g. `cd` and `cd -`. */
export function changesOf({ name, words }: Executable): readonly (Word | null)[] {
  if (name !== 'cd' && name !== 'pushd') {
    const option =
      name === 'env' || name === 'git' || name === 'make' || name === 'tar' ? '-C' : null
    return words.flatMap((word, at) => (word.text === option ? [words[at + 1] ?? null] : []))
  }
  const operand = words.slice(1).find(({ text }) => !/^-[LPe@]+$|^--$/.test(text))
  if (operand === undefined) return [null]
  return [operand.text === '-' && isPlain(operand) ? null : operand]
}

const joined = (base: string, path: string): string =>
  path.startsWith('/') || path.startsWith('~') || base === '' ? path : `${base}/${path}`

/** A path in one spelling: absolute, or relative to where the run works. `..` above that is dropped. */
export function spelledPath(base: string, path: string): string {
  const text = joined(base, path).replace(/^~[^/]*/, '/home/~')
  const names: string[] = []
  for (const name of text.split('/')) {
    if (name === '..') names.pop()
    else if (name !== '' && name !== '.') names.push(name)
  }
  return (text.startsWith('/') ? '/' : '') + names.join('/')
}
