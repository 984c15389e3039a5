/**
 * Every program a shell text would run, wherever it stands.
 *
 * X1 A program that runs another one is looked through (`env`, `xargs`, `find -exec`, `sh -c`); where it cannot be told what
 *    would run, the text is refused.
 * X2 A program's name must be plain: an expansion, a wildcard or a brace in it is refused.
 */
import type { PassportEdition } from '@signalbox/core'
import {
  type Doings,
  type DoingsReading,
  type Executable,
  unseenVariable,
  variableOf,
} from './doings.ts'
import { couldGiveOption, feedersOf, splitsInput } from './free-text.ts'
import { isInterpreter, isShell, readsAValue, shellTaskOf } from './interpreters.ts'
import { parseScript } from '../../shell/parse-script.ts'
import { readsItsInput } from './program-input.ts'
import {
  beginsUnseen,
  headOf,
  isPlain,
  type Command,
  type ShellScript,
  type Word,
} from '../../shell/script.ts'
import { isDeclaration, namesSetBy } from './variable-names.ts'
import { unwrap } from './wrappers.ts'

const nestingMax = 8

interface Reader extends Doings {
  readonly edition: PassportEdition
  problem: string | null
  reads: boolean
}

/** Reads a text. */
export function readDoings(text: string, edition: PassportEdition): DoingsReading {
  const reader: Reader = {
    edition,
    executables: [],
    redirects: [],
    variables: [],
    problem: null,
    reads: false,
  }
  readText(reader, text, 0)
  const { problem, reads, edition: _, ...doings } = reader
  return problem === null ? { ok: true, doings } : { ok: false, problem, reads }
}

function readText(reader: Reader, text: string, nesting: number): void {
  if (nesting > nestingMax) return refuse(reader, 'it is nested too deep')
  const reading = parseScript(text, reader.edition)
  if (!reading.ok) return refuse(reader, reading.problem)
  readScript(reader, reading.script, nesting)
}

function refuse(reader: Reader, problem: string): void {
  reader.problem ??= problem
}

function readScript(reader: Reader, script: ShellScript, nesting: number): void {
  for (const [at, command] of script.entries()) {
    for (const { name, value, appends } of command.assignments) {
      const set = variableOf(name, value, command.words.length > 0)
      reader.variables.push(appends ? { ...set, text: null, word: null } : set)
      // The one place where a substitution's output cannot become a program or an option.
      for (const inner of value.substitutions) readScript(reader, inner, nesting + 1)
    }
    const words = [...command.words, ...command.redirects.map(({ target }) => target)]
    const inner = words.flatMap(({ substitutions }) => substitutions)
    if (reader.edition === 1 && inner.length > 0)
      refuse(reader, 'it has a substitution outside of an assignment')
    // As a value it is judged like that of an assignment; what would become a program is refused where it is read.
    for (const each of inner) readScript(reader, each, nesting + 1)
    reader.redirects.push(...command.redirects)
    if (command.isLoopHead) readLoopHead(reader, command)
    else if (command.words.length > 0)
      readProgram(
        reader,
        {
          words: command.words,
          command,
          outer: null,
          hasMore: false,
          anyMore: couldGiveOption(feedersOf(script, at), splitsInput(command)),
        },
        nesting,
      )
  }
}

function readLoopHead(reader: Reader, { words }: Command): void {
  const name = words[1]?.text ?? ''
  const values = words.slice(3).map((word) => ({ ...variableOf(name, word, false), value: null }))
  reader.variables.push(...(values.length > 0 ? values : [unseenVariable(name)]))
}

type Found = Pick<Executable, 'words' | 'command' | 'outer' | 'hasMore' | 'anyMore'>

