/** Finds which program a command runs, and which programs that one runs. */
import type { Executable } from '../passport/command/doings.ts'
import { replacedBy } from '../passport/command/executables.ts'
import { isInterpreter, isShell } from '../passport/command/interpreters.ts'
import { readsItsInput } from '../passport/command/program-input.ts'
import { unwrap } from '../passport/command/wrappers.ts'
import { matchesPathWildcard } from '../passport/wildcard.ts'
import { plainWord } from '../shell/grammar.ts'
import { parseEveryday } from '../shell/parse-everyday.ts'
import {
  type Command,
  expansionEnd,
  expansionStart,
  expansionsIn,
  isPlain,
  type Word,
} from '../shell/script.ts'
import { type Actions, addCall, mayRead } from './actions.ts'
import { type Carried, carriedBy, guessedPrograms } from './carriers.ts'
import { isInput, programWords, shellProgram } from './interpreted.ts'
import { bisectedAt, optionTexts } from './option-texts.ts'
import { fileText, inputText, readingsOf } from './known-words.ts'
import { isElsewhere, isOutside } from './outside.ts'
import { runsInput } from './other-languages.ts'
import { below, changePlace, isRelative, leavePlace, standing, startPlace } from './places.ts'
import { type ScriptWalk, whereIn } from './script-walk.ts'
import { readBuiltin, readSet, setParameters, setVariable } from './walk-builtins.ts'
import { hereFor } from './words-in.ts'

/** A program as it was found: its words, and what runs it. */
type Found = Pick<Executable, 'words' | 'command' | 'outer' | 'hasMore' | 'anyMore'>

const nestingMax = 8

/** Reads a program and whatever it runs, with all that its words come to. */
export function readProgram(found: Found, walk: ScriptWalk): void {
  for (const words of readingsOf(found.words, whereIn(walk))) readWords({ ...found, words }, walk)
}

function readWords(found: Found, walk: ScriptWalk): void {
  const { actions } = walk
  const [program] = found.words
  if (program === undefined) return
  if (walk.nesting > nestingMax) return void actions.unclear.push('it is nested too deep')
  if (readAlias(found, program, walk)) return
  if (forwards(program, found.command, actions)) return
  const name = nameOf(program)
  if (name !== null) return readNamed(name, found, walk)
  const unclear = 'the name of a program is an expansion'
  actions.programs.push({ words: [program], input: inputOf(found, program), unclear })
  for (const each of namesLike(program)) readNamed(each, found, walk)
}

function readNamed(name: string, found: Found, walk: ScriptWalk): void {
  const { actions } = walk
  const executable: Executable = { ...found, name, listed: true }
  actions.executables.push(executable)
  addMoved(executable, actions)
  const [program, ...given] = found.words
  const called = actions.functions.get(program?.text ?? '')
  called?.input.push(found.command)
  if (called) setParameters(given, found, walk)
  addCall(actions, program?.text ?? '', given)
  const inner = { ...walk, nesting: walk.nesting + 1 }
  const unwrapped = unwrap(name, found.words)
  if (unwrapped === null) return readOwn(executable, inner)
  if (typeof unwrapped === 'string') return readUnclear(executable, unwrapped, inner)
  for (const at of unwrapped.assigned) setVariable(found.words[at], walk)
  if (unwrapped.inner !== null) readInner(executable, unwrapped.inner, inner)
  else if (name === 'chroot') readInput(executable, inner)
}

/** The same from where the shell has changed to, if that is outside of the workspace or a word leads there. */
function addMoved(executable: Executable, actions: Actions): void {
  const place = standing(executable.command, actions) ?? startPlace
  const words = executable.words.map((word, at) =>
    at > 0 && isRelative(word) ? below(place, word) : word,
  )
  const leads = words.some(({ text }, at) => text !== executable.words[at]?.text && isOutside(text))
  if (!isElsewhere(place) && !leads) return
  actions.moved.push({ ...executable, words, place, own: executable.words })
}

