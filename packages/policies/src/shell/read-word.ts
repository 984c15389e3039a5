/**
 * Reads one word of a shell text: quotes, escapes, expansions. What is beyond plain `$NAME` and `$(…)` is read by the everyday grammar
 * alone.
 */
import { giveUp, sees, stepsOver, type Cursor } from './cursor.ts'
import { readExpansion } from './read-expansion.ts'
import { readBackticks, type ReadList, readProcess, readSubstitution } from './read-substitution.ts'
import type { Word } from './script.ts'
import { addExpansion, addText, emptyWord, type WordDraft } from './word-draft.ts'

const ends = ' \t\n;&|<>()'

/** The next word, or null if none begins here. `equals` is the place of the sign in `NAME=value`, -1 without. */
export function readWord(
  cursor: Cursor,
  readList: ReadList,
): { readonly word: Word; readonly equals: number } | null {
  const draft = emptyWord()
  const from = cursor.at
  while (cursor.at < cursor.text.length && (!endsWord(cursor) || opensProcess(cursor)))
    readPiece(cursor, draft, readList)
  const { equals, ...read } = draft
  // `{}` and `{a}` stay as they are.
  const word = {
    ...read,
    braces: read.braces && (cursor.edition === 1 || /,|\.\./.test(read.text)),
  }
  return cursor.at === from || cursor.problem !== null ? null : { word, equals }
}

const endsWord = (cursor: Cursor): boolean => ends.includes(cursor.text.charAt(cursor.at))

/** Does `<(…)` or `>(…)` begin here? */
export const opensProcess = (cursor: Cursor): boolean =>
  cursor.everyday !== null && (sees(cursor, '<(') || sees(cursor, '>('))

/** Reads the next piece of a word: a quoted text, an expansion, a character. */
export function readPiece(cursor: Cursor, draft: WordDraft, readList: ReadList): void {
  const char = cursor.text.charAt(cursor.at)
  if (opensProcess(cursor)) return readProcess(cursor, draft, readList)
  if (char === "'") return readSingle(cursor, draft)
  if (char === '"') return readDouble(cursor, draft, readList)
  if (char === '\\') return readEscape(cursor, draft)
  if (char === '`') return readTicked(cursor, draft, { readList, quoted: false })
  if (char === '$') return readDollar(cursor, draft, { readList, quoted: false })
  if (cursor.everyday !== null && /^[?*+@!]\($/.test(cursor.text.slice(cursor.at, cursor.at + 2)))
    return readAlternatives(cursor, draft, readList)
  if (char === '=' && draft.equals < 0 && canAssign(cursor, draft)) draft.equals = draft.text.length
  if ('*?['.includes(char)) draft.globs = true
  if ('{}'.includes(char)) draft.braces = true
  addText(draft, char)
  cursor.at += 1
}

const canAssign = ({ everyday }: Cursor, draft: WordDraft): boolean =>
  everyday === null
    ? !draft.quoted && !draft.expands && /^[A-Za-z_][A-Za-z0-9_]*\+?$/.test(draft.text)
    : /^[A-Za-z_][A-Za-z0-9_]*(?:\[[^\]]*\])?\+?$/.test(draft.text)

const alternativesMax = 32

