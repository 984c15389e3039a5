/**
 * The actions of a script, as far as its text says: every program, redirection and variable, wherever it stands.
 *
 * N1 A part that cannot be told is named, and what stands around it is judged all the same: nothing here refuses.
 * N2 The texts that shells, `eval` and `trap` are given are read like the script itself, at most eight deep, and so many in all.
 */
import { limits } from '@signalbox/core'
import type { Doings, Executable, Variable } from '../passport/command/doings.ts'
import type { ShellFunction } from '../shell/cursor.ts'
import type { EverydayScript } from '../shell/parse-everyday.ts'
import type { Command, Redirect, ShellScope, Word } from '../shell/script.ts'
import type { KnownNames } from './known-words.ts'

/** A variable, and where its value comes from: a word, or the input of a command. */
export interface Setting {
  readonly name: string
  readonly word: Word | null
  readonly input: Command | null
}

/** A program that the script does not spell out: a shell or another interpreter takes it from words, or from an input. */
export interface ProgramSource {
  readonly words: readonly Word[]
  /** The command whose input is, or is part of, the program. */
  readonly input: Command | null
  /** The reason to flag it, where no origin of it is refused. Null: it is not flagged, because it is an everyday thing to do. */
  readonly unclear: string | null
}

/** A program that works outside of the workspace, or is told of a place there: its relative operands are from where the script began. */
interface Moved extends Executable {
  readonly place: string
  /** Its words as they are. */
  readonly own: readonly Word[]
}

/** The actions found so far; they grow while a script is read. */
export interface Actions extends Doings {
  readonly executables: Executable[]
  readonly redirects: Redirect[]
  readonly variables: Variable[]
  readonly settings: Setting[]
  readonly programs: ProgramSource[]
  /** Texts of programs in other languages. */
  readonly foreign: string[]
  /** Why parts could not be read. */
  readonly unclear: string[]
  /** All simple commands, and those that run within others: the text of `bash -c` within `bash`. */
  readonly commands: Command[]
  readonly within: Map<Command, readonly Command[]>
  readonly functions: Map<string, ShellFunction>
  readonly background: Set<Command>
  /** Of commands in a function, which one. */
  readonly owners: Map<Command, string>
  /** Commands whose program is what their function is called with. */
  readonly forwarders: Map<string, Command>
  /** The names as this reading finds them. `known`: as the reading before found them, if the script is read once more; else the same. */
  readonly values: Map<string, Variable[]>
  readonly calls: Map<string, (readonly Word[])[]>
  readonly known: KnownNames
  readonly aliases: Map<string, string>
  /** Where shells have changed to, from the root, from a home or from where the script began; null where it is not known. */
  readonly places: Map<ShellScope, string | null>
  /** Programs that reach out of the workspace by a relative path. */
  readonly moved: Moved[]
  /** How many texts were read, and their characters. */
  texts: number
  textChars: number
}

/** Texts that are read within a script, at most, and their characters: each may have others in it, or be read again and again. */
const textsMax = 256
const textCharsMax = 5 * limits.commandCharsMax
const commandsMax = limits.commandCharsMax

/** Counts a text that is to be read; false if no more are, which is named. */
export function mayRead(actions: Actions, text: string): boolean {
  actions.texts += 1
  actions.textChars += text.length
  const isWithin =
    actions.texts <= textsMax &&
    actions.textChars <= textCharsMax &&
    actions.commands.length <= commandsMax
  if (!isWithin) actions.unclear.push('it runs too many texts')
  return isWithin
}

/** Nothing found yet. `before`: what is known of the names of the script; null: what is found. */
export function noActions(before: KnownNames | null = null): Actions {
  const values = new Map<string, Variable[]>()
  const calls = new Map<string, (readonly Word[])[]>()
  const places = new Map<ShellScope, string | null>()
  return { ...nothing(), values, calls, places, known: before ?? { values, calls, places } }
}

const nothing = (): Omit<Actions, 'values' | 'calls' | 'places' | 'known'> => ({
  executables: [],
  redirects: [],
  variables: [],
  settings: [],
  programs: [],
  foreign: [],
  unclear: [],
  commands: [],
  within: new Map(),
  functions: new Map(),
  background: new Set(),
  owners: new Map(),
  forwarders: new Map(),
  aliases: new Map(),
  moved: [],
  texts: 0,
  textChars: 0,
})

/** One more variable that is set. */
export function addVariable({ variables, values }: Actions, variable: Variable): void {
  variables.push(variable)
  const { name } = variable
  const known = values.get(name)
  if (known) known.push(variable)
  else values.set(name, [variable])
}

/** One more list of words that a function, or a text, is called with. */
export function addCall({ calls }: Actions, owner: string, words: readonly Word[]): void {
  const known = calls.get(owner)
  if (known) known.push(words)
  else calls.set(owner, [words])
}

/** Takes over what a text defines. */
export function addDefinitions(
  actions: Actions,
  { functions, background }: Pick<EverydayScript, 'functions' | 'background'>,
): void {
  for (const command of background) actions.background.add(command)
  for (const [name, body] of functions) {
    actions.functions.set(name, body)
    for (const command of body.commands) actions.owners.set(command, name)
  }
}
