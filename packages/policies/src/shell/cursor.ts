/** Where the reader of a shell text stands. After a problem it stands at the end, so that every loop ends. */

import type { PassportEdition } from '@signalbox/core'
import type { Command, HereBody, ShellScope } from './script.ts'

/** A here-document whose body is still to come. */
export interface PendingBody {
  readonly end: string
  /** Was the word that ends it quoted? Then nothing in the body expands. */
  readonly literal: boolean
  readonly stripsTabs: boolean
  /** Where the body is put once it is read. Absent: nobody keeps it. */
  readonly body?: HereBody
}

/** A function that a text defines. */
export interface ShellFunction {
  /** Every simple command of its body. */
  readonly commands: readonly Command[]
  /** The commands that call it: its body reads their input. */
  readonly input: Command[]
}

/** The state of the everyday grammar while it reads, besides the place. */
export interface EverydayState {
  /** The commands that the input of the command at hand comes from, and those whose output a `>(…)` at hand reads. */
  input: readonly Command[]
  output: Command[]
  /** The shell that runs the command at hand. */
  scope: ShellScope
  readonly functions: Map<string, ShellFunction>
  /** Commands that the shell does not wait for. */
  readonly background: Set<Command>
}

/** One reading of one text; used once. */
export interface Cursor {
  readonly text: string
  readonly edition: PassportEdition
  at: number
  /** How many groups and substitutions are open. */
  depth: number
  commands: number
  problem: string | null
  bodies: readonly PendingBody[]
  /**
   * The flag of the reading. Null: the grammar of passports, to which whatever is beyond simple commands, groups and loops is a problem.
   * Else the everyday grammar: tests, arithmetic, every expansion, functions, arrays, `case`, process substitution.
   */
  readonly everyday: EverydayState | null
}

/** At the beginning of a text. */
export const cursorOn = (
  text: string,
  edition: PassportEdition,
  everyday: EverydayState | null = null,
): Cursor => ({
  text,
  edition,
  at: 0,
  depth: 0,
  commands: 0,
  problem: null,
  bodies: [],
  everyday,
})

/** The text cannot be judged. The first reason stays. */
export function giveUp(cursor: Cursor, why: string): void {
  cursor.problem ??= why
  cursor.at = cursor.text.length
}

/** Does the rest begin with this? */
export const sees = (cursor: Cursor, text: string): boolean =>
  cursor.text.startsWith(text, cursor.at)

/** Reads what a shell within the one at hand runs. */
export function inShell<Read>({ everyday }: Cursor, read: () => Read): Read {
  if (everyday === null) return read()
  const { scope } = everyday
  everyday.scope = { parent: scope }
  const result = read()
  everyday.scope = scope
  return result
}

/** Steps over the text if the rest begins with it. */
export function stepsOver(cursor: Cursor, text: string): boolean {
  if (!sees(cursor, text)) return false
  cursor.at += text.length
  return true
}
