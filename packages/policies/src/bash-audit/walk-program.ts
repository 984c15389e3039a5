/** Finds which program a command runs, and which programs that one runs. */
import { type Executable, variableOf } from '../passport/command/doings.ts'
import { replacedBy } from '../passport/command/executables.ts'
import { isInterpreter, isShell } from '../passport/command/interpreters.ts'
import { textsOfWord } from '../passport/command/places.ts'
import { readsItsInput } from '../passport/command/program-input.ts'
import { isDeclaration, namesSetBy } from '../passport/command/variable-names.ts'
import { unwrap } from '../passport/command/wrappers.ts'
import {
  after,
  type Command,
  expansionEnd,
  expansionsIn,
  isPlain,
  type ShellScript,
  type Word,
} from '../shell/script.ts'
import type { Actions } from './actions.ts'
import { isInput, programWords, shellProgram } from './interpreted.ts'
import { hereOf } from './words-in.ts'

/** What walking takes besides the part at hand. */
export interface ScriptWalk {
  readonly actions: Actions
  readonly nesting: number
  readonly readText: (
    part: { readonly text: string; readonly by: Command | null },
    walk: ScriptWalk,
  ) => void
  readonly readScript: (script: ShellScript, walk: ScriptWalk) => void
}

/** A program as it was found: its words, and what runs it. */
type Found = Pick<Executable, 'words' | 'command' | 'outer' | 'hasMore' | 'anyMore'>

const nestingMax = 8

/** Reads a program and whatever it runs. */
export function readProgram(found: Found, walk: ScriptWalk): void {
  const { actions } = walk
  const [program] = found.words
  if (program === undefined) return
  if (walk.nesting > nestingMax) return void actions.unclear.push('it is nested too deep')
  if (forwards(program, found.command, actions)) return
  const name = nameOf(program, actions)
  if (name === null) {
    const unclear = 'the name of a program is an expansion'
    actions.programs.push({ words: [program], input: inputOf(found, program), unclear })
    return
  }
  const executable: Executable = { ...found, name, listed: true }
  actions.executables.push(executable)
  const called = actions.functions.get(program.text)
  called?.input.push(found.command)
  if (called) setParameters(found.words.slice(1), found, walk)
  const inner = { ...walk, nesting: walk.nesting + 1 }
  const unwrapped = unwrap(name, found.words)
  if (unwrapped === null) return readOwn(executable, inner)
  if (typeof unwrapped === 'string') return readUnclear(executable, unwrapped, inner)
  for (const at of unwrapped.assigned) setVariable(found.words[at], walk)
  if (unwrapped.inner !== null) readInner(executable, unwrapped.inner, inner)
}

/** Is the program what a function is called with? Its calls say which one that is. */
function forwards(program: Word, command: Command, actions: Actions): boolean {
  const owner = actions.owners.get(command)
  if (owner === undefined || !/^.[@*].$/.test(program.exact) || isPlain(program)) return false
  actions.forwarders.set(owner, command)
  return true
}

/** Reads what functions are called with as a program, where they run it. */
export function readArguments(walk: ScriptWalk): void {
  const { actions } = walk
  for (const owner of actions.forwarders.keys())
    for (const call of actions.commands) {
      if (call.words[0]?.text !== owner || call.words.length < 2) continue
      const words = call.words.slice(1)
      readProgram({ words, command: call, outer: null, hasMore: false, anyMore: false }, walk)
    }
}

const last = (text: string): string => text.slice(text.lastIndexOf('/') + 1).toLowerCase()

