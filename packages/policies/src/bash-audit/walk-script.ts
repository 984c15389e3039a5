/** Walks over a script and finds what it would do. */
import { type Variable, variableOf } from '../passport/command/doings.ts'
import { inertCommand } from '../shell/grammar.ts'
import { parseEveryday } from '../shell/parse-everyday.ts'
import type { Command, ShellScript, Word } from '../shell/script.ts'
import { type Actions, addDefinitions, noActions } from './actions.ts'
import { readArguments, readProgram, type ScriptWalk } from './walk-program.ts'
import { wordsIn } from './words-in.ts'

const nestingMax = 8
/** Parts of the grammar that hold words and run nothing themselves. */
const inert = new Set(['[[', '((', 'case'])

/** All that a text would do. */
export function actionsOf(text: string): Actions {
  const actions = noActions()
  readText({ text, by: null }, { actions, nesting: 0, readText, readScript })
  readArguments({ actions, nesting: 1, readText, readScript })
  return actions
}

/** `by`: the command whose input the text has, and to whose output it writes. */
function readText(
  { text, by }: { readonly text: string; readonly by: Command | null },
  walk: ScriptWalk,
): void {
  const { actions, nesting } = walk
  if (nesting > nestingMax) return void actions.unclear.push('it is nested too deep')
  const given = by === null ? [] : [inputLike(by)]
  actions.commands.push(...given)
  const { script, problem, ...definitions } = parseEveryday(text, given)
  if (problem !== null) actions.unclear.push(problem)
  addDefinitions(actions, definitions)
  if (by !== null) actions.within.set(by, [...(actions.within.get(by) ?? []), ...script])
  readScript(script, walk)
}

/** A command that does nothing but pass on what another one reads. */
const inputLike = ({ from = [], redirects }: Command): Command => ({
  ...inertCommand('', [], from),
  words: [],
  redirects,
})

function readScript(script: ShellScript, walk: ScriptWalk): void {
  for (const command of script) readCommand(command, walk)
}

function readCommand(command: Command, walk: ScriptWalk): void {
  const { actions } = walk
  actions.commands.push(command)
  for (const { name, value, appends } of command.assignments) {
    const set = withTemporary(variableOf(name, value, command.words.length > 0), value)
    actions.variables.push(appends ? { ...set, value: null, text: null } : set)
    actions.settings.push({ name, word: value, input: null })
  }
  actions.redirects.push(...command.redirects)
  for (const word of wordsIn(command))
    for (const inner of word.substitutions)
      readScript(inner, { ...walk, nesting: walk.nesting + 1 })
  const [first] = command.words
  if (first === undefined) return
  if (command.isLoopHead) return readLoopHead(command, walk)
  if (inert.has(first.text) && !first.quoted) return
  const outer = { outer: null, hasMore: false, anyMore: false }
  readProgram({ words: command.words, command, ...outer }, walk)
}

function readLoopHead({ words }: Command, { actions }: ScriptWalk): void {
  const name = words[1]?.text ?? ''
  for (const word of words.slice(3)) {
    actions.variables.push({ ...variableOf(name, word, false), value: null })
    actions.settings.push({ name, word, input: null })
  }
}

/** What mktemp names is a new file or folder among the temporary ones. */
function withTemporary(set: Variable, { text, substitutions }: Word): Variable {
  const [script, more] = substitutions
  const [command, another] = script ?? []
  const isTemporary =
    text === '$()' &&
    more === undefined &&
    another === undefined &&
    command?.words[0]?.text === 'mktemp'
  return isTemporary ? { ...set, value: '/tmp/mktemp', text: '/tmp/mktemp' } : set
}
