/**
 * Arguments by which an allowed program runs another one, or is told by which configuration to work. An entry of the list of
 * allowed commands that says the argument itself allows it: `git config` does, `git` does not.
 *
 * G1 A word with expansions, braces or wildcards passes to a program with such options only where it cannot become one: behind
 *    `--`, behind a beginning that no option has, or as the value of an option.
 */
import { protectionOf } from '../files/starting.ts'
import { allowsWord } from './allowed-commands.ts'
import { awkRuns } from './awk-script.ts'
import type { Doings, Executable, Variables } from './doings.ts'
import {
  abbreviates,
  isAwk,
  isSed,
  placingOf,
  programOf,
  steeringOf,
  steers,
  takesNext,
  type ProgramSteering,
} from './option-tables.ts'
import { gitCommandAt, orderAt } from './order-words.ts'
import { sedRuns } from './sed-script.ts'
import { after, expansionStart, headOf, isPlain, type Word } from '../../shell/script.ts'
import { shapesOf, unseen } from './unseen-words.ts'

/** An argument that steers. `isUnseen`: it could, by what it may become. */
export interface SteeringArgument {
  readonly text: string
  readonly isUnseen: boolean
}

/** The argument by which a program runs or obeys something else, and which no entry allows; null if there is none. */
export function steeringOption(
  { executables, variables }: Doings,
  entries: readonly string[],
): SteeringArgument | null {
  if (entries.includes('*')) return null
  for (const executable of executables) {
    const found = optionOf(executable, variables)
    if (found !== null && !allowsWord(executable, found, entries))
      return { text: executable.words[found]?.text ?? '', isUnseen: false }
    const hidden = found === null ? hiddenOption(executable, variables) : null
    if (hidden !== null)
      return { text: executable.words[hidden]?.text ?? 'that comes at run time', isUnseen: true }
  }
  return null
}

/** Programs that hand what stands behind `--` to another one, which is theirs to run anyway. */
const handsOn = new Set(['npm', 'npx', 'yarn', 'pnpm', 'cargo', 'docker'])

/** The index of an argument that steers as it is written. */
function optionOf({ name, words }: Executable, variables: Variables): number | null {
  const program = programOf(name)
  const texts = words.map(({ text }) => text)
  const git = program === 'git' ? (texts[gitCommandAt(texts)] ?? '') : ''
  const steering = steeringOf(program, git)
  const end = handsOn.has(program) ? texts.indexOf('--') : -1
  const told = end < 0 ? words : words.slice(0, end)
  const at = told.findIndex(
    (word, n) =>
      n > 0 &&
      !isValueOfMessage(git, texts[n - 1] ?? '') &&
      ((steering !== undefined &&
        (program !== 'make' || isPlain(word)) &&
        steers(steering, normal(program, word.text))) ||
        setsConfig(program, told, n) ||
        readsOptions(program, told, n) ||
        isOldStyle(program, word, n)),
  )
  if (at > 0) return at
  return (
    orderAt(program, texts) ??
    (isAwk(program) || isSed(program) ? scriptAt(program, words, variables) : null)
  )
}

/** npm takes options with any number of dashes. */
const normal = (program: string, text: string): string =>
  program === 'npm' && /^-[^-].{3,}|^---/s.test(text) ? text.replace(/^-{1,64}/, '--') : text

/** Commands of git whose options run nothing, and whose operands are names. */
const harmlessGit = new Set(
  'add blame branch checkout cherry-pick clean commit describe ls-files merge-base mv reset restore rev-parse rm shortlog stash status switch tag'.split(
    ' ',
  ),
)

