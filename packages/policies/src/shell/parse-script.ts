/**
 * Takes a shell text apart into its simple commands, as far as that is safe.
 *
 * S1 Every word that a POSIX shell or bash could run as a program is the first word of a command here. The grammar is
 *    read loosely (an `fi` may lack its `if`), never the other way: what is not understood is a problem, not a pass.
 * S2 Never thrown, always ends: time is linear in the text; depth and number of commands have a limit.
 */
import type { PassportEdition } from '@signalbox/core'
import { cursorOn, giveUp, sees, stepsOver, type Cursor } from './cursor.ts'
import { readRedirect, readBodies } from './read-redirect.ts'
import { readWord } from './read-word.ts'
import type { Assignment, Command, Redirect, ShellScript, Word } from './script.ts'

const depthMax = 8
const commandsMax = 200

/** A script, or why the text cannot be judged. */
export type ScriptReading =
  | { readonly ok: true; readonly script: ShellScript }
  | { readonly ok: false; readonly problem: string }

/** Reads a whole text. */
export function parseScript(text: string, edition: PassportEdition): ScriptReading {
  const cursor = cursorOn(text, edition)
  const script = readList(cursor)
  if (cursor.at < text.length) giveUp(cursor, 'a parenthesis is closed that was not opened')
  if (cursor.bodies.length > 0) giveUp(cursor, 'a here-document is not closed')
  return cursor.problem === null ? { ok: true, script } : { ok: false, problem: cursor.problem }
}

interface Draft {
  assignments: Assignment[]
  words: Word[]
  redirects: Redirect[]
  isLoopHead: boolean
  /** Did the keyword `time` stand here? It may have an option. */
  isTimed: boolean
  /** Did `&>` stand here? To some shells it ends the command, so that a word after it would be a program. */
  isEnded: boolean
}

const emptyDraft = (): Draft => ({
  assignments: [],
  words: [],
  redirects: [],
  isLoopHead: false,
  isTimed: false,
  isEnded: false,
})

/** Words that only order what follows them, which is in the place of a program again. */
const orders = new Set([
  'if',
  'then',
  'elif',
  'else',
  'fi',
  'while',
  'until',
  'do',
  'done',
  '!',
  '{',
  '}',
])
/** Words that begin what we do not read. */
const strange = new Set(['case', 'esac', 'select', 'function', 'coproc', '[[', ']]'])

function readList(cursor: Cursor): ShellScript {
  const commands: Command[] = []
  if (cursor.depth > depthMax) giveUp(cursor, 'it is nested too deep')
  let draft = emptyDraft()
  let fed = false
  const close = (feeds: boolean): void => {
    const { assignments, words, redirects, isLoopHead } = draft
    if (assignments.length + words.length + redirects.length > 0) {
      commands.push({ assignments, words, redirects, isLoopHead, feeds, fed })
      cursor.commands += 1
      if (cursor.commands > commandsMax) giveUp(cursor, `it has more than ${commandsMax} commands`)
    }
    draft = emptyDraft()
    fed ||= feeds
  }
  for (;;) {
    skipBlank(cursor)
    if (cursor.at >= cursor.text.length || sees(cursor, ')')) break
    const separator = readSeparator(cursor)
    if (separator !== null) close(separator === '|')
    else if (sees(cursor, '(')) {
      if (draft.words.length > 0 || draft.assignments.length > 0)
        giveUp(cursor, 'it has a function, an array or a pattern')
      close(false)
      commands.push(...readGroup(cursor))
    } else readPart(cursor, draft)
  }
  close(false)
  return commands
}

/** Steps over spaces, and over a comment that begins after them. */
function skipBlank(cursor: Cursor): void {
  while (stepsOver(cursor, ' ') || stepsOver(cursor, '\t') || stepsOver(cursor, '\\\n'));
  if (!sees(cursor, '#')) return
  const end = cursor.text.indexOf('\n', cursor.at)
  cursor.at = end < 0 ? cursor.text.length : end
}

/** The separator between two commands: a pipe, or anything else that ends the first; null if neither. */
function readSeparator(cursor: Cursor): '|' | ';' | null {
  if (stepsOver(cursor, '\n')) {
    readBodies(cursor)
    return ';'
  }
  if (sees(cursor, ';;') || sees(cursor, ';&')) giveUp(cursor, 'it has a case')
  if (stepsOver(cursor, '&&') || stepsOver(cursor, '||') || stepsOver(cursor, ';')) return ';'
  if (stepsOver(cursor, '|&') || stepsOver(cursor, '|')) return '|'
  return !sees(cursor, '&>') && stepsOver(cursor, '&') ? ';' : null
}

function readGroup(cursor: Cursor): ShellScript {
  if (sees(cursor, '((')) giveUp(cursor, 'it has an arithmetic command')
  cursor.at += 1
  cursor.depth += 1
  const script = readList(cursor)
  cursor.depth -= 1
  if (!stepsOver(cursor, ')')) giveUp(cursor, 'a parenthesis is not closed')
  return script
}

function readPart(cursor: Cursor, draft: Draft): void {
  const redirect = readRedirect(cursor, readList)
  if (redirect !== null) {
    draft.redirects.push(redirect)
    draft.isEnded ||= redirect.op.startsWith('&')
    return
  }
  const read = readWord(cursor, readList)
  if (read === null) return giveUp(cursor, 'it has a character in an unexpected place')
  const { word, equals } = read
  const isNumber = !word.quoted && /^\d+$/.test(word.text)
  // The number of the stream that a redirection is about.
  if (isNumber && (sees(cursor, '<') || sees(cursor, '>'))) return
  if (draft.isEnded) return giveUp(cursor, 'a word follows "&>"')
  // `for x do …` has no separator before its body.
  if (draft.isLoopHead && draft.words.length === 2 && word.text !== 'in')
    return giveUp(cursor, 'a loop has no "in"')
  if (draft.words.length > 0) draft.words.push(word)
  else if (equals >= 0) draft.assignments.push(assignmentOf(word, equals))
  else readFirst(cursor, draft, word)
}

function assignmentOf(word: Word, equals: number): Assignment {
  const name = word.text.slice(0, equals).replace(/\+$/, '')
  const value = { ...word, text: word.text.slice(equals + 1), exact: word.exact.slice(equals + 1) }
  return { name, value, appends: word.text.charAt(equals - 1) === '+' }
}

function readFirst(cursor: Cursor, draft: Draft, word: Word): void {
  const canOrder = !word.quoted && draft.assignments.length + draft.redirects.length === 0
  if (canOrder && strange.has(word.text)) return giveUp(cursor, `it has a "${word.text}"`)
  if (canOrder && orders.has(word.text)) return
  if (canOrder && draft.isTimed && (word.text === '-p' || word.text === '--')) return
  if (canOrder && word.text === 'time') {
    draft.isTimed = true
    return
  }
  if (canOrder && word.text === 'for') draft.isLoopHead = true
  draft.words.push(word)
}
