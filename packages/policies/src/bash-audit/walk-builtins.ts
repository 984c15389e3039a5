/** Finds what builtins set, and the texts that shells run by themselves. */
import { type Executable, unseenVariable, variableOf } from '../passport/command/doings.ts'
import { isDeclaration, namesSetBy } from '../passport/command/variable-names.ts'
import { after, expansionEnd, expansionStart, isPlain, type Word } from '../shell/script.ts'
import { addCall, addVariable } from './actions.ts'
import { fileText, scriptOwner } from './known-words.ts'
import { isShellVariable } from './option-texts.ts'
import { type ScriptWalk, whereIn } from './script-walk.ts'
import { toldBy } from './told-values.ts'

/** Values that shells run by themselves: a file before anything else, a text before each prompt, what is substituted in prompts. */
export function readSpecial(name: string, value: Word, walk: ScriptWalk): void {
  const { text } = value
  if (isShellVariable(name) && isPlain(value)) walk.readText({ text, by: null }, walk)
  const isPrompt = /^PS[0-4]$/.test(name) && /\$\(|`/.test(text)
  if (!isPrompt && !/^(?:BASH_ENV|ENV|PROMPT_COMMAND)$/.test(name)) return
  walk.actions.programs.push({ words: [value], input: null, unclear: null })
  const inner = { ...walk, nesting: walk.nesting + 1 }
  if (isPrompt) walk.readText({ text: `: "${text}"`, by: null }, inner)
  else if (name === 'PROMPT_COMMAND') walk.readText({ text, by: null }, inner)
  else walk.readText({ text: fileText(value, whereIn(walk)) ?? '', by: null }, inner)
}

/** `set --` gives a function, or the script, other arguments. */
export function readSet(executable: Executable, walk: ScriptWalk): void {
  const { words } = executable
  const end = words.findIndex(({ text }) => text === '--')
  const from = end < 0 ? 1 : end + 1
  const given = words.slice(from)
  const owner = walk.owner ?? scriptOwner
  if (given.length === 0 || (end < 0 && /^[-+]/.test(given[0]?.text ?? ''))) return
  if (typeof owner === 'string') addCall(walk.actions, owner, given)
  setParameters(given, executable, walk)
}

/** Reads a builtin: the variables that it sets, and the text that it runs. */
export function readBuiltin({ name, words, command }: Executable, walk: ScriptWalk): void {
  const { actions } = walk
  const called = name === 'mapfile' || name === 'readarray' ? callbackIn(words) : undefined
  if (called) {
    walk.readText({ text: called.text, by: null }, walk)
    actions.programs.push({ words: [called], input: null, unclear: null })
  }
  const isReference = words.some(({ text }) => /^-[a-zA-Z]*n/.test(text))
  if (isDeclaration(name))
    for (const word of words.slice(1)) setVariable(isReference ? referring(word) : word, walk)
  const read =
    name === 'mapfile' || name === 'readarray'
      ? [words.slice(1).findLast(({ text }) => /^[A-Za-z_]\w*$/.test(text))?.text ?? 'MAPFILE']
      : (namesSetBy(name, words) ?? [])
  const value = name === 'printf' ? words : []
  const told = toldBy({ name, words, command }, { names: read, where: whereIn(walk) })
  for (const each of told ?? read.map(unseenVariable)) addVariable(actions, each)
  for (const each of read) {
    actions.settings.push({ name: each, word: null, input: command })
    for (const word of value) actions.settings.push({ name: each, word, input: null })
  }
}

/** `declare -n name=other`: the value of the one is the value of the other. */
function referring(word: Word): Word {
  const [, head = '', name = ''] = /^(\w+=)([A-Za-z_]\w*)$/.exec(word.text) ?? []
  if (name === '') return word
  const exact = `${head}${expansionStart}${name}${expansionEnd}`
  return { ...word, text: `${head}$${name}`, exact, expands: true }
}

/** The text that `mapfile -C` runs for the lines that it has read. */
const callbackIn = (words: readonly Word[]): Word | undefined =>
  words.find((_, at) => at > 1 && /^-[a-zA-Z]*C$/.test(words[at - 1]?.text ?? ''))

/** Sets the arguments of a script or a function: `$1` and so on, and all of them together. */
export function setParameters(
  words: readonly Word[],
  { hasMore, command }: Pick<Executable, 'hasMore' | 'command'>,
  { actions }: ScriptWalk,
): void {
  const input = hasMore ? command : null
  for (const name of ['@', '*']) actions.settings.push({ name, word: null, input })
  for (const [at, word] of words.entries())
    for (const name of [`${at + 1}`, '@', '*']) actions.settings.push({ name, word, input })
}

/** `NAME=value` as the word of a builtin or of a wrapper. */
export function setVariable(word: Word | undefined, walk: ScriptWalk): void {
  const { actions } = walk
  const name = /^([A-Za-z_]\w*)(?:\[[^\]]*\])?\+?=/.exec(word?.text ?? '')
  if (word === undefined || name?.[1] === undefined) return
  const value = after(word, name[0].length)
  addVariable(actions, variableOf(name[1], value, true))
  readSpecial(name[1], value, walk)
  actions.settings.push({ name: name[1], word: value, input: null })
}
