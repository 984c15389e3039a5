/** The doings of a shell text, as the checks of this folder look at them. */
import { isPlain, type Command, type Redirect, type Word } from '../../shell/script.ts'

/** A program and its words. */
export interface Executable {
  readonly words: readonly Word[]
  /** Its name in lower case, without a directory: what it is, whatever it is called by. */
  readonly name: string
  /** Must it be on the list of allowed commands? Wrappers that add nothing need not be. */
  readonly listed: boolean
  /** The program that runs it, and the place of its name among that one's words. */
  readonly outer: { readonly executable: Executable; readonly at: number } | null
  /** More words come at run time, which nobody sees here. */
  readonly hasMore: boolean
  /** And could they be any, options included? */
  readonly anyMore: boolean
  readonly command: Command
}

/** All that a text would do. */
export interface Doings {
  readonly executables: Executable[]
  readonly redirects: Redirect[]
  readonly variables: Variable[]
}

export type Variables = readonly Variable[]

/** A variable that a text sets. */
export interface Variable {
  readonly name: string
  /** Its value where it is plain, and where it has wildcards at most; null where nobody can tell. */
  readonly value: string | null
  readonly text: string | null
  /** Do programs see it? Others are the shell's own, unless the environment has one of that name. */
  readonly exported: boolean
  /** Its value as it is written; null where it comes from somewhere else. */
  readonly word: Word | null
}

/** All that a text would do, or why it is refused. `reads`: a program would come out of a pipe, an address or a file. */
export type DoingsReading =
  | { readonly ok: true; readonly doings: Doings }
  | { readonly ok: false; readonly problem: string; readonly reads: boolean }

/** A variable that is set to a word. */
export const variableOf = (name: string, value: Word, exported: boolean): Variable => ({
  name,
  value: isPlain(value) ? value.text : null,
  text: value.expands || value.braces ? null : value.text,
  exported,
  word: value,
})

/** A variable that is set to what nobody sees. */
export const unseenVariable = (name: string): Variable => ({
  name,
  value: null,
  text: null,
  exported: false,
  word: null,
})
