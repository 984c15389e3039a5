/** The findings that the audit refuses: dangers of programs, redirections and variables, and programs that are made of a download. */
import {
  type Danger,
  dangerInDd,
  dangerInRedirect,
  dangerInUse,
  dangerInVariable,
  dangerOfRemoval,
  dangerOfSecrets,
  dangerOfSocket,
  isProtected,
  isVital,
  startsOfFind,
  vitalRemoval,
} from '../passport/command/dangerous.ts'
import type { Executable } from '../passport/command/doings.ts'
import { isInterpreter } from '../passport/command/interpreters.ts'
import { canonicalPath } from '../passport/files/canonical-path.ts'
import { plainWord } from '../shell/grammar.ts'
import { after, isPlain, type Word } from '../shell/script.ts'
import type { Actions } from './actions.ts'
import { inputCommandsOf } from './input-commands.ts'
import { forkBombsIn } from './fork-bombs.ts'
import type { OriginTable } from './origins.ts'
import { ranKinds } from './other-languages.ts'
import { otherDangerIn } from './other-dangers.ts'
import type { BashFinding } from './rules.ts'

/** Everything that is to be refused, in the order in which it was found. */
export function refusalsIn(actions: Actions, origins: OriginTable): readonly BashFinding[] {
  const dangers = [
    ...actions.variables.map(({ name }) => dangerInVariable(name)),
    // A here-document is a text, whatever stands in it.
    ...actions.redirects.map((each) => (each.op.startsWith('<<') ? null : dangerInRedirect(each))),
    ...actions.executables.flatMap(dangersOf),
    ...actions.moved.flatMap((each) => [dangerInUse(each), ...secretsIn(each)]),
    ...actions.foreign.flatMap(dangersOfText),
  ]
  return [
    ...forkBombsIn(actions),
    // Its words may be those of the script: `mkfs.<anything>`.
    ...dangers.flatMap((each) => (each === null ? [] : [{ rule: each.rule, what: '' }])),
    ...actions.executables.flatMap((each) => otherwise(otherDangerIn(each, null))),
    ...actions.moved.flatMap(({ name, own, place }) =>
      otherwise(otherDangerIn({ name, words: own }, place)),
    ),
    ...programsIn(actions, origins),
  ]
}

const otherwise = (rule: BashFinding['rule'] | null): readonly BashFinding[] =>
  rule === null ? [] : [{ rule, what: '' }]

function dangersOf(executable: Executable): readonly (Danger | null)[] {
  const { name, words } = executable
  const dd = name === 'dd' && !copiesPlainFiles(words) ? dangerInDd(executable) : null
  return [dd, dangerInUse(executable), dangerOfFound(executable), ...secretsIn(executable)]
}

function secretsIn({
  name,
  words,
}: Pick<Executable, 'name' | 'words'>): readonly (Danger | null)[] {
  if (isInterpreter(name) || printing.has(name)) return []
  // The first operand of these is a pattern or a program.
  const isSought = /^(?:[a-z]*grep|rg|sed|[a-z]*awk)$/.test(name)
  const pattern = isSought ? words.find(({ text }, at) => at > 0 && !text.startsWith('-')) : null
  return words
    .slice(1)
    .flatMap((word) => (word === pattern || /\s/.test(word.text) ? [] : dangerOfSecrets(word, 2)))
}

const vitalMode: Danger = { rule: 'vital_mode', what: '' }
const removing = new Set(['rm', 'unlink', 'shred', 'truncate'])

/** Each file below a place, one by one, is all of it. */
function dangerOfFound({ name, outer, command, hasMore }: Executable): Danger | null {
  const isMode = /^(?:chmod|chown|chgrp)$/.test(name)
  if (!(isMode || removing.has(name)) || !hasMore) return null
  const found =
    outer?.executable.name === 'find'
      ? [outer.executable.words]
      : inputCommandsOf(command, 4)
          .map(({ words }) => words)
          .filter((words) => words[0]?.text === 'find')
  const danger = isMode ? vitalMode : vitalRemoval
  return found.some((words) => startsOfFind(words).some(isVital)) ? danger : null
}

/** Print their words, or compare them. */
const printing = new Set(['echo', 'printf', ':', 'true', 'test', '[', 'export', 'declare', 'local'])

/** A program in another language is judged by what stands in it: it cannot be read. */
const dangersOfText = (text: string): readonly (Danger | null)[] => [
  dangerOfSocket(text),
  dangerOfRemoval(text),
  dangerOfSecrets(plainWord(text), 2),
]

const sources = new Set(['/dev/zero', '/dev/urandom', '/dev/random', '/dev/null'])

/** Does dd read and write plain files of the workspace? It may read what gives zeros or chance. */
const copiesPlainFiles = (words: readonly Word[]): boolean =>
  words.slice(1).every((word) => {
    if (word.text.startsWith('if='))
      return sources.has(word.text.slice(3)) || isPlainFile(after(word, 3))
    return !word.text.startsWith('of=') || isPlainFile(after(word, 3))
  })

function isPlainFile(word: Word): boolean {
  const read = canonicalPath(word.text, null)
  if (!isPlain(word) || !read.ok || isProtected(word)) return false
  return !read.path.startsWith('/') || /^\/(?:workspace|tmp)\//.test(read.path)
}

function programsIn({ programs, foreign }: Actions, origins: OriginTable): readonly BashFinding[] {
  const found = [...programs.map((each) => origins.originsOf(each)), ...foreign.map(ranKinds)]
  return found.flatMap((kinds): readonly BashFinding[] => [
    ...(kinds.has('download') ? [{ rule: 'downloaded_program', what: '' } as const] : []),
    ...(kinds.has('decoded') ? [{ rule: 'decoded_program', what: '' } as const] : []),
  ])
}
