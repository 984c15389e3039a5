/** Words of a command that name well-known files of secrets. Files that a program reads of its own accord are not seen. */
import { guardedPattern } from '../files/sensitive.ts'
import { type PolicyReason, reason, quoted } from '@signalbox/core'
import { textsUnder, type LimitedCall } from '../limit-check.ts'
import { matchesWildcard } from '../wildcard.ts'
import { directoryNames } from './environment.ts'
import type { Doings, Executable } from './doings.ts'
import { basesOf, spelledPath, textsOfWord } from './places.ts'
import { isInterpreter } from './interpreters.ts'
import { filesIn, filesOfSed, type NamedFile, textsOfProgram, wordsOfText } from './named-files.ts'
import type { Command, Word } from '../../shell/script.ts'
import { abbreviates } from './option-tables.ts'
import { withoutInner } from './wrappers.ts'

/** Print their words, or look at names and not at what is in the files. */
const harmless = new Set([
  '[',
  'basename',
  'cd',
  'chgrp',
  'chmod',
  'chown',
  'dirname',
  'echo',
  'ls',
  'mkdir',
  'printf',
  'rm',
  'rmdir',
  'stat',
  'test',
  'touch',
])
/** Of git, what reads names only. */
const namesOnly = new Set(['check-ignore', 'ls-files', 'rm', 'status'])
const searching = new Set(['ag', 'egrep', 'fgrep', 'grep', 'rg'])
const samples = /^\.env\.(?:dist|example|sample|schema|template)$/
/** Words of prose match these; only a file tool, whose words are paths, is judged by them. */
const prose = new Set(['*credentials*', '*password*', 'secrets.*', '*_history', '*.env', '*.key'])
const examples = [
  '.env',
  '.ssh',
  '.aws',
  '.netrc',
  '.npmrc',
  '.pgpass',
  '.git-credentials',
  'id_rsa',
  'id_ed25519',
]

/** Refuses a command that would read them. */
export function checkSecrets(call: LimitedCall, doings: Doings): PolicyReason | null {
  const readsNames = doings.executables.some(({ name }) => name === 'xargs' || name === 'read')
  const read = doings.redirects.flatMap(({ op, target }): readonly NamedFile[] =>
    op === '<' || op === '<>'
      ? [{ word: target, sure: true }]
      : op === '<<<' && readsNames
        ? wordsOfText(target)
        : [],
  )
  const printed = printedWithin(doings)
  const isPrinted = ({ command, name, words }: Executable): boolean =>
    printed.has(command) ||
    (readsNames && command.feeds) ||
    (name === 'printf' && words[1]?.text.startsWith('-v') === true)
  const named = [...read, ...doings.executables.flatMap((each) => readBy(each, isPrinted(each)))]
  if (named.length === 0) return null
  const bases = basesOf(doings, textsUnder(call.request.args, directoryNames) ?? []) ?? ['']
  for (const { word, sure } of named)
    for (const text of textsOfWord(word, doings.variables) ?? [])
      for (const base of bases) {
        if (/\s/.test(text)) continue
        const found = secretIn(spelledPath(base, text))
        if (found !== null && (sure || text.includes('/') || !prose.has(found)))
          return reason(
            'oap.blocked_pattern',
            `${quoted(text)} may hold secrets (${found}): no passport reads it.`,
          )
      }
  return null
}

/** Commands whose output becomes words of another one, or the value of a variable. */
function printedWithin({ executables, redirects, variables }: Doings): ReadonlySet<Command> {
  const scripts = [
    ...executables.flatMap(({ words }) => words),
    ...redirects.map(({ target }) => target),
    ...variables.flatMap(({ word }) => word ?? []),
  ].flatMap(({ substitutions }) => substitutions)
  return new Set(scripts.flat())
}

function readBy(executable: Executable, isPrinted: boolean): readonly NamedFile[] {
  const { name } = executable
  if (isPrinted && harmless.has(name)) return executable.words.slice(1).flatMap(wordsOfText)
  if (harmless.has(name)) return []
  const words = withoutInner(name, executable.words)
  if (name === 'git' && namesOnly.has(words[1]?.text ?? '')) return []
  const all = /^(?:cp|install|mv)$/.test(name) && !words.some(({ text }) => /^-t|^--ta/.test(text))
  // The last operand of a copy is written, and what is in it is not read.
  const rest = all ? words.slice(1, -1) : words.slice(1)
  const told = searching.has(name) ? withoutPatterns(name, rest) : rest
  return [
    ...told
      .filter((_, at) => !/^--(?:exclude|ignore)[a-z-]*$/.test(told[at - 1]?.text ?? ''))
      .flatMap((word) => filesIn(word, name)),
    ...(/^g?sed$/.test(name) ? rest.flatMap(filesOfSed) : []),
    ...(name.endsWith('awk') || isInterpreter(name) ? rest.flatMap(textsOfProgram) : []),
  ]
}

/** Letters of the programs that search whose value follows, besides those of a pattern and of a file of patterns. */
const searchValues = new Map([['rg', 'ABCEgMmrtTdj']])

/** The words without what is looked for: values of `-e`, or the first operand. */
function withoutPatterns(name: string, words: readonly Word[]): readonly Word[] {
  const valued = searchValues.get(name) ?? 'ABCDdm'
  const kept: Word[] = []
  let isGiven = false
  let isNext = false
  for (const word of words) {
    if (isNext) {
      isNext = false
      continue
    }
    const { text } = word
    const letters = new RegExp(`^-[^-${valued}ef]*([ef])`).exec(text)
    const isPattern = letters?.[1] === 'e' || abbreviates(text, ['regexp'])
    if (letters !== null || isPattern || abbreviates(text, ['file'])) isGiven = true
    if (!isPattern) kept.push(word)
    else isNext = letters === null ? !text.includes('=') : letters[0].length === text.length
  }
  if (isGiven) return kept
  const first = kept.findIndex(
    ({ text }, at) => !/^-./.test(text) && !isValued(kept[at - 1]?.text ?? ''),
  )
  return kept.filter((_, at) => at !== first)

  function isValued(before: string): boolean {
    return new RegExp(`^-[a-zA-Z]?[${valued}]$`).test(before)
  }
}

function secretIn(place: string): string | null {
  const names = place.split('/')
  if (samples.test(names.at(-1) ?? '')) return null
  // A history is a hidden file; a key has more of a path than its ending.
  if (names.some((name) => /^\.[a-z]+_history$/.test(name))) return '*_history'
  const wild = names.find((name) => name.startsWith('.') && /[*?[]/.test(name))
  const hit = examples.find((each) =>
    names.some(
      (name) =>
        /[*?[]/.test(name) &&
        (!each.startsWith('.') || name.startsWith('.')) &&
        name.replaceAll(/[*?]/g, '') !== '' &&
        matchesWildcard(name.replaceAll(/\[[^[\]]*\]/g, '?'), each),
    ),
  )
  if (hit !== undefined || wild === '.*') return hit ?? '.*'
  const found = guardedPattern(place)
  if (found === null || !prose.has(found)) return found
  // In a hidden folder it is no prose.
  if (names.slice(0, -1).some((name) => /^\.\w/.test(name))) return found
  return found === '*.key' && place.length > 5 && !place.includes('*') ? found : null
}
