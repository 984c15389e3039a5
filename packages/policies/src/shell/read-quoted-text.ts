/** Reads the body of a here-document: expansions as in double quotes, unless its end is quoted. */
import type { Cursor } from './cursor.ts'
import { readDouble } from './read-word.ts'
import { readExpansion } from './read-expansion.ts'
import { readBackticks, type ReadList } from './read-substitution.ts'
import type { Word } from './script.ts'
import { addText, emptyWord } from './word-draft.ts'

/** Reads the whole text. */
export function readQuotedText(cursor: Cursor, literal: boolean, readList: ReadList): Word {
  const draft = emptyWord()
  draft.quoted = true
  const how = { readList, quoted: true, readDouble }
  while (cursor.at < cursor.text.length) {
    const char = cursor.text.charAt(cursor.at)
    if (!literal && char === '$') readExpansion(cursor, draft, how)
    else if (!literal && char === '`') readBackticks(cursor, draft, how)
    else {
      const isEscape = !literal && /^\\[$`\\]/.test(cursor.text.slice(cursor.at, cursor.at + 2))
      if (isEscape) cursor.at += 1
      addText(draft, cursor.text.charAt(cursor.at))
      cursor.at += 1
    }
  }
  const { equals: _, ...word } = draft
  return word
}
