/**
 * Names that come at run time, from `find` or from what feeds `xargs`: which files they may be. What lists names below a folder
 * brings names below it; what prints any text brings any name.
 */
import { matchesWildcard } from '../wildcard.ts'
import type { Doings, Executable } from './doings.ts'
import { replacedBy } from './executables.ts'
import { expansionStart, type Word } from '../../shell/script.ts'

/** In the folder of git, it obeys these, whatever the others hold. */
const obeyedByGit = [
  'attributes',
  'commit-msg',
  'config',
  'config.worktree',
  'fsmonitor-watchman',
  'post-checkout',
  'post-commit',
  'post-merge',
  'post-rewrite',
  'pre-commit',
  'pre-merge-commit',
  'pre-push',
  'pre-rebase',
  'prepare-commit-msg',
  'reference-transaction',
  'sendemail-validate',
]

/** The program that brings names: the nearest `find` or `xargs` around. */
function bringerOf({ outer }: Executable): Executable | null {
  const around = outer?.executable ?? null
  return around === null || around.name === 'find' || around.name === 'xargs'
    ? around
    : bringerOf(around)
}

/** Do names come behind the words of the program, as xargs puts them there without `-I`? */
export function endsInNames(executable: Executable): boolean {
  const bringer = executable.hasMore ? bringerOf(executable) : null
  return bringer?.name === 'xargs' && replacedBy(ownWords(bringer, executable)) === null
}

/** The word for a name that comes. */
export const broughtName: Word = {
  text: '{}',
  exact: '{}',
  quoted: true,
  expands: true,
  splits: false,
  globs: false,
  braces: false,
  substitutions: [],
}

/** Is a name put into the word at run time? Such a word expands, and holds no expansion of the shell. */
export const isBrought = ({ expands, exact }: Word): boolean =>
  expands && !exact.includes(expansionStart)

/** Does the program run in a folder that nobody can tell, as `-execdir` runs it in that of each file? */
export function isInAnyFolder(executable: Executable): boolean {
  const { outer } = executable
  if (outer === null) return false
  const before = outer.executable.words[outer.at - 1]?.text ?? ''
  return /^-(?:exec|ok)dir$/.test(before) || isInAnyFolder(outer.executable)
}

/** The texts a word with such a name may come to; null if it may be any. */
export function broughtTexts(
  executable: Executable,
  word: Word,
  doings: Doings,
): readonly string[] | null {
  const bringer = bringerOf(executable)
  if (bringer === null || executable.anyMore) return null
  const mark = bringer.name === 'find' ? '{}' : (replacedBy(ownWords(bringer, executable)) ?? '{}')
  const names =
    bringer.name === 'find'
      ? foundNames(bringer.words)
      : doings.executables.filter(({ command }) => command.feeds).map(listedNames)
  const flat = names.includes(null) ? null : names.flatMap((each) => each ?? [])
  return flat?.map((name) => word.text.replaceAll(mark, () => name)) ?? null
}

const ownWords = (bringer: Executable, inner: Executable): readonly Word[] =>
  bringer.words.slice(1, inner.outer?.executable === bringer ? inner.outer.at : undefined)

/** Names that a feeder of xargs prints; null where one may be that of any file. A filter behind a feeder only leaves some out. */
function listedNames({ name, words, command }: Executable): readonly string[] | null {
  if (command.fed) return []
  if (name === 'find') {
    const found = foundNames(words)
    return found.includes(null) ? null : found.flatMap((each) => each ?? [])
  }
  const isSearch = /^(?:[ef]?grep|rg)$/.test(name)
  if (!isSearch && name !== 'git') return null
  const operands = words.slice(1).filter(({ text }) => !text.startsWith('-'))
  const end = words.findIndex(({ text }) => text === '--')
  const isRest = isSearch || operands[0]?.text === 'ls-files'
  const places = isRest ? operands.slice(1) : end < 0 ? [] : words.slice(end + 1)
  const texts = places.map(({ text }) => text)
  return texts.length === 0 || texts.some(isBroad) ? null : texts
}

/** Places that hold whole repositories, or that nobody can tell. */
const isBroad = (place: string): boolean =>
  /^(?:\.?\/?|[/~$].*|\.\..*|.*\/\.\.(?:\/.*)?|\.\/[.*].*)$/.test(place)

/** Of each place where `find` begins, names below it; null where one of them may be git's. */
function foundNames(words: readonly Word[]): readonly (readonly string[] | null)[] {
  const first = words.findIndex(({ text }, at) => at > 0 && /^[-(!]/.test(text))
  const starts = words.slice(1, first < 0 ? undefined : first).map(({ text }) => text)
  const isPlain = !words.some(({ text }) => /^(?:-o|-or|-not|!|,)$/.test(text))
  const named = isPlain
    ? words.flatMap((_, at) =>
        /^-i?name$/.test(words[at - 1]?.text ?? '') ? [words[at]?.text.toLowerCase() ?? ''] : [],
      )
    : []
  return (starts.length === 0 ? ['.'] : starts).map((start) => {
    const mayBeGit =
      named.length === 0 ||
      named.some((name) => obeyedByGit.some((it) => matchesWildcard(name, it)))
    if (isBroad(start) && mayBeGit) return null
    return named.length === 0 ? [start] : named.map((name) => `${start}/${name}`)
  })
}
