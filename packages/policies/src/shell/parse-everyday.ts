/**
 * Takes a shell text of every day apart into its simple commands: tests, arithmetic, functions, arrays, `case` and every substitution
 * included. For whoever looks for what a text would do, not for whoever must know all that it could.
 *
 * Y1 Every simple command of the text is told once, those of functions, conditions and substitutions too, each with the commands that its
 *    input may come from.
 * Y2 Never thrown, always ends; depth and number of commands have a limit. What cannot be read ends the reading, and what stood before it
 *    is told with the problem: the shell, too, runs the lines before one that it cannot read.
 */
import {
  type Cursor,
  cursorOn,
  type EverydayState,
  giveUp,
  sees,
  type ShellFunction,
  stepsOver,
} from './cursor.ts'
import { type Grammar, standsHere, takeWord } from './grammar.ts'
import { readCompound } from './read-compound.ts'
import { readFunction } from './read-function.ts'
import { keepBodies } from './read-redirect.ts'
import { readSimple } from './read-simple.ts'
import type { Command, ShellScope, ShellScript } from './script.ts'

const depthMax = 32
const commandsMax = 10_000

/** The commands of a text, and the first thing that could not be read; null if all of it was. */
export interface EverydayScript {
  readonly script: ShellScript
  readonly problem: string | null
  readonly functions: ReadonlyMap<string, ShellFunction>
  /** Commands that the shell does not wait for. */
  readonly background: ReadonlySet<Command>
}

/** Reads a whole text whose input comes from some commands, none if it stands by itself, and which a shell of its own or another's runs. */
export function parseEveryday(
  text: string,
  input: readonly Command[] = [],
  scope: ShellScope = { parent: null },
): EverydayScript {
  const everyday: EverydayState = {
    input,
    output: [],
    scope,
    functions: new Map(),
    background: new Set(),
  }
  const cursor = cursorOn(text, 2, everyday)
  const script = readCommands(cursor)
  if (cursor.at < text.length) giveUp(cursor, 'it has a character in an unexpected place')
  keepBodies(cursor, readCommands)
  const { functions, background } = everyday
  return { script, problem: cursor.problem, functions, background }
}

/** Words that end a list of commands where a program could stand. */
const closing = /(?:then|elif|else|fi|do|done|esac|\})(?=[\s;&|()<>]|$)/y
const negation = /!(?=[\s(])|time(?:\s+-p)?(?=\s)/y

/** Reads commands up to the end of the text, a closing parenthesis, `;;`, or a word that closes what is around them. */
function readCommands(cursor: Cursor): ShellScript {
  const commands: Command[] = []
  if (cursor.depth > depthMax) giveUp(cursor, 'it is nested too deep')
  if (cursor.commands > commandsMax) giveUp(cursor, `it has more than ${commandsMax} commands`)
  for (;;) {
    skipSeparators(cursor)
    if (cursor.at >= cursor.text.length || endsList(cursor)) return commands
    const before = cursor.at
    commands.push(...readPipeline(cursor))
    if (cursor.at === before) giveUp(cursor, 'it has a character in an unexpected place')
  }
}

function endsList(cursor: Cursor): boolean {
  if (sees(cursor, ')') || sees(cursor, ';;') || sees(cursor, ';&')) return true
  return standsHere(cursor, closing)
}

/** Steps over blanks, joined lines and a comment. */
function skipBlanks(cursor: Cursor): void {
  while (stepsOver(cursor, ' ') || stepsOver(cursor, '\t') || stepsOver(cursor, '\\\n'));
  if (!sees(cursor, '#')) return
  const end = cursor.text.indexOf('\n', cursor.at)
  cursor.at = end < 0 ? cursor.text.length : end
}

/** Steps over blanks and line ends, and reads the here-documents that begin behind them. */
function skipLines(cursor: Cursor): void {
  for (;;) {
    skipBlanks(cursor)
    if (!stepsOver(cursor, '\n')) return
    keepBodies(cursor, readCommands)
  }
}

function skipSeparators(cursor: Cursor): void {
  for (;;) {
    skipLines(cursor)
    if (sees(cursor, ';;') || sees(cursor, ';&')) return
    if (stepsOver(cursor, '&&') || stepsOver(cursor, '||')) continue
    if (stepsOver(cursor, ';')) continue
    if (sees(cursor, '&>') || !stepsOver(cursor, '&')) return
  }
}

function readPipeline(cursor: Cursor): readonly Command[] {
  const { everyday } = cursor
  if (everyday === null) return []
  const { input } = everyday
  const all: Command[] = []
  for (;;) {
    while (takeWord(cursor, negation) !== null) skipBlanks(cursor)
    const element = readCommand(cursor)
    all.push(...element)
    skipBlanks(cursor)
    if (sees(cursor, '||') || !(stepsOver(cursor, '|&') || stepsOver(cursor, '|'))) break
    everyday.input = [...element]
    skipLines(cursor)
  }
  everyday.input = input
  if (sees(cursor, '&') && !sees(cursor, '&&') && !sees(cursor, '&>'))
    for (const command of all) everyday.background.add(command)
  return all
}

function readCommand(cursor: Cursor): readonly Command[] {
  if (cursor.depth > depthMax) giveUp(cursor, 'it is nested too deep')
  const parts: Grammar = { readCommands, readCommand, skipBlanks, skipLines }
  return readFunction(cursor, parts) ?? readCompound(cursor, parts) ?? readSimple(cursor, parts)
}
