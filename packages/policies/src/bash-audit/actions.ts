/**
 * What a script would do, as far as its text says: every program, redirection and variable, wherever it stands.
 *
 * N1 A part that cannot be told is named, and what stands around it is judged all the same: nothing here refuses.
 * N2 The texts that shells, `eval` and `trap` are given are read like the script itself, at most eight deep.
 */
import type { Doings, Executable, Variable } from '../passport/command/doings.ts'
import type { ShellFunction } from '../shell/cursor.ts'
import type { EverydayScript } from '../shell/parse-everyday.ts'
import type { Command, Redirect, Word } from '../shell/script.ts'

/** A variable, and where its value comes from: a word, or the input of a command. */
interface Setting {
  readonly name: string
  readonly word: Word | null
  readonly input: Command | null
}

/** A program that the script does not spell out: a shell or another interpreter takes it from words, or from an input. */
export interface ProgramSource {
  readonly words: readonly Word[]
  /** The command whose input is, or is part of, the program. */
  readonly input: Command | null
  /** What is said where it comes from nothing that is refused. Null: nothing, it is an everyday thing to do. */
  readonly unclear: string | null
}

/** What was found; it grows while a script is read. */
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
}

/** Nothing found yet. */
export const noActions = (): Actions => ({
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
})

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
