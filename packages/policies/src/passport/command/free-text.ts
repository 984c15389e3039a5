/**
 * Could what a pipe or a `$(…)` gives be any text? What lists files or names of git cannot be chosen freely; what prints a
 * text or a file can, and as an option of another program it is one that nobody sees here.
 */
import type { Command, Script } from './script.ts'

const plainNames = new Set([
  'date',
  'hostname',
  'id',
  'nproc',
  'pwd',
  'uname',
  'wc',
  'whoami',
  'ls',
])
const gitNames =
  /^(?:branch|describe|diff|ls-files|ls-tree|merge-base|rev-list|rev-parse|status|symbolic-ref|tag)$/
const filters = new Set(['cut', 'grep', 'egrep', 'head', 'rg', 'sort', 'tail', 'uniq'])

const textOf = ({ words }: Command, at: number): string => words[at]?.text ?? ''

function listsNames(command: Command): boolean {
  const name = textOf(command, 0)
  if (plainNames.has(name)) return true
  if (name === 'find') return !command.words.some(({ text }) => text === '-printf')
  if (name === 'git') return gitNames.test(textOf(command, 1))
  const isSearch = /^(?:[ef]?grep|rg)$/.test(name)
  return isSearch && command.words.some(({ text }) => /^-[a-zA-Z]*l|^--files/.test(text))
}

/** The commands whose output reaches the one at a place of the script, from the first on. */
export function feedersOf(script: Script, at: number): Script {
  let first = at
  while (script[first]?.fed === true && script[first - 1]?.feeds === true) first -= 1
  return script.slice(first, at)
}

/** Could these commands, one feeding the next, give any text? Nothing that feeds is a text of somebody else. */
export const givesAnyText = (script: Script): boolean => {
  const [first, ...more] = script
  if (first === undefined) return true
  const isKnown = (each: Command, n: number): boolean =>
    n === 0 || each.fed ? n === 0 || filters.has(textOf(each, 0)) : listsNames(each)
  return !listsNames(first) || !more.every((each, n) => isKnown(each, n + 1))
}
