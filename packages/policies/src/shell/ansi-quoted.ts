/** Reads `$'…'`: a text in single quotes whose escapes are carried out, as the manual of bash has them. */
import { type Cursor, giveUp } from './cursor.ts'
import { expansionEnd, expansionStart } from './script.ts'
import { addText, type WordDraft } from './word-draft.ts'

const letters: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  e: '\u001B',
  E: '\u001B',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

const quotedText = /\$'((?:[^'\\]|\\[^])*)'/y
const escapes =
  /\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|c([^])|([^]))/g

/** Reads from `$'` on. */
export function readAnsiQuoted(cursor: Cursor, draft: WordDraft): void {
  quotedText.lastIndex = cursor.at
  const found = quotedText.exec(cursor.text)
  if (found === null) return giveUp(cursor, 'a single quote is not closed')
  cursor.at = quotedText.lastIndex
  draft.quoted = true
  const text = (found[1] ?? '').replaceAll(
    escapes,
    (_, ...groups: readonly (string | undefined)[]) => {
      const [hex, short, long, octal, control, other = ''] = groups
      const digits = hex ?? short ?? long
      if (digits !== undefined) return charOf(parseInt(digits, 16))
      if (octal !== undefined) return charOf(parseInt(octal, 8) % 256)
      if (control !== undefined) return charOf(control.charCodeAt(0) % 32)
      return letters[other] ?? (/^[\\'"?]$/.test(other) ? other : `\\${other}`)
    },
  )
  // A NUL ends the text for bash, and the marks of expansions must not be written by it.
  const [seen = ''] = text.split('\0', 1)
  addText(draft, seen.replaceAll(expansionStart, '?').replaceAll(expansionEnd, '?'))
}

const charOf = (code: number): string => (code <= 0x10_ff_ff ? String.fromCodePoint(code) : '?')
