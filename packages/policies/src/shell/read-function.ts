/** Reads a function: `name() …` and `function name …`. Its body is commands like others. */
import { type Cursor, giveUp } from './cursor.ts'
import { type Grammar, takeWord } from './grammar.ts'
import type { Command } from './script.ts'

const definition = /([^\s;&|()<>"'`$\\{}=]+)[ \t]*\([ \t]*\)/y
const keyword = /function[ \t]+([^\s;&|()<>"'`$\\]+)(?:[ \t]*\([ \t]*\))?/y

/** The commands of the body; null if no function begins here. */
export function readFunction(cursor: Cursor, grammar: Grammar): readonly Command[] | null {
  const { everyday } = cursor
  const name = takeWord(cursor, keyword) ?? takeWord(cursor, definition)
  if (name === null || everyday === null) return null
  grammar.skipLines(cursor)
  const { input } = everyday
  // The commands that call it, whose input its body reads: the audit adds each one when it finds it.
  const read: Command[] = []
  everyday.input = read
  cursor.depth += 1
  if (cursor.at >= cursor.text.length) giveUp(cursor, 'a function has no body')
  const commands = grammar.readCommand(cursor)
  cursor.depth -= 1
  everyday.input = input
  everyday.functions.set(name, { input: read, commands })
  return commands
}
