/**
 * Names of variables that builtins set.
 *
 * N1 A name that is not plain, or that stands behind an option that is not known, is no name that can be judged: null.
 */
import { beginsUnseen, isPlain, type Word } from '../../shell/script.ts'

const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/
const declares = new Set(['export', 'declare', 'typeset', 'local', 'readonly', 'let'])

/** Does the builtin set variables that it is given as `NAME=value`? */
export const isDeclaration = (name: string): boolean => declares.has(name)

const named = (words: readonly (Word | undefined)[]): readonly string[] | null => {
  const names = words.flatMap((word) =>
    word !== undefined && isPlain(word) && identifier.test(word.text) ? [word.text] : [],
  )
  return names.length < words.length ? null : names
}

/** The variables that a builtin sets to what nobody sees here; null if it cannot be told which. */
export function namesSetBy(name: string, words: readonly Word[]): readonly string[] | null {
  if (name === 'read') return namesOfRead(words)
  if (name === 'getopts') return words[1] && isPlain(words[1]) ? named([words[2]]) : null
  if (name === 'printf') return namesOfPrintf(words)
  if (name === 'wait') return words.some(({ text }) => /^-[a-z]*p/.test(text)) ? null : []
  if (name === 'set') return words.slice(1).some(couldBeOption) ? null : []
  if (name === 'unset') return named(words.slice(1).filter(({ text }) => !/^-[fv]$/.test(text)))
  // `-n` makes a second name for a variable. An option that is not plain could be that.
  if (isDeclaration(name)) return words.some(isHiddenDeclaration) ? null : []
  return []
}

/** `set -a` exports what is set behind it. */
const couldBeOption = (word: Word, at: number, words: readonly Word[]): boolean =>
  !isPlain(word) && (at === 0 || /^[-+]/.test(word.text)) && words[0]?.text !== '--'

const isHiddenDeclaration = (word: Word): boolean =>
  word.text.startsWith('-') && (!isPlain(word) || /^-[a-zA-Z]*n/.test(word.text))

function namesOfRead(words: readonly Word[]): readonly string[] | null {
  const names: string[] = []
  let at = 1
  for (; at < words.length; at += 1) {
    const word = words[at]
    if (word === undefined || !isPlain(word)) return null
    if (word.text === '--') {
      at += 1
      break
    }
    if (!word.text.startsWith('-')) break
    const [, letter, value] = /^-[ers]*([adinNptu]?)(.*)$/s.exec(word.text) ?? []
    if (letter === undefined || (letter === '' && value !== '')) return null
    if (letter === '') continue
    if (letter === 'a' && value !== '') names.push(value ?? '')
    if (letter === 'a' && value === '') names.push(words[at + 1]?.text ?? '')
    if (value === '') at += 1
    const next = words[at]
    if (next === undefined || !isPlain(next)) return null
  }
  const rest = words.slice(at)
  const operands = named(rest)
  if (operands === null || !names.every((each) => identifier.test(each))) return null
  return rest.length + names.length === 0 ? ['REPLY'] : [...names, ...operands]
}

const beginsPlain = (word: Word): boolean => !beginsUnseen(word) && !/^[*?[{-]/.test(word.exact)

/** `printf -v NAME`: its first word could be that option if it is not plain. */
function namesOfPrintf(words: readonly Word[]): readonly string[] | null {
  const [, first, second] = words
  if (first === undefined) return []
  const isOption = first.text.startsWith('-v')
  if (!isOption && (isPlain(first) || words.length === 2 || beginsPlain(first))) return []
  if (!isPlain(first)) return null
  return first.text === '-v' ? named([second]) : isOption ? null : []
}