function readProgram(reader: Reader, found: Found, nesting: number): void {
  const [program] = found.words
  if (program === undefined || nesting > nestingMax) return refuse(reader, 'it is nested too deep')
  const isBracket = reader.edition === 2 && program.text === '[' && !program.quoted
  if ((!isPlain(program) && !isBracket) || program.text === '')
    return refuse(reader, 'the name of a program is an expansion, a pattern or empty')
  const name = program.text.slice(program.text.lastIndexOf('/') + 1).toLowerCase()
  const unwrapped = unwrap(name, found.words)
  if (typeof unwrapped === 'string') return refuse(reader, unwrapped)
  const executable: Executable = { ...found, name, listed: unwrapped?.listed !== false }
  reader.executables.push(executable)
  if (unwrapped !== null) {
    for (const at of unwrapped.assigned) addVariable(reader, found.words[at], true)
    if (unwrapped.inner !== null) readInner(reader, { executable, at: unwrapped.inner }, nesting)
    return
  }
  if (isInterpreter(name)) return readInterpreter(reader, executable, nesting)
  if (name === 'find') return readFind(reader, executable, nesting)
  readBuiltin(reader, executable, nesting)
}

function readInner(
  reader: Reader,
  { executable, at }: { readonly executable: Executable; readonly at: number },
  nesting: number,
): void {
  const isXargs = executable.name === 'xargs'
  const mark = isXargs ? replacedBy(executable.words.slice(1, at)) : null
  const words = marked(executable.words.slice(at), mark)
  const hasMore = executable.hasMore || isXargs
  const { command, anyMore } = executable
  const outer = { executable, at }
  readProgram(reader, { words, command, outer, hasMore, anyMore }, nesting + 1)
}

/** The text in place of which xargs puts what it reads: that of its option -I. */
export function replacedBy(options: readonly Word[]): string | null {
  const at = options.findIndex(({ text }) => /^-[0rtxpo]*I/.test(text))
  const option = options[at]?.text
  if (option === undefined) return null
  const inline = option.slice(option.indexOf('I') + 1)
  return inline === '' ? (options[at + 1]?.text ?? '') : inline
}

/** Words in which something is put at run time are no longer what they say. */
const marked = (words: readonly Word[], mark: string | null): readonly Word[] =>
  mark === null
    ? words
    : words.map((word) => (word.text.includes(mark) ? { ...word, expands: true } : word))

function readInterpreter(reader: Reader, executable: Executable, nesting: number): void {
  const { words, name, command } = executable
  if (!isShell(name)) {
    if (reader.edition === 2 && readsAValue(words))
      return refuse(reader, `${name} would run a text that cannot be seen here`)
    if (!readsItsInput(executable, reader.edition)) return
    reader.reads ||= command.fed
    return refuse(reader, `${name} would read its program from its input`)
  }
  const task = shellTaskOf(name, words)
  // Words that xargs or find put behind the text are only its arguments, but those may be put into it, too.
  if (task.kind === 'text' && !executable.hasMore) return readText(reader, task.text, nesting + 1)
  if (task.kind === 'file' && !executable.hasMore) return
  reader.reads ||= command.fed
  refuse(
    reader,
    task.kind === 'hidden' ? task.why : 'a shell would run what xargs or find puts together',
  )
}