/** Reads a command whose first word stands for another text; false if it does not. */
function readAlias(found: Found, program: Word, walk: ScriptWalk): boolean {
  const { actions, aliases = new Set<string>() } = walk
  const text = program.quoted ? undefined : actions.aliases.get(program.text)
  if (text === undefined || aliases.has(program.text)) return false
  if (!mayRead(actions, text)) return true
  const { script } = parseEveryday(text, found.command.from, found.command.scope)
  const inner = {
    ...walk,
    nesting: walk.nesting + 1,
    aliases: new Set([...aliases, program.text]),
  }
  const whole = script.map((command, at) =>
    at < script.length - 1
      ? command
      : { ...command, words: [...command.words, ...found.words.slice(1)] },
  )
  actions.within.set(found.command, [...(actions.within.get(found.command) ?? []), ...whole])
  walk.readScript(whole, inner)
  return true
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
function nameOf(program: Word): string | null {
  if (isPlain(program)) return last(program.text)
  if (program.text === '[' && !program.quoted) return '['
  if (/^\$(?:SHELL|BASH)$/.test(program.text)) return 'bash'
  // `"$dir/run.sh"`: the folder alone is not seen.
  const end = last(program.exact)
  const isSeen = !end.includes(expansionEnd) && !/[*?[{}]/.test(end)
  return program.text.includes('/') && end !== '' && isSeen ? end : null
}

/** Programs that a wildcard must not stand for. */
const sought = 'rm dd chmod chown mkfs shutdown reboot sh bash dash zsh eval'.split(' ')

/** Those that a name with wildcards, and with a letter of its own, could be: `/bin/r?`. */
function namesLike({ exact, globs }: Word): readonly string[] {
  const pattern = last(exact).replaceAll(/\[[^[\]]*\]/g, '?')
  if (!globs || expansionsIn(exact).length > 0 || !/[a-z]/.test(pattern)) return []
  return sought.filter((name) => matchesPathWildcard(pattern, name))
}

/** Does what xargs or find puts together come into a word, or behind it? */
const inputOf = ({ hasMore, command }: Found, word: Word | undefined): Command | null =>
  hasMore && (word === undefined || !isPlain(word)) ? command : null

/** A wrapper whose options are not known: a text that `env -S` splits is read, and the rest is named. */
function readUnclear(executable: Executable, why: string, walk: ScriptWalk): void {
  const { words, name, command } = executable
  const at = words.findIndex(({ text }) => /^(?:-[a-z]*S|--split-string(?:=|$))/.test(text))
  const option = words[at]
  if (name !== 'env' || option === undefined) {
    walk.actions.unclear.push(why)
    const guessed = guessedPrograms(words)
    for (const each of guessed) readInner(executable, each, walk)
    if (guessed.length === 0) readInput(executable, walk)
    return
  }
  const glued = option.text.replace(/^(?:-[a-z]*S|--split-string=?)/, '')
  const text = [glued, ...words.slice(at + 1).map((word) => word.text)].join(' ')
  walk.readText({ text, by: command }, walk)
}

function readInner(executable: Executable, at: number, walk: ScriptWalk): void {
  const isXargs = executable.name === 'xargs'
  const mark = isXargs ? replacedBy(executable.words.slice(1, at)) : null
  const own = executable.words.slice(at)
  const told = isXargs ? toldWords({ executable, own, mark, at }, walk) : null
  const words = told ?? marked(own, mark)
  const hasMore = executable.hasMore || (isXargs && told === null)
  const { command, anyMore } = executable
  readWords({ words, command, outer: { executable, at }, hasMore, anyMore }, walk)
}

const toldMax = 256

/** The words that xargs runs, where the script itself says what comes in. */
function toldWords(
  { executable: { words, command }, own, mark, at }: Xargs,
  walk: ScriptWalk,
): readonly Word[] | null {
  const isFile = words.slice(1, at).some(({ text }) => /^(?:-[0rtxpo]*a|--arg-file)/.test(text))
  const text = isFile ? null : inputText(command, whereIn(walk))
  const given = text?.split(mark === null ? /[\s\0]+/ : /[\n\0]+/).filter((each) => each !== '')
  if (given === undefined || given.length > toldMax) return null
  if (mark === null) return [...own, ...given.map(plainWord)]
  const [line = '', more] = given
  if (more !== undefined || mark === '') return null
  return own.map((word) => {
    const exact = word.exact.replaceAll(mark, () => line)
    return { ...word, text: word.text.replaceAll(mark, () => line), exact }
  })
}

/** `own`: the words of the program that it runs, from a place on. */
interface Xargs {
  readonly executable: Executable
  readonly own: readonly Word[]
  readonly mark: string | null
  readonly at: number
}

/** Words in which something is put at run time are no longer what they say: as if a variable that nobody sets stood there. */
const marked = (words: readonly Word[], mark: string | null): readonly Word[] =>
  mark === null || mark === ''
    ? words
    : words.map((word) => {
        if (!word.text.includes(mark)) return word
        const exact = word.exact.replaceAll(mark, `${expansionStart}_${expansionEnd}`)
        return { ...word, text: word.text.replaceAll(mark, '$_'), exact, expands: true }
      })

function readOwn(executable: Executable, walk: ScriptWalk): void {
  const { name, words, command } = executable
  const { actions } = walk
  if (isShell(name)) return readShell(executable, walk)
  if (runsInput(name, words)) {
    actions.programs.push({ words: [], input: command, unclear: null })
    if (!isInterpreter(name)) actions.foreign.push(...words.slice(1).map(({ text }) => text))
  }
  if (isInterpreter(name)) return readInterpreter(executable, walk)
  for (const word of optionTexts(name, words)) readGiven(word, executable, walk)
  const bisected = bisectedAt(name, words)
  if (bisected > 0) return readInner(executable, bisected, walk)
  const carried = carriedBy(name, words)
  if (carried !== null) return readCarried(executable, [carried].flat(), walk)
  switch (name) {
    case 'eval':
      return readEval(executable, walk)
    case 'source':
    case '.':
      return readSourced(executable, walk)
    case 'trap': {
      const handler = words.slice(1).find(({ text }) => text !== '--')
      if (handler !== undefined && handler.text !== '-') {
        walk.readText({ text: handler.text, by: null }, walk)
        actions.programs.push({ words: [handler], input: null, unclear: null })
      }
      return
    }
    case 'find':
    case 'fd':
    case 'fdfind':
      return readFind(executable, walk)
    case 'awk':
    case 'gawk':
    case 'mawk':
    case 'nawk':
      return void actions.foreign.push(...words.slice(1).map(({ text }) => text))
    case 'cd':
    case 'pushd':
      return changePlace(words, command, actions)
    case 'popd':
      return leavePlace(command, actions)
    case 'set':
      return readSet(executable, walk)
    case 'jobs':
      if (words[1]?.text === '-x' && words.length > 2) readInner(executable, 2, walk)
      return
    case 'hash':
      return readHashed(words, actions)
    case 'alias':
    case 'enable':
      actions.programs.push({ words: words.slice(1), input: null, unclear: null })
      return readAliases(words, actions)
    default:
      return readBuiltin(executable, walk)
  }
}

/** A text that a program hands to a shell. */
function readGiven(word: Word, { command }: Executable, walk: ScriptWalk): void {
  walk.readText({ text: word.text, by: command }, walk)
  walk.actions.programs.push({ words: [word], input: null, unclear: null })
}

function readCarried(executable: Executable, carried: readonly Carried[], walk: ScriptWalk): void {
  for (const each of carried)
    if (each.kind === 'program') readInner(executable, each.at, walk)
    else if (each.kind === 'input') readInput(executable, walk)
    else {
      walk.readText({ text: each.text, by: executable.command }, walk)
      const words = executable.words.slice(1)
      walk.actions.programs.push({ words, input: null, unclear: null })
    }
}

/** `hash -p file name`: the name stands for the file. */
function readHashed(words: readonly Word[], { aliases }: Actions): void {
  const [, option, file, name] = words
  if (option?.text === '-p' && file && name) aliases.set(name.text, file.text)
}

function readAliases(words: readonly Word[], { aliases }: Actions): void {
  for (const { text } of words.slice(1)) {
    const [, name, value] = /^([^=\s]+)=(.*)$/s.exec(text) ?? []
    if (name !== undefined && value !== undefined) aliases.set(name, value)
  }
}

function readShell(executable: Executable, walk: ScriptWalk): void {
  const { words, command } = executable
  const { actions } = walk
  const files = words.flatMap((_, at) => (isStartOption(words[at - 1]) ? (words[at] ?? []) : []))
  for (const file of files) readFile(file, executable, walk)
  const task = shellProgram(words)
  if (task.kind === 'input') return readInput(executable, walk)
  const { word } = task
  if (task.kind === 'file') return readFile(word, executable, walk)
  // The first word behind the text is the name that the script goes by.
  const given = words.slice(words.indexOf(word) + 2)
  setParameters(given, executable, walk)
  walk.readText({ text: word.text, by: command }, { ...walk, owner: [given] })
  actions.programs.push({ words: [word], input: inputOf(executable, word), unclear: null })
}

const isStartOption = (word: Word | undefined): boolean =>
  /^--(?:init-file|rcfile)$/.test(word?.text ?? '')

/** A file that a shell runs: what the script itself prints into a `<(…)` is read. */
function readFile(word: Word, executable: Executable, walk: ScriptWalk): void {
  const text = fileText(word, whereIn(walk))
  if (text !== null) walk.readText({ text, by: executable.command }, walk)
  const input = inputOf(executable, word)
  walk.actions.programs.push({ words: [word], input, unclear: null })
}

/** A shell that runs what comes in: what the script itself says, or what nobody can tell. */
function readInput({ command, hasMore }: Executable, walk: ScriptWalk): void {
  if (readHere(command, walk)) return
  const text = hasMore ? null : inputText(command, whereIn(walk))
  if (text !== null) walk.readText({ text, by: null }, walk)
  const fed = text === null ? whenFed : null
  const unclear = hasMore ? 'a shell runs what xargs or find puts together' : fed
  walk.actions.programs.push({ words: [], input: command, unclear })
}

/** Said only if something comes in: a shell without an input has nothing to run. */
export const whenFed = 'a shell or another interpreter runs what comes in'

/** Reads the here-documents and here-strings of a shell as scripts; false if its input comes from elsewhere. */
function readHere(command: Command, walk: ScriptWalk): boolean {
  const texts = hereFor(command)
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
  const here = hereFor(command)
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
  const { words } = executable
  const file = words[1]
  if (file === undefined) return
  if (isInput(file.text)) readInput(executable, walk)
  else readFile(file, executable, walk)
}

const findRuns = new Set(['-exec', '-execdir', '-ok', '-okdir'])
const fdRuns = new Set(['-x', '-X', '--exec', '--exec-batch'])

function readFind(executable: Executable, walk: ScriptWalk): void {
  const { name, words, command } = executable
  const runs = name === 'find' ? findRuns : fdRuns
  for (let at = 1; at < words.length; at += 1) {
    if (!runs.has(words[at]?.text ?? '')) continue
    const start = at + 1
    const end = words.findIndex(
      ({ text }, n) =>
        n >= start && (text === ';' || (text === '+' && words[n - 1]?.text === '{}')),
    )
    at = end < 0 ? words.length : end
    const inner = marked(words.slice(start, at), '{}')
    const outer = { executable, at: start }
    readWords({ words: inner, command, outer, hasMore: true, anyMore: false }, walk)
  }
}
