/** Reads redirections and here-documents of a shell text. */
import { giveUp, sees, stepsOver, type Cursor } from './cursor.ts'
import { readQuotedText } from './read-quoted-text.ts'
import { type ReadList, readWithin } from './read-substitution.ts'
import { opensProcess, readWord } from './read-word.ts'
import type { HereBody, Redirect } from './script.ts'

/** Longest first, so that none is taken for the beginning of another. */
const operators = ['&>>', '&>', '<<<', '<<-', '<<', '<&', '<>', '<', '>>', '>&', '>|', '>'] as const

const bodiesMax = 8

/** Words that every shell takes for the same text: shells do not expand the end of a here-document, but differ in `$'…'`. */
const plainEnd = /^(?:[\w.,:@%+=/!-]|\\[\w.-]|'[^'"\n$`\\]*'|"[^'"\n$`\\]*")+$/

/** The next redirection, or null if none begins here. */
export function readRedirect(cursor: Cursor, readList: ReadList): Redirect | null {
  const op = operators.find((each) => sees(cursor, each))
  if (op === undefined || opensProcess(cursor)) return null
  cursor.at += op.length
  // Joined to it, the next line could make it another one: `<<` and `-`.
  if (sees(cursor, '\\\n')) giveUp(cursor, 'a redirection has a joined line')
  while (stepsOver(cursor, ' ') || stepsOver(cursor, '\t') || stepsOver(cursor, '\\\n'));
  if (sees(cursor, '(')) giveUp(cursor, 'it has a process substitution')
  const from = cursor.at
  const read = readWord(cursor, readList)
  if (read === null) {
    giveUp(cursor, 'a redirection has no target')
    return null
  }
  const target = read.word
  if (op === '<<' || op === '<<-') {
    if (!plainEnd.test(cursor.text.slice(from, cursor.at)))
      giveUp(cursor, 'the word that ends a here-document is not plain')
    const pending = { end: target.text, literal: target.quoted, stripsTabs: op === '<<-' }
    const body: HereBody | null = cursor.everyday === null ? null : { word: null }
    cursor.bodies = [...cursor.bodies, body === null ? pending : { ...pending, body }]
    if (cursor.bodies.length > bodiesMax) giveUp(cursor, 'a line has too many here-documents')
    if (body !== null) return { op, target, body }
  }
  return { op, target }
}

/** Reads the bodies of the here-documents of the line that has just ended, and keeps them. A text that ends, ends them. */
export function keepBodies(cursor: Cursor, readList: ReadList): void {
  const { bodies } = cursor
  cursor.bodies = []
  for (const { end, literal, stripsTabs, body } of bodies) {
    const lines: string[] = []
    while (cursor.at < cursor.text.length) {
      const newline = cursor.text.indexOf('\n', cursor.at)
      const raw = cursor.text.slice(cursor.at, newline < 0 ? undefined : newline)
      cursor.at = newline < 0 ? cursor.text.length : newline + 1
      const line = stripsTabs ? raw.replace(/^\t+/, '') : raw
      if (line === end) break
      lines.push(line)
    }
    const text = lines.join('\n')
    if (body)
      body.word = readWithin(cursor, text, (within) => readQuotedText(within, literal, readList))
  }
}

/** Steps over the bodies of the here-documents of the line that has just ended. */
export function readBodies(cursor: Cursor): void {
  const { bodies } = cursor
  cursor.bodies = []
  for (const body of bodies) {
    for (;;) {
      if (cursor.at >= cursor.text.length) return giveUp(cursor, 'a here-document is not closed')
      const newline = cursor.text.indexOf('\n', cursor.at)
      const end = newline < 0 ? cursor.text.length : newline
      const raw = cursor.text.slice(cursor.at, end)
      cursor.at = Math.min(end + 1, cursor.text.length)
      if ((body.stripsTabs ? raw.replace(/^\t+/, '') : raw) === body.end) break
      // Unless its end is quoted, a body is expanded like a text in double quotes.
      if (!body.literal && /`|\$[([]|\$\{(?![A-Za-z_][A-Za-z0-9_]*\})|\\$/.test(raw))
        return giveUp(
          cursor,
          'a here-document has a substitution or a joined line; quote the word that ends it',
        )
    }
  }
}