/** The index of a word that could become such an argument, or the last one if words come at run time that could. */
function hiddenOption(executable: Executable, variables: Variables): number | null {
  const { name, words, hasMore, anyMore } = executable
  const program = programOf(name)
  const texts = words.map(({ text }) => text)
  const git = program === 'git' ? (texts[gitCommandAt(texts)] ?? '') : ''
  if (harmlessGit.has(git)) return null
  // Behind the name of a package all words are that program's.
  if (program === 'npx' && words[1] !== undefined && isOperand(words[1])) return null
  if (isHiddenCommand(program, words, variables)) return gitCommandAt(texts)
  const placing = placingOf(program)
  const steering = steeringOf(program, git) ?? placing
  if (steering === undefined) return null
  const end = endOfOptions(steering, words, git)
  // Behind its program, awk takes operands only.
  const script = isAwk(program) ? (scriptsOf(program, words)[0]?.at ?? -1) : -1
  if (hasMore && anyMore && end < 0 && script < 0 && placing === undefined) return words.length
  // A path with a sign of equality in it is a variable.
  if (hasMore && program === 'make') return words.length
  // Its words are judged where what it runs is looked for.
  if (program === 'find') return null
  const at = words.findIndex((word, n) => {
    if (n === 0 || isPlain(word) || (end >= 0 && n > end)) return false
    if (script > 0 && n > script) return false
    // Letters without a dash.
    if (program === 'tar' && n === 1 && !word.exact.startsWith('-')) return true
    const before = texts[n - 1] ?? ''
    const isValue = takesNext(steering, before) || isValueOfMessage(git, before)
    if (isValue && !word.splits && !word.globs && !word.braces) return false
    return couldSteer(word, {
      steering,
      anyMore,
      variables,
      isPlacing: placing !== undefined,
      isGit: git !== '',
    })
  })
  return at < 0 ? null : at
}

const isOperand = (word: Word): boolean => isPlain(word) && !word.text.startsWith('-')

/** Of git, what takes paths behind `--`; to others an operand may be an address that runs a program. */
const takesPaths = new Set(['diff', 'grep', 'log', 'show'])

/** The place of a `--` that ends options, and that is not the value of one itself; -1 without. */
function endOfOptions(steering: ProgramSteering, words: readonly Word[], git: string): number {
  if (steering.endless === true || (git !== '' && !takesPaths.has(git))) return -1
  const at = words.findIndex(({ text }) => text === '--')
  // Before a command, it is none of the command's.
  if (at === 1) return steering.operands === true ? -1 : at
  const before = words[at - 1]?.text ?? ''
  const isFlag = /^-[qnp]$|^--(?:quiet|cached|staged|stat|name-only|name-status|oneline|patch)$/
  return at > 0 && (!before.startsWith('-') || isFlag.test(before)) ? at : -1
}

/** Programs with commands: what may be one of them, and comes from a variable, is not looked up. */
const withCommands = new Set(['cargo', 'git', 'go', 'npm', 'pip', 'pnpm', 'yarn'])

function isHiddenCommand(program: string, words: readonly Word[], variables: Variables): boolean {
  if (!withCommands.has(program)) return false
  const texts = words.map(({ text }) => text)
  const at =
    program === 'git'
      ? gitCommandAt(texts)
      : texts.findIndex((text, n) => n > 0 && !text.startsWith('-'))
  const word = words[at]
  if (word === undefined || isPlain(word)) return false
  return shapesOf(word, variables).some((shape) => shape !== '' && shape !== '1')
}

const addresses = ['ext::', 'fd::', 'ssh://', 'git+ssh://', 'ssh+git://', 'file://', 'http']
const begins = (one: string, other: string): boolean =>
  one.startsWith(other) || other.startsWith(one)

interface Reading {
  readonly isGit: boolean
  readonly steering: ProgramSteering
  readonly anyMore: boolean
  readonly isPlacing: boolean
  readonly variables: Variables
}

