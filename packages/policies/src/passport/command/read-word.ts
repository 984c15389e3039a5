/** Reads one word of a shell text: quotes, escapes, expansions. What is beyond plain `$NAME` and `$(…)` is not judged. */
import { giveUp, sees, stepsOver, type Cursor } from './cursor.ts'
import { expansionEnd, expansionStart, type ShellScript, type Word } from './script.ts'

/** Reads the commands up to a closing parenthesis, which it leaves. */
export type ReadList = (cursor: Cursor) => ShellScript

interface Draft {
  text: string
  exact: string
  quoted: boolean
  expands: boolean
  splits: boolean
  globs: boolean
  braces: boolean
  substitutions: ShellScript[]
  /** Index in `text` of the `=` of `NAME=`, if the word so far can be an assignment. */
  equals: number
}

const ends = ' \t\n;&|<>()'

/** The next word, or null if none begins here. `equals` is the place of the sign in `NAME=value`, -1 without. */
export function readWord(
  cursor: Cursor,
  readList: ReadList,
): { readonly word: Word; readonly equals: number } | null {
  const draft: Draft = {
    text: '',
    exact: '',
    quoted: false,
    expands: false,
    splits: false,
    globs: false,
    braces: false,
    substitutions: [],
    equals: -1,
  }
  const from = cursor.at
  while (cursor.at < cursor.text.length && !ends.includes(cursor.text.charAt(cursor.at)))
    readPiece(cursor, draft, readList)
  const { equals, ...read } = draft
  // `{}` and `{a}` stay as they are.
  const word = {
    ...read,
    braces: read.braces && (cursor.edition === 1 || /,|\.\./.test(read.text)),
  }
  return cursor.at === from || cursor.problem !== null ? null : { word, equals }
}

function readPiece(cursor: Cursor, draft: Draft, readList: ReadList): void {
  const char = cursor.text.charAt(cursor.at)
  if (char === "'") return readSingle(cursor, draft)
  if (char === '"') return readDouble(cursor, draft, readList)
  if (char === '\\') return readEscape(cursor, draft)
  if (char === '`') return giveUp(cursor, 'it has a backtick substitution')
  if (char === '$') return readDollar(cursor, draft, { readList, quoted: false })
  if (char === '=' && draft.equals < 0 && canAssign(draft)) draft.equals = draft.text.length
  if ('*?['.includes(char)) draft.globs = true
  if ('{}'.includes(char)) draft.braces = true
  add(draft, char)
  cursor.at += 1
}

function add(draft: Draft, text: string): void {
  draft.text += text
  draft.exact += text
}

const canAssign = (draft: Draft): boolean =>
  !draft.quoted && !draft.expands && /^[A-Za-z_][A-Za-z0-9_]*\+?$/.test(draft.text)

function readSingle(cursor: Cursor, draft: Draft): void {
  const end = cursor.text.indexOf("'", cursor.at + 1)
  if (end < 0) return giveUp(cursor, 'a single quote is not closed')
  add(draft, cursor.text.slice(cursor.at + 1, end))
  draft.quoted = true
  cursor.at = end + 1
}

function readEscape(cursor: Cursor, draft: Draft): void {
  const next = cursor.text.charAt(cursor.at + 1)
  if (next === '') return giveUp(cursor, 'it ends in a backslash')
  cursor.at += 2
  if (next === '\n') return
  draft.quoted = true
  add(draft, next)
}

function readDouble(cursor: Cursor, draft: Draft, readList: ReadList): void {
  draft.quoted = true
  cursor.at += 1
  while (cursor.at < cursor.text.length) {
    const char = cursor.text.charAt(cursor.at)
    if (stepsOver(cursor, '"')) return
    if (char === '`') return giveUp(cursor, 'it has a backtick substitution')
    if (char === '$') readDollar(cursor, draft, { readList, quoted: true })
    else if (char === '\\' && '$`"\\\n'.includes(cursor.text.charAt(cursor.at + 1) || ' ')) {
      const next = cursor.text.charAt(cursor.at + 1)
      add(draft, next === '\n' ? '' : next)
      cursor.at += 2
    } else {
      add(draft, char)
      cursor.at += 1
    }
  }
  giveUp(cursor, 'a double quote is not closed')
}

const variable = /\$(?:[A-Za-z_][A-Za-z0-9_]*|\{[A-Za-z_][A-Za-z0-9_]*\}|[0-9?#@*$!-])/y

function readDollar(
  cursor: Cursor,
  draft: Draft,
  { readList, quoted }: { readonly readList: ReadList; readonly quoted: boolean },
): void {
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
    draft.text += `$${name}`
    draft.exact += `${expansionStart}${name}${expansionEnd}`
    draft.expands = true
    draft.splits ||= !quoted
    cursor.at += match[0].length
    return
  }
  if (sees(cursor, '${')) return giveUp(cursor, 'it has an expansion that is more than a name')
  add(draft, '$')
  cursor.at += 1
}

function readSubstitution(cursor: Cursor, draft: Draft, readList: ReadList): void {
  cursor.depth += 1
  // Bodies of the text around must not be looked for inside.
  const { bodies } = cursor
  cursor.bodies = []
  const script = readList(cursor)
  if (cursor.bodies.length > 0) giveUp(cursor, 'a here-document is not closed')
  cursor.bodies = bodies
  cursor.depth -= 1
  if (!stepsOver(cursor, ')')) return giveUp(cursor, 'a substitution is not closed')
  draft.substitutions.push(script)
  draft.text += '$()'
  draft.exact += `${expansionStart}()${expansionEnd}`
  draft.expands = true
}
