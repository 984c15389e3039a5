/** The parts of the everyday grammar that know each other, handed to the files that read one of them. */
import type { Cursor } from './cursor.ts'
import type { Command, ShellScript, Word } from './script.ts'

export interface Grammar {
  /** Reads commands up to what closes them, which it leaves. */
  readonly readCommands: (cursor: Cursor) => ShellScript
  /** Reads one command, simple or not. */
  readonly readCommand: (cursor: Cursor) => readonly Command[]
  /** Steps over blanks, joined lines and a comment. */
  readonly skipBlanks: (cursor: Cursor) => void
  /** The same, and over line ends. */
  readonly skipLines: (cursor: Cursor) => void
}

/** Does this pattern, which is sticky, stand here? */
export function standsHere(cursor: Cursor, pattern: RegExp): boolean {
  pattern.lastIndex = cursor.at
  return pattern.test(cursor.text)
}

/** Steps over what a sticky pattern finds here, and answers its first group, or else all of it; null if it finds nothing. */
export function takeWord(cursor: Cursor, pattern: RegExp): string | null {
  pattern.lastIndex = cursor.at
  const found = pattern.exec(cursor.text)
  if (found === null) return null
  cursor.at += found[0].length
  return found[1] ?? found[0]
}

/** A word as it is written, for what runs nothing. */
export const plainWord = (text: string): Word => ({
  text,
  exact: text,
  quoted: false,
  expands: false,
  splits: false,
  globs: false,
  braces: false,
  substitutions: [],
})

/** A part of the grammar that runs nothing itself, such as `[[`: what is substituted in its words runs. */
export const inertCommand = (
  name: string,
  words: readonly Word[],
  from: readonly Command[],
): Command => ({
  assignments: [],
  words: [plainWord(name), ...words],
  redirects: [],
  isLoopHead: name === 'for' || name === 'select',
  feeds: false,
  fed: from.length > 0,
  from,
})
