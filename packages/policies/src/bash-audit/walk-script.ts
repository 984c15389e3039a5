/** Walks over a script and finds what it would do. */
import { limits } from '@signalbox/core'
import { type Variable, variableOf } from '../passport/command/doings.ts'
import { inertCommand } from '../shell/grammar.ts'
import { parseEveryday } from '../shell/parse-everyday.ts'
import type { Command, Redirect, ShellScript, Word } from '../shell/script.ts'
import { type Actions, addDefinitions, addVariable, mayRead, noActions } from './actions.ts'
import { evaluatedTexts } from './evaluated.ts'
import { readingsOf } from './known-words.ts'
import { below, isRelative, placeOf } from './places.ts'
import type { ScriptWalk } from './script-walk.ts'
import { streamsSet } from './streams.ts'
import { readSpecial } from './walk-builtins.ts'
import { readArguments, readProgram } from './walk-program.ts'
import { wordsIn } from './words-in.ts'

const nestingMax = 8
/** Parts of the grammar that hold words and run nothing themselves. */
const inert = new Set(['[[', '((', 'case', 'coproc'])

/** All that a text would do. Read once more where it says anything of its names: what a function is called with stands behind it. */
export function actionsOf(text: string): Actions {
  const first = walkOver(text, noActions())
  const isNamed = first.values.size + first.functions.size > 0
  return isNamed ? walkOver(text, noActions(first)) : first
}

function walkOver(text: string, actions: Actions): Actions {
  readText({ text, by: null }, { actions, nesting: 0, owner: null, readText, readScript })
  readArguments({ actions, nesting: 1, owner: null, readText, readScript })
  return actions
}

/** `by`: the command whose input the text has, and to whose output it writes. */
function readText(
  { text, by }: { readonly text: string; readonly by: Command | null },
  walk: ScriptWalk,
): void {
  const { actions, nesting } = walk
  if (nesting > nestingMax) return void actions.unclear.push('it is nested too deep')
  if (!mayRead(actions, text)) return
  const given = by === null ? [] : [inputLike(by)]
  actions.commands.push(...given)
  const scope = { parent: by?.scope ?? null }
  const { script, problem, ...definitions } = parseEveryday(text, given, scope)
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

function readCommand(command: Command, around: ScriptWalk): void {
  const { actions } = around
  const walk = { ...around, owner: actions.owners.get(command) ?? around.owner }
  actions.commands.push(command)
  for (const { name, value, appends } of command.assignments) {
    const set = withTemporary(variableOf(name, value, command.words.length > 0), value)
    addVariable(actions, appends ? appended(set, actions.values.get(name)?.at(-1)) : set)
    actions.settings.push({ name, word: value, input: null })
    readSpecial(name, value, walk)
  }
  for (const text of evaluatedTexts(command)) walk.readText({ text: `: "${text}"`, by: null }, walk)
  for (const redirect of command.redirects) readRedirect(redirect, command, walk)
  for (const word of wordsIn(command))
    for (const inner of word.substitutions)
      readScript(inner, { ...walk, nesting: walk.nesting + 1 })
  const [first] = command.words
  if (first === undefined) return
  if (command.isLoopHead) return readLoopHead(command, walk)
  const [, named] = command.words
  if (first.text === 'coproc' && named !== undefined)
    actions.settings.push({ name: named.text, word: null, input: command })
  if (inert.has(first.text) && !first.quoted) return
  const outer = { outer: null, hasMore: false, anyMore: false }
  readProgram({ words: command.words, command, ...outer }, walk)
}

function readLoopHead({ words }: Command, { actions, owner }: ScriptWalk): void {
  const name = words[1]?.text ?? ''
  const where = { known: actions.known, owner }
  for (const word of words.slice(3)) {
    actions.settings.push({ name, word, input: null })
    for (const each of readingsOf([word], where).flat())
      addVariable(actions, { ...variableOf(name, each, false), value: null })
  }
}

/** Longer than it was: by the elements of an array, or by a text where it was one. */
function appended(set: Variable, before: Variable | undefined): Variable {
  if (set.word?.elements !== undefined) return { ...set, value: null, text: null }
  const text = both(before?.text, set.text)
  const value = both(before?.value, set.value)
  const isShort = text === null || text.length <= limits.commandCharsMax
  return { ...set, value: isShort ? value : null, text: isShort ? text : null, word: null }
}

const both = (before: string | null | undefined, more: string | null): string | null =>
  typeof before === 'string' && more !== null ? before + more : null

/** With what its target is known to be, and where that is from. Of a here-document the target is a text. */
function readRedirect(redirect: Redirect, command: Command, { actions, owner }: ScriptWalk): void {
  const { op, target } = redirect
  actions.settings.push(...streamsSet(redirect, command))
  if (op.startsWith('<<')) return void actions.redirects.push(redirect)
  const place = placeOf(command, actions)
  for (const word of readingsOf([target], { known: actions.known, owner }).flat()) {
    actions.redirects.push({ op, target: word })
    if (place !== null && isRelative(word) && !op.endsWith('&'))
      actions.redirects.push({ op, target: below(place, word) })
  }
}

/** A variable that is set to the output of mktemp names a new file or folder among the temporary ones. */
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
