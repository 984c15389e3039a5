/** Reads redirections and here-documents of a shell text. */
import { giveUp, sees, stepsOver, type Cursor } from './cursor.ts'
import { readWord, type ReadList } from './read-word.ts'
import type { Redirect } from './script.ts'

/** Longest first, so that none is taken for the beginning of another. */
const operators = ['&>>', '&>', '<<<', '<<-', '<<', '<&', '<>', '<', '>>', '>&', '>|', '>'] as const

const bodiesMax = 8

/** Words that every shell takes for the same text: shells do not expand the end of a here-document, but differ in `$'…'`. */
const plainEnd = /^(?:[\w.,:@%+=/!-]|\\[\w.-]|'[^'"\n$`\\]*'|"[^'"\n$`\\]*")+$/

/** The next redirection, or null if none begins here. */
export function readRedirect(cursor: Cursor, readList: ReadList): Redirect | null {
  const op = operators.find((each) => sees(cursor, each))
  if (op === undefined) return null
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
    const body = { end: target.text, literal: target.quoted, stripsTabs: op === '<<-' }
    cursor.bodies = [...cursor.bodies, body]
    if (cursor.bodies.length > bodiesMax) giveUp(cursor, 'a line has too many here-documents')
  }
  return { op, target }
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
