/** Reads a simple command of the everyday grammar: assignments, arrays, words, redirections. */
import { type Cursor, giveUp, sees, stepsOver } from './cursor.ts'
import { type Grammar, takeWord } from './grammar.ts'
import { streamNumber } from './read-compound.ts'
import { readRedirect } from './read-redirect.ts'
import { readWord } from './read-word.ts'
import type { Assignment, Command, Redirect, Word } from './script.ts'

interface Draft {
  readonly assignments: Assignment[]
  readonly words: Word[]
  readonly redirects: Redirect[]
}

/** The command, none where nothing could be read. */
export function readSimple(cursor: Cursor, grammar: Grammar): readonly Command[] {
  const { everyday } = cursor
  if (everyday === null) return []
  const { input: from, output, scope } = everyday
  const itself: Command[] = []
  everyday.output = itself
  const draft: Draft = { assignments: [], words: [], redirects: [] }
  while (readPart(cursor, draft, grammar));
  everyday.output = output
  const { assignments, words, redirects } = draft
  if (assignments.length + words.length + redirects.length === 0) return []
  cursor.commands += 1
  const fed = from.length > 0
  const command: Command = { ...draft, isLoopHead: false, feeds: isPiped(cursor), fed, from, scope }
  itself.push(command)
  return [command]
}

const isPiped = (cursor: Cursor): boolean => sees(cursor, '|') && !sees(cursor, '||')

/** Reads one part; false at the end of the command. */
function readPart(cursor: Cursor, draft: Draft, grammar: Grammar): boolean {
  grammar.skipBlanks(cursor)
  if (cursor.at >= cursor.text.length) return false
  const stream = takeWord(cursor, streamNumber)
  const redirect = readRedirect(cursor, grammar.readCommands)
  if (redirect !== null) {
    draft.redirects.push(stream === null ? redirect : { ...redirect, stream })
    return true
  }
  const read = readWord(cursor, grammar.readCommands)
  if (read === null) {
    if (sees(cursor, '(')) giveUp(cursor, 'it has a parenthesis in an unexpected place')
    return false
  }
  const { word, equals } = read
  const isArray = word.text.endsWith('=') && sees(cursor, '(')
  const whole = isArray ? withArray(cursor, word, grammar) : word
  if (draft.words.length > 0 || equals < 0) draft.words.push(whole)
  else draft.assignments.push(assignmentOf(whole, equals))
  return true
}

/** `name=(one two)`: to whoever looks at values alone, one that nobody can tell. */
function withArray(cursor: Cursor, word: Word, grammar: Grammar): Word {
  const { substitutions } = word
  const elements: Word[] = []
  stepsOver(cursor, '(')
  for (;;) {
    grammar.skipLines(cursor)
    if (stepsOver(cursor, ')')) break
    const read = readWord(cursor, grammar.readCommands)
    if (read === null) {
      giveUp(cursor, 'an array is not closed')
      break
    }
    elements.push(read.word)
  }
  const inner = elements.flatMap((each) => each.substitutions)
  const text = `${word.text}(${elements.map((each) => each.text).join(' ')})`
  const exact = `${word.exact}(${elements.map((each) => each.exact).join(' ')})`
  const all = [...substitutions, ...inner]
  return { ...word, text, exact, expands: true, substitutions: all, elements }
}

function assignmentOf(word: Word, equals: number): Assignment {
  const target = word.text.slice(0, equals)
  const [name = ''] = /^\w+/.exec(target) ?? []
  const at = word.exact.indexOf('=', equals)
  const value = { ...word, text: word.text.slice(equals + 1), exact: word.exact.slice(at + 1) }
  // One element of an array leaves the others as they are.
  return { name, value, appends: target !== name }
}