function couldSteer(
  word: Word,
  { steering, anyMore, isGit, isPlacing, variables }: Reading,
): boolean {
  // Where xargs or find put something.
  if (word.expands && !word.exact.includes(expansionStart)) return anyMore
  if (word.exact.startsWith('-')) return !isValueBehind(steering, word, variables)
  return shapesOf(word, variables).some((shape) => {
    if (isPlacing && isHarmlessEnd(shape)) return false
    if (shape.startsWith(unseen) || /^-./.test(shape)) return true
    if (steering.operands !== true) return false
    const [first = ''] = shape.replace(/^\.\//, '/').split('/', 1)
    const head = first.slice(0, Math.max(0, first.indexOf(unseen)))
    // Of what git takes, only an address runs a program: the beginning says that it is none.
    const isName = isGit && head !== '' && !addresses.some((each) => begins(each, head))
    return (first.includes(unseen) && !isName) || steers(steering, shape)
  })
}

/** `*.log`: no name with this end is an option that names a protected place. */
const isHarmlessEnd = (shape: string): boolean => {
  const end = /^(?:\.[a-z]{1,8}){0,3}(\.[a-z]{1,8})$/.exec(shape.slice(unseen.length))?.[1]
  return shape.startsWith(unseen) && end !== undefined && protectionOf(end) === null
}

/** Is all that is not seen in a word the value of an option that is seen? `--include=$x`, `-j$(nproc)`. */
function isValueBehind(steering: ProgramSteering, word: Word, variables: Variables): boolean {
  const [seen = ''] = headOf(word).split(/[{*?[]/, 1)
  const isValue =
    /^--[a-z][a-z-]*=/.test(seen) || (/^-[A-Za-z]/.test(seen) && takesNext(steering, seen))
  if (!isValue || !word.splits) return isValue
  const shapes = shapesOf(word, variables)
  return shapes.every((shape) => shape.startsWith(seen) && !shape.includes(unseen))
}

/** `git -c name=value`, and the same behind `clone`; `git switch -c name` has another meaning. */
const setsConfig = (program: string, words: readonly Word[], at: number): boolean => {
  const next = words[at + 1]
  const isOption = program === 'git' && words[at]?.text === '-c' && next !== undefined
  return isOption && (at === 1 || next.text.includes('=') || next.expands)
}

const messages: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:commit|tag|merge|stash|notes)$/, /^(?:-m|--message)$/],
  [/^(?:commit|log)$/, /^--author$/],
  [/^log$/, /^(?:--grep|-S|-G)$/],
  [/^(?:diff|show)$/, /^-[SG]$/],
]

/** `git commit -m "-c is an option"`: a text, not an option. */
const isValueOfMessage = (git: string, before: string): boolean =>
  messages.some(([command, option]) => command.test(git) && option.test(before))

/** A list of files of tar may hold options, unless it is said to hold names only. */
const readsOptions = (program: string, words: readonly Word[], at: number): boolean =>
  program === 'tar' &&
  (/^-[a-zA-Z]*T/.test(words[at]?.text ?? '') ||
    (at === 1 &&
      /^[a-zA-Z]+$/.test(words[1]?.text ?? '') &&
      words[1]?.text.includes('T') === true) ||
    abbreviates(words[at]?.text ?? '', ['files-from'])) &&
  !words.some(({ text }) => /^--(?:null|verbatim-files-from)$/.test(text))

/** `tar cIf program x.tar`: letters without a dash, none of which has its value in the same word. */
const isOldStyle = (program: string, { text }: Word, at: number): boolean =>
  program === 'tar' && at === 1 && /^[^-].*[FI]|^[FI]/.test(text)

/** Where a script of sed or awk runs a program or writes a file, by any of the texts it may be. */
function scriptAt(name: string, words: readonly Word[], variables: Variables): number | null {
  const runs = isAwk(name) ? awkRuns : sedRuns
  const at = scriptsOf(name, words).find(({ word }) => {
    const shapes = isPlain(word)
      ? [word.text]
      : shapesOf({ ...word, splits: false, globs: false }, variables)
    const isChosen = word.splits || word.globs || word.braces
    return isChosen || shapes.some((shape) => shape.includes(unseen) || runs(shape))
  })?.at
  return at ?? null
}

/** The scripts among the words: behind `-e`, else the first operand. */
function scriptsOf(
  name: string,
  words: readonly Word[],
): readonly { readonly word: Word; readonly at: number }[] {
  const long = isAwk(name) ? 'source' : 'expression'
  const named = words.flatMap((word, at) => {
    const next = words[at + 1]
    const equals = word.text.indexOf('=')
    if (abbreviates(word.text, [long]))
      return equals > 0
        ? [{ word: after(word, equals + 1), at }]
        : next
          ? [{ word: next, at: at + 1 }]
          : []
    const letters = (isAwk(name) ? /^-e/ : /^-[nErsuz]*e/).exec(word.text)?.[0].length
    if (at === 0 || letters === undefined) return []
    if (word.text.length > letters) return [{ word: after(word, letters), at }]
    return next === undefined ? [] : [{ word: next, at: at + 1 }]
  })
  if (named.length > 0) return named
  const valued = isAwk(name) ? /^-[vF]$|^--(?:assign|field-separator)$/ : /^-l$|^--line-length$/
  const first = words.findIndex(
    ({ text }, at) => at > 0 && !/^-./.test(text) && !valued.test(words[at - 1]?.text ?? ''),
  )
  const word = words[first]
  return word === undefined ? [] : [{ word, at: first }]
}
