/** Reads what holds commands: groups, conditions, loops, `case`, `[[ … ]]`, `(( … ))`. */
import { type Cursor, giveUp, inShell, sees, stepsOver } from './cursor.ts'
import { type Grammar, inertCommand, plainWord, standsHere, takeWord } from './grammar.ts'
import { closesTwice, readArithmetic } from './read-expansion.ts'
import { readRedirect } from './read-redirect.ts'
import { readTest } from './read-test.ts'
import { readDouble, readWord } from './read-word.ts'
import type { Command, Redirect, Word } from './script.ts'
import { emptyWord } from './word-draft.ts'

const opening = /(?:if|while|until|for|select|case|coproc|\{|\[\[)(?=[\s;&|()<>]|$)|\(/y
const closers: Readonly<Record<string, string>> = {
  if: 'fi',
  while: 'done',
  until: 'done',
  for: 'done',
  select: 'done',
  '{': '}',
}
const loopBody = /(?:do|\{)(?=[\s;&|()<>]|$)/y
const braceBody = /[\s;]*\{(?=[\s;&|()<>]|$)/y
const between = /(?:then|elif|else|do)(?=[\s;&|()<>]|$)/y

/** Its commands; null if none begins here. */
export function readCompound(cursor: Cursor, grammar: Grammar): readonly Command[] | null {
  const { everyday } = cursor
  const opener = takeWord(cursor, opening)
  if (opener === null || everyday === null) return null
  const { input, output } = everyday
  const redirects: Redirect[] = []
  // Its redirections stand behind it, and are the input of all that is in it: so is what it reads itself.
  const around: Command = { ...inertCommand('', [], input), words: [], redirects }
  everyday.input = [around]
  cursor.depth += 1
  const commands = readBody(cursor, opener, grammar)
  cursor.depth -= 1
  everyday.input = input
  everyday.output = [...commands]
  for (;;) {
    grammar.skipBlanks(cursor)
    const stream = takeWord(cursor, streamNumber)
    const redirect = readRedirect(cursor, grammar.readCommands)
    if (redirect === null) break
    redirects.push(stream === null ? redirect : { ...redirect, stream })
  }
  everyday.output = output
  return [around, ...commands]
}

/** The number or variable of the stream that a redirection is about. */
export const streamNumber = /(?:\d+|\{\w+\})(?=[<>])/y

function readBody(cursor: Cursor, opener: string, grammar: Grammar): readonly Command[] {
  const from = cursor.everyday?.input ?? []
  if (opener === '(') return readParenthesis(cursor, grammar)
  if (opener === '[[') return [inertCommand('[[', readTest(cursor, grammar), from)]
  if (opener === 'case') return readCase(cursor, grammar)
  if (opener === 'coproc') return readCoproc(cursor, grammar)
  const isLoop = opener === 'for' || opener === 'select'
  const head = isLoop ? readLoopHead(cursor, opener, grammar) : []
  // `for x in a b; { …; }`: braces may stand for `do` and `done`.
  if (isLoop && takeWord(cursor, braceBody) !== null)
    return [...head, ...readUntil(cursor, { opener: '{', closer: '}' }, grammar)]
  return [...head, ...readUntil(cursor, { opener, closer: closers[opener] ?? 'fi' }, grammar)]
}

/** Reads lists up to the word that closes them. Words between them, such as `then`, only order them. */
function readUntil(
  cursor: Cursor,
  { opener, closer }: { readonly opener: string; readonly closer: string },
  grammar: Grammar,
): readonly Command[] {
  const commands: Command[] = []
  for (;;) {
    commands.push(...grammar.readCommands(cursor))
    if (cursor.problem !== null) return commands
    if (stepsOver(cursor, closer)) return commands
    if (takeWord(cursor, between) === null) giveUp(cursor, `a "${opener}" is not closed`)
  }
}

function readParenthesis(cursor: Cursor, grammar: Grammar): readonly Command[] {
  if (sees(cursor, '(') && closesTwice(cursor.text, cursor.at + 1)) {
    cursor.at += 1
    return [inertCommand('((', [arithmetic(cursor, grammar)], cursor.everyday?.input ?? [])]
  }
  const commands = inShell(cursor, () => grammar.readCommands(cursor))
  if (!stepsOver(cursor, ')')) giveUp(cursor, 'a parenthesis is not closed')
  return commands
}

function arithmetic(cursor: Cursor, { readCommands: readList }: Grammar): Word {
  const draft = emptyWord()
  readArithmetic(cursor, draft, { readList, quoted: true, readDouble, end: '))' })
  const { equals: _, ...word } = draft
  return word
}

function readLoopHead(cursor: Cursor, opener: string, grammar: Grammar): readonly Command[] {
  const from = cursor.everyday?.input ?? []
  grammar.skipBlanks(cursor)
  if (stepsOver(cursor, '((')) return [inertCommand('((', [arithmetic(cursor, grammar)], from)]
  const words: Word[] = []
  for (;;) {
    grammar.skipBlanks(cursor)
    if (words.length === 1) grammar.skipLines(cursor)
    // `for x do …` has no list: its values are the arguments.
    if (words.length === 1 && standsHere(cursor, loopBody)) break
    const read = readWord(cursor, grammar.readCommands)
    if (read === null) break
    words.push(read.word)
  }
  return [inertCommand(opener, words, from)]
}

function readCase(cursor: Cursor, grammar: Grammar): readonly Command[] {
  const words: Word[] = []
  const commands: Command[] = []
  const read = (): void => {
    const found = readWord(cursor, grammar.readCommands)
    if (found === null) giveUp(cursor, 'a "case" has a character in an unexpected place')
    else words.push(found.word)
  }
  grammar.skipBlanks(cursor)
  read()
  grammar.skipLines(cursor)
  if (!stepsOver(cursor, 'in')) giveUp(cursor, 'a "case" has no "in"')
  while (cursor.problem === null) {
    grammar.skipLines(cursor)
    if (takeWord(cursor, esac) !== null) break
    stepsOver(cursor, '(')
    do {
      grammar.skipBlanks(cursor)
      read()
      grammar.skipBlanks(cursor)
    } while (stepsOver(cursor, '|'))
    if (!stepsOver(cursor, ')')) giveUp(cursor, 'a pattern of a "case" is not closed')
    commands.push(...grammar.readCommands(cursor))
    if (!(stepsOver(cursor, ';;&') || stepsOver(cursor, ';;') || stepsOver(cursor, ';&')))
      if (!standsHere(cursor, esac)) giveUp(cursor, 'a "case" is not closed')
  }
  return [inertCommand('case', words, cursor.everyday?.input ?? []), ...commands]
}

const esac = /esac(?=[\s;&|()<>]|$)/y
const named = /[ \t]+[A-Za-z_]\w*(?=[ \t\n]+(?:\{|\(|if|while|until|for|case|\[\[))/y

/** `coproc NAME { … }`; without a group there is no name. What it reads, other commands write; what it writes is read by its name. */
function readCoproc(cursor: Cursor, grammar: Grammar): readonly Command[] {
  const { everyday } = cursor
  const name = takeWord(cursor, named)?.trim() ?? 'COPROC'
  grammar.skipBlanks(cursor)
  if (everyday === null) return []
  everyday.input = [inertCommand('coproc', [], everyday.input)]
  const commands = grammar.readCommand(cursor)
  return [...commands, inertCommand('coproc', [plainWord(name)], commands)]
}