/** The name of a program in lower case, without its folder; null where it cannot be told. */
function nameOf(program: Word, { variables }: Actions): string | null {
  if (isPlain(program)) return last(program.text)
  if (program.text === '[' && !program.quoted) return '['
  if (/^\$(?:SHELL|BASH)$/.test(program.text)) return 'bash'
  // `"$dir/run.sh"`: the folder alone is not seen.
  const end = last(program.exact)
  const isSeen = !end.includes(expansionEnd) && !/[*?[{}]/.test(end)
  if (program.text.includes('/') && end !== '' && isSeen) return end
  const names = expansionsIn(program.exact)
  if (!names.every((each) => variables.some(({ name }) => name === each))) return null
  const [text, ...others] = textsOfWord(program, variables) ?? []
  return text === undefined || text === '' || others.length > 0 || /[\s*?[]/.test(text)
    ? null
    : last(text)
}

/** Does what xargs or find puts together come into a word, or behind it? */
const inputOf = ({ hasMore, command }: Found, word: Word | undefined): Command | null =>
  hasMore && (word === undefined || !isPlain(word)) ? command : null

/** A wrapper whose options are not known: a text that `env -S` splits is read, and the rest is named. */
function readUnclear(executable: Executable, why: string, walk: ScriptWalk): void {
  const { words, name, command } = executable
  const at = words.findIndex(({ text }) => /^(?:-[a-z]*S|--split-string(?:=|$))/.test(text))
  const option = words[at]
  if (name !== 'env' || option === undefined) return void walk.actions.unclear.push(why)
  const glued = option.text.replace(/^(?:-[a-z]*S|--split-string=?)/, '')
  const text = [glued, ...words.slice(at + 1).map((word) => word.text)].join(' ')
  walk.readText({ text, by: command }, walk)
}

function readInner(executable: Executable, at: number, walk: ScriptWalk): void {
  const isXargs = executable.name === 'xargs'
  const mark = isXargs ? replacedBy(executable.words.slice(1, at)) : null
  const words = marked(executable.words.slice(at), mark)
  const hasMore = executable.hasMore || isXargs
  const { command, anyMore } = executable
  readProgram({ words, command, outer: { executable, at }, hasMore, anyMore }, walk)
}

/** Words in which something is put at run time are no longer what they say. */
const marked = (words: readonly Word[], mark: string | null): readonly Word[] =>
  mark === null || mark === ''
    ? words
    : words.map((word) => (word.text.includes(mark) ? { ...word, expands: true } : word))

/** Run what they are given, in ways of their own. */
const opaque = new Set([
  'watch',
  'parallel',
  'script',
  'flock',
  'unshare',
  'nsenter',
  'strace',
  'ltrace',
  'systemd-run',
  'at',
  'batch',
  'expect',
  'setpriv',
  'start-stop-daemon',
])

function readOwn(executable: Executable, walk: ScriptWalk): void {
  const { name, words, command } = executable
  const { actions } = walk
  if (isShell(name)) return readShell(executable, walk)
  if (isInterpreter(name)) return readInterpreter(executable, walk)
  if (opaque.has(name)) return void actions.unclear.push(`"${name}" runs what cannot be seen here`)
  switch (name) {
    case 'eval':
      return readEval(executable, walk)
    case 'source':
    case '.':
      return readSourced(executable, walk)
    case 'trap': {
      const handler = words.slice(1).find(({ text }) => text !== '--')
      if (handler !== undefined && handler.text !== '-')
        walk.readText({ text: handler.text, by: null }, walk)
      return
    }
    case 'find':
      return readFind(executable, walk)
    case 'su':
    case 'runuser': {
      const at = words.findIndex(({ text }) => /^-[a-z]*c$|^--(?:session-)?command$/.test(text))
      const text = words[at + 1]?.text
      if (at > 0 && text !== undefined) walk.readText({ text, by: command }, walk)
      return
    }
    default:
      return readBuiltin(executable, walk)
  }
}

function readShell(executable: Executable, walk: ScriptWalk): void {
  const { words, command } = executable
  const { actions } = walk
  const task = shellProgram(words)
  if (task.kind === 'input') {
    if (readHere(command, walk)) return
    const unclear = executable.hasMore ? 'a shell runs what xargs or find puts together' : whenFed
    actions.programs.push({ words: [], input: command, unclear })
    return
  }
  const { word } = task
  if (task.kind === 'text') {
    walk.readText({ text: word.text, by: command }, walk)
    // The first word behind the text is the name that the script goes by.
    setParameters(words.slice(words.indexOf(word) + 2), executable, walk)
  }
  actions.programs.push({ words: [word], input: inputOf(executable, word), unclear: null })
}

/** Said only if something comes in: a shell without an input has nothing to run. */
export const whenFed = 'a shell or another interpreter runs what comes in'

/** Reads the here-documents and here-strings of a shell as scripts; false if its input comes from elsewhere. */
function readHere(command: Command, walk: ScriptWalk): boolean {
  const texts = hereOf(command)
  for (const { text } of texts) walk.readText({ text, by: null }, walk)
  if (texts.length > 0) walk.actions.programs.push({ words: texts, input: null, unclear: null })
  return texts.length > 0
}

function readInterpreter(executable: Executable, walk: ScriptWalk): void {
  const { name, words, command } = executable
  const { actions } = walk
  for (const { kind, word } of programWords(name, words)) {
    if (kind === 'text') actions.foreign.push(word.text)
    actions.programs.push({ words: [word], input: inputOf(executable, word), unclear: null })
  }
  if (!readsItsInput({ ...executable, command: { ...command, fed: true } }, 2)) return
  const here = hereOf(command)
  actions.foreign.push(...here.map(({ text }) => text))
  const unclear = here.length > 0 ? null : whenFed
  actions.programs.push({ words: here, input: here.length > 0 ? null : command, unclear })
}

function readEval(executable: Executable, walk: ScriptWalk): void {
  const { words, command } = executable
  const given = words.slice(1)
  const text = given.map((word) => word.text).join(' ')
  walk.readText({ text, by: command }, walk)
  walk.actions.programs.push({ words: given, input: inputOf(executable, given[0]), unclear: null })
}

function readSourced(executable: Executable, walk: ScriptWalk): void {
  const { words, command } = executable
  const file = words[1]
  if (file === undefined) return
  if (isInput(file.text))
    walk.actions.programs.push({ words: [], input: command, unclear: whenFed })
  else
    walk.actions.programs.push({ words: [file], input: inputOf(executable, file), unclear: null })
}

const findRuns = new Set(['-exec', '-execdir', '-ok', '-okdir'])

function readFind(executable: Executable, walk: ScriptWalk): void {
  const { words, command } = executable
  for (let at = 1; at < words.length; at += 1) {
    if (!findRuns.has(words[at]?.text ?? '')) continue
    const start = at + 1
    const end = words.findIndex(
      ({ text }, n) =>
        n >= start && (text === ';' || (text === '+' && words[n - 1]?.text === '{}')),
    )
    at = end < 0 ? words.length : end
    const inner = marked(words.slice(start, at), '{}')
    const outer = { executable, at: start }
    readProgram({ words: inner, command, outer, hasMore: true, anyMore: false }, walk)
  }
}

function readBuiltin({ name, words, command }: Executable, walk: ScriptWalk): void {
  const { actions } = walk
  if (isDeclaration(name)) for (const word of words.slice(1)) setVariable(word, walk)
  const read =
    name === 'mapfile' || name === 'readarray'
      ? [words.slice(1).findLast(({ text }) => /^[A-Za-z_]\w*$/.test(text))?.text ?? 'MAPFILE']
      : (namesSetBy(name, words) ?? [])
  const value = name === 'printf' ? words : []
  for (const each of read) {
    actions.variables.push({ name: each, value: null, text: null, exported: false, word: null })
    actions.settings.push({ name: each, word: null, input: command })
    for (const word of value) actions.settings.push({ name: each, word, input: null })
  }
}

/** What a script or a function is called with: `$1` and so on, and all of them together. */
function setParameters(
  words: readonly Word[],
  { hasMore, command }: Pick<Found, 'hasMore' | 'command'>,
  { actions }: ScriptWalk,
): void {
  const input = hasMore ? command : null
  for (const name of ['@', '*']) actions.settings.push({ name, word: null, input })
  for (const [at, word] of words.entries())
    for (const name of [`${at + 1}`, '@', '*']) actions.settings.push({ name, word, input })
}

/** `NAME=value` as the word of a builtin or of a wrapper. */
function setVariable(word: Word | undefined, { actions }: ScriptWalk): void {
  const name = /^([A-Za-z_]\w*)(?:\[[^\]]*\])?\+?=/.exec(word?.text ?? '')
  if (word === undefined || name?.[1] === undefined) return
  const value = after(word, name[0].length)
  actions.variables.push(variableOf(name[1], value, true))
  actions.settings.push({ name: name[1], word: value, input: null })
}
