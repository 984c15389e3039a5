/** Reads what stands between `[[` and `]]`: words and operators, of which nothing runs but what is substituted in them. */
import { type Cursor, giveUp, sees, stepsOver } from './cursor.ts'
import { type Grammar, takeWord } from './grammar.ts'
import { readPiece, readWord } from './read-word.ts'
import type { Word } from './script.ts'
import { addText, emptyWord } from './word-draft.ts'

const end = /\]\](?=[\s;&|()<>]|$)/y
const operators = ['&&', '||', '(', ')', '<', '>'] as const

/** The words, behind `[[` and up to `]]`. */
export function readTest(cursor: Cursor, grammar: Grammar): readonly Word[] {
  const words: Word[] = []
  let isPattern = false
  while (cursor.problem === null) {
    grammar.skipLines(cursor)
    if (cursor.at >= cursor.text.length) giveUp(cursor, 'a "[[" is not closed')
    if (!isPattern && takeWord(cursor, end) !== null) break
    const word: Word | null = isPattern ? readRegExp(cursor, grammar) : readOperand(cursor, grammar)
    if (word !== null) words.push(word)
    isPattern = word !== null && !word.quoted && word.text === '=~'
  }
  return words
}

/** A word; null for an operator, which is stepped over. */
function readOperand(cursor: Cursor, grammar: Grammar): Word | null {
  const isFile = sees(cursor, '<(') || sees(cursor, '>(')
  if (!isFile && operators.some((each) => stepsOver(cursor, each))) return null
  const read = readWord(cursor, grammar.readCommands)
  if (read === null) giveUp(cursor, 'a "[[" has a character in an unexpected place')
  return read?.word ?? null
}

/** A regular expression ends at a blank outside of its parentheses; what ends other words is part of it. */
function readRegExp(cursor: Cursor, { readCommands }: Grammar): Word {
  const draft = emptyWord()
  let depth = 0
  while (cursor.at < cursor.text.length) {
    const char = cursor.text.charAt(cursor.at)
    if (depth === 0 && /[\s;]/.test(char)) break
    if (char === ')' && depth === 0) break
    if (char === '(') depth += 1
    if (char === ')') depth -= 1
    if (/[\s()|<>&;#]/.test(char)) {
      addText(draft, char)
      cursor.at += 1
    } else readPiece(cursor, draft, readCommands)
  }
  const { equals: _, ...word } = draft
  return word
}
