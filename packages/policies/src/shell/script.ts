/** A shell text, taken apart: what the other files of this folder look at. */

/** In `Word.exact`, the begin and end of an expansion: `NAME`, or `()` for what a program prints. */
export const expansionStart = '\u0001'
export const expansionEnd = '\u0002'

/** A word after quote removal. Expansions stand in it as written; they are never carried out. */
export interface Word {
  readonly text: string
  /** The same, with each expansion between two marks, so that `${a}b` and `$ab` are told apart. */
  readonly exact: string
  /** Was any of it quoted or escaped? Then it is no keyword. */
  readonly quoted: boolean
  /** Does it hold a `$NAME`? */
  readonly expands: boolean
  /** Does an expansion stand outside of quotes, so that it may become several words? */
  readonly splits: boolean
  /** Does it hold an unquoted `*`, `?` or `[`, or an unquoted brace with alternatives? */
  readonly globs: boolean
  readonly braces: boolean
  /** The scripts of `$(…)` in it. */
  readonly substitutions: readonly ShellScript[]
  /** Of an array that is assigned, its elements. The everyday grammar alone tells them. */
  readonly elements?: readonly Word[]
}

/** A shell that runs commands: that of the script, or one within it, as between parentheses. What one changes, its parent does not see. */
export interface ShellScope {
  readonly parent: ShellScope | null
}

/** `NAME=value` before a program, or alone. */
export interface Assignment {
  readonly name: string
  readonly value: Word
  /** Is it `NAME+=value`? */
  readonly appends: boolean
}

/** `> target` and the like; of a here-document the target is the word that ends it. */
export interface Redirect {
  readonly op: string
  readonly target: Word
  /** The number or variable of its stream, where one is written. The everyday grammar alone tells it. */
  readonly stream?: string
  /** The text of a here-document. The everyday grammar alone keeps it. */
  readonly body?: HereBody
}

/** The body of a here-document. It is read at the end of the line, after the redirection that names it. */
export interface HereBody {
  /** Null until the line has ended. */
  word: Word | null
}

/** One simple command, wherever it stood: in a chain, a pipe, a group, a condition. */
export interface Command {
  readonly assignments: readonly Assignment[]
  readonly words: readonly Word[]
  readonly redirects: readonly Redirect[]
  /** The head of a `for`: its words are a name and values, and nothing of it runs. */
  readonly isLoopHead: boolean
  /** Is its output the input of another? And may its input be the output of another? */
  readonly feeds: boolean
  readonly fed: boolean
  /**
   * The commands whose output may be its input: those before it in the pipe, or before a group or loop around it. The everyday grammar
   * alone tells them, and they are complete once the whole text is read.
   */
  readonly from?: readonly Command[]
  /** The shell that runs it. The everyday grammar alone tells it. */
  readonly scope?: ShellScope
}

/** Every simple command of a text, in order. */
export type ShellScript = readonly Command[]

/** A word that is exactly what it says. */
export const isPlain = (word: Word): boolean =>
  !word.expands && !word.globs && !word.braces && word.substitutions.length === 0

/** The word without its first characters, none of which may be an expansion. */
export const after = (word: Word, length: number): Word => ({
  ...word,
  text: word.text.slice(length),
  exact: word.exact.slice(length),
})

/** A text as a word in which nothing is left to expand but wildcards. */
export const wordOf = (text: string, from: Word): Word => ({ ...from, text, exact: text })

/** The text of the word before its first expansion. */
export const headOf = ({ exact }: Word): string => exact.split(expansionStart, 1)[0] ?? ''

/** Does the word begin with an expansion? */
export const beginsUnseen = ({ exact }: Word): boolean => exact.startsWith(expansionStart)

/** The name of an expansion without the number of an element. */
export const arrayOf = (name: string): string => name.replace(/\[\d+\]$/, '')

/** The names of the expansions in the `exact` of a word, in order. */
export const expansionsIn = (exact: string): readonly string[] =>
  exact
    .split(expansionStart)
    .slice(1)
    .map((piece) => piece.slice(0, piece.indexOf(expansionEnd)))
