/** Reads a function: `name() …` and `function name …`. Its body is commands like others. */
import { type Cursor, giveUp } from './cursor.ts'
import { type Grammar, looksLike } from './grammar.ts'
import type { Command } from './script.ts'

const definition = /([^\s;&|()<>"'`$\\{}=]+)[ \t]*\([ \t]*\)/y
const keyword = /function[ \t]+([^\s;&|()<>"'`$\\]+)(?:[ \t]*\([ \t]*\))?/y

/** The commands of the body; null if no function begins here. */
export function readDefinition(cursor: Cursor, grammar: Grammar): readonly Command[] | null {
  const { everyday } = cursor
  const name = looksLike(cursor, keyword) ?? looksLike(cursor, definition)
  if (name === null || everyday === null) return null
  cursor.at = keyword.lastIndex || definition.lastIndex
  grammar.skipLines(cursor)
  const { input } = everyday
  // What its calls read, which is known when all of them are.
  everyday.input = []
  const body = { input: everyday.input, commands: [] as readonly Command[] }
  cursor.depth += 1
  if (cursor.at >= cursor.text.length) giveUp(cursor, 'a function has no body')
  body.commands = grammar.readCommand(cursor)
  cursor.depth -= 1
  everyday.input = input
  everyday.functions.set(name, body)
  return body.commands
}