/** `@(a|b)` and the like: a pattern with alternatives. It is taken for `*`, from the root if one begins there; what is substituted in it runs. */
function readAlternatives(cursor: Cursor, draft: WordDraft, readList: ReadList): void {
  const inner = emptyWord()
  cursor.at += 2
  draft.globs = true
  cursor.depth += 1
  if (cursor.depth > alternativesMax) giveUp(cursor, 'it is nested too deep')
  for (let depth = 1; depth > 0;) {
    const char = cursor.text.charAt(cursor.at)
    if (char === '') return giveUp(cursor, 'a pattern is not closed')
    if (char === '(') depth += 1
    if (char === ')') depth -= 1
    if (ends.includes(char)) {
      addText(inner, char)
      cursor.at += 1
    } else readPiece(cursor, inner, readList)
  }
  addText(draft, /(?:^|[(|])\//.test(inner.text) ? '/*' : '*')
  draft.substitutions.push(...inner.substitutions)
  cursor.depth -= 1
}

function readTicked(
  cursor: Cursor,
  draft: WordDraft,
  how: { readonly readList: ReadList; readonly quoted: boolean },
): void {
  if (cursor.everyday === null) giveUp(cursor, 'it has a backtick substitution')
  else readBackticks(cursor, draft, how)
}

function readSingle(cursor: Cursor, draft: WordDraft): void {
  const end = cursor.text.indexOf("'", cursor.at + 1)
  if (end < 0) return giveUp(cursor, 'a single quote is not closed')
  addText(draft, cursor.text.slice(cursor.at + 1, end))
  draft.quoted = true
  cursor.at = end + 1
}

function readEscape(cursor: Cursor, draft: WordDraft): void {
  const next = cursor.text.charAt(cursor.at + 1)
  if (next === '') return giveUp(cursor, 'it ends in a backslash')
  cursor.at += 2
  if (next === '\n') return
  draft.quoted = true
  addText(draft, next)
}

export function readDouble(cursor: Cursor, draft: WordDraft, readList: ReadList): void {
  draft.quoted = true
  cursor.at += 1
  while (cursor.at < cursor.text.length) {
    const char = cursor.text.charAt(cursor.at)
    if (stepsOver(cursor, '"')) return
    if (char === '`') readTicked(cursor, draft, { readList, quoted: true })
    else if (char === '$') readDollar(cursor, draft, { readList, quoted: true })
    else if (char === '\\' && '$`"\\\n'.includes(cursor.text.charAt(cursor.at + 1) || ' ')) {
      const next = cursor.text.charAt(cursor.at + 1)
      addText(draft, next === '\n' ? '' : next)
      cursor.at += 2
    } else {
      addText(draft, char)
      cursor.at += 1
    }
  }
  giveUp(cursor, 'a double quote is not closed')
}

const variable = /\$(?:[A-Za-z_][A-Za-z0-9_]*|\{[A-Za-z_][A-Za-z0-9_]*\}|[0-9?#@*$!-])/y

function readDollar(
  cursor: Cursor,
  draft: WordDraft,
  { readList, quoted }: { readonly readList: ReadList; readonly quoted: boolean },
): void {
  if (cursor.everyday !== null)
    return readExpansion(cursor, draft, { readList, quoted, readDouble })
  // The shell joins such lines first, so that `$` and what follows are one again.
  if (sees(cursor, '$\\\n')) return giveUp(cursor, 'it has a line joined after "$"')
  if (sees(cursor, '$((') || sees(cursor, '$['))
    return giveUp(cursor, 'it has an arithmetic expansion')
  if (stepsOver(cursor, '$(')) {
    draft.splits ||= !quoted
    return readSubstitution(cursor, draft, readList)
  }
  if (!quoted && sees(cursor, "$'")) {
    cursor.at += 1
    const end = cursor.text.indexOf("'", cursor.at + 1)
    if (cursor.text.slice(cursor.at, end < 0 ? undefined : end).includes('\\'))
      return giveUp(cursor, "it has escapes in $'…'")
    return readSingle(cursor, draft)
  }
  if (!quoted && stepsOver(cursor, '$"')) {
    cursor.at -= 1
    return readDouble(cursor, draft, readList)
  }
  variable.lastIndex = cursor.at
  const match = variable.exec(cursor.text)
  if (match) {
    const name = match[0].replaceAll(/[${}]/g, '') || '$'
    addExpansion(draft, { shown: `$${name}`, name, splits: !quoted })
    cursor.at += match[0].length
    return
  }
  if (sees(cursor, '${')) return giveUp(cursor, 'it has an expansion that is more than a name')
  addText(draft, '$')
  cursor.at += 1
}