/** A wildcard that ends in letters matches no primary of find: these are whole words. */
const couldBePrimary = (word: Word): boolean =>
  !isPlain(word) &&
  (word.splits ||
    beginsUnseen(word) ||
    /^[{-]/.test(word.exact) ||
    (word.globs && /^[*?[]/.test(word.exact) && !/\.[a-z]{1,8}$/.test(word.exact)))

const findRuns = new Set(['-exec', '-execdir', '-ok', '-okdir'])

function readFind(reader: Reader, executable: Executable, nesting: number): void {
  const { words, command } = executable
  // Such a word could be `-exec` and what follows it.
  if (reader.edition === 2 && words.slice(1).some(couldBePrimary))
    return refuse(reader, '"find" has an expansion that could be an option')
  for (let at = 1; at < words.length; at += 1) {
    if (!findRuns.has(words[at]?.text ?? '')) continue
    const start = at + 1
    at = endOfRun(words, start)
    const inner = marked(words.slice(start, at), '{}')
    const outer = { executable, at: start }
    // Each name that find puts there begins with the folder it looks in.
    const found = { words: inner, command, outer, hasMore: true, anyMore: false }
    readProgram(reader, found, nesting + 1)
  }
}

/** Index of the word that ends what find runs: `;`, or `+` after `{}`. */
function endOfRun(words: readonly Word[], start: number): number {
  const end = words.findIndex(
    ({ text }, at) =>
      at >= start && (text === ';' || (text === '+' && words[at - 1]?.text === '{}')),
  )
  return end < 0 ? words.length : end
}

/** Run what they are given in a way that cannot be followed. */
const opaque = new Set([
  'eval',
  'source',
  '.',
  'alias',
  'enable',
  'bind',
  'fc',
  'complete',
  'compgen',
  'hash',
  'mapfile',
  'readarray',
  'watch',
  'parallel',
  'script',
  'flock',
  'unshare',
  'nsenter',
  'strace',
  'ltrace',
  'runuser',
  'pkexec',
  'systemd-run',
  'at',
  'batch',
  'expect',
  'setpriv',
  'start-stop-daemon',
])
/** Builtins that evaluate names of variables, and with them the subscripts of arrays: `test -v 'a[$(rm x)]'` runs rm. */
const evaluates = new Set(['test', '[', 'printf', 'read', 'unset', 'getopts', 'wait'])

const hidesArithmetic = (name: string, words: readonly Word[]): boolean =>
  words.some(({ text }) => /[`[]/.test(text) && /`|\$\(/.test(text)) ||
  (words.some((word) => !isPlain(word)) &&
    (name === 'let' || words.some(({ text }) => text === '-v' || /^-[a-zA-Z]*i/.test(text))))

function readBuiltin(reader: Reader, { words, name }: Executable, nesting: number): void {
  if (opaque.has(name)) return refuse(reader, `"${name}" runs what cannot be seen here`)
  if (name === 'su' && words.some(({ text }) => /^-[a-z]*c|^--(?:session-)?command/.test(text)))
    return refuse(reader, '"su" runs a text that cannot be seen here')
  if ((evaluates.has(name) || isDeclaration(name)) && hidesArithmetic(name, words))
    return refuse(reader, `"${name}" would evaluate a text that cannot be seen here`)
  if (name === 'trap') return readTrap(reader, words, nesting)
  const names = namesSetBy(name, words)
  if (names === null && reader.edition === 2)
    return refuse(reader, `"${name}" would set a variable whose name cannot be seen here`)
  if (isDeclaration(name)) {
    const isOwn = name === 'local' || name === 'readonly' || name === 'let'
    const exported = !isOwn || words.some(({ text }) => /^-[a-zA-Z]*x/.test(text))
    for (const word of words.slice(1)) addVariable(reader, word, exported)
  }
  const set = reader.edition === 2 ? (names ?? []) : namesOfFirstEdition(name, words)
  reader.variables.push(...set.map(unseenVariable))
}

const namesOfFirstEdition = (name: string, words: readonly Word[]): readonly string[] =>
  name === 'read' ||
  name === 'getopts' ||
  (name === 'printf' && words[1]?.text.startsWith('-v') === true)
    ? words.slice(1).flatMap(({ text }) => (/^[A-Za-z_][A-Za-z0-9_]*$/.test(text) ? [text] : []))
    : []

function readTrap(reader: Reader, words: readonly Word[], nesting: number): void {
  const handler = words.slice(1).find(({ text }) => text !== '--')
  if (handler === undefined || handler.text === '-' || handler.text === '') return
  if (!isPlain(handler)) return refuse(reader, 'a trap runs a text that cannot be seen here')
  readText(reader, handler.text, nesting + 1)
}

function addVariable(reader: Reader, word: Word | undefined, exported: boolean): void {
  const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)\+?=?(.*)$/s.exec(word?.text ?? '') ?? []
  if (word === undefined) return
  // `HO${x}ME=…` has another name than the one that is read here.
  const isCut = !isPlain(word) && /^\w+$/.test(headOf(word))
  if (name === undefined || (isCut && reader.edition === 2)) {
    if (!word.text.startsWith('-')) refuse(reader, 'the name of a variable is an expansion')
    return
  }
  const plain = isPlain(word) ? (value ?? '') : null
  reader.variables.push({ name, value: plain, text: plain, exported, word: null })
}
