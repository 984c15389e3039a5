/** Which programs a passport allows. */
import type { Executable } from './doings.ts'
import { isPlain } from '../../shell/script.ts'

/**
 * The first program that no entry allows; null if all are allowed. An entry is a program and, if it has more words, the
 * arguments it must begin with: "git" allows every git, "git status" only that. A last word `*` stands for any more.
 * Names are compared as written: "git" allows neither "./git" nor "/tmp/git". `*` alone allows every program.
 */
export function notAllowed(
  executables: readonly Executable[],
  entries: readonly string[],
): Executable | null {
  if (entries.includes('*')) return null
  const wanted = wordsOf(entries)
  return executables.find((each) => each.listed && !isAllowed(each, wanted)) ?? null
}

const wordsOf = (entries: readonly string[]): readonly (readonly string[])[] =>
  entries
    .map((entry) => entry.split(/\s+/).filter((word) => word !== ''))
    .map((words) => (words.length > 1 && words.at(-1) === '*' ? words.slice(0, -1) : words))
    .filter((words) => words.length > 0)

/** Does an entry that allows the program say its word at this place, too? */
export const allowsWord = (
  executable: Executable,
  at: number,
  entries: readonly string[],
): boolean => wordsOf(entries).some((words) => words.length > at && begins(executable, words))

function isAllowed(executable: Executable, wanted: readonly (readonly string[])[]): boolean {
  if (wanted.some((words) => begins(executable, words))) return true
  // An entry like "sudo apt" names the inner program, too.
  const { outer } = executable
  return (
    outer !== null &&
    wanted.some((words) => words.length > outer.at && begins(outer.executable, words))
  )
}

const begins = ({ words }: Executable, wanted: readonly string[]): boolean =>
  wanted.every((text, at) => {
    const word = words[at]
    const isBracket = at === 0 && text === '['
    return word !== undefined && (isPlain(word) || isBracket) && word.text === text
  })
