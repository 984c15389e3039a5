/**
 * Reads expansions of the everyday grammar: `${…}` with all its operators, arithmetic, `$'…'`.
 *
 * E1 Nothing is carried out. A script that stands in an expansion, however deep, is among the substitutions of the word.
 * E2 `$NAME`, `${NAME}`, `${NAME:?…}` and `${NAME[…]}` are looked up by their name, the element of a number with it: `NAME[0]`. Any other expansion has a name that no variable has: those of all
 *    the variables in it, each with a colon behind it.
 */
import { type Cursor, giveUp, sees, stepsOver } from './cursor.ts'
import { readAnsiQuoted } from './ansi-quoted.ts'
import { standsHere, takeWord } from './grammar.ts'
import { readBackticks, type ReadList, readSubstitution } from './read-substitution.ts'
import { expansionsIn } from './script.ts'
import { addExpansion, addText, emptyWord, type WordDraft } from './word-draft.ts'

const depthMax = 32

/** The parameters of reading an expansion, besides the place and the word. */
export interface ExpansionReading {
  readonly readList: ReadList
  /** Does it stand in double quotes? */
  readonly quoted: boolean
  /** Reads a text in double quotes, from the first quote on. */
  readonly readDouble: (cursor: Cursor, draft: WordDraft, readList: ReadList) => void
}

const plainName = /\$([A-Za-z_][A-Za-z0-9_]*|[0-9?#@*$!-])/y

/** Reads what begins with `$`. */
export function readExpansion(cursor: Cursor, draft: WordDraft, how: ExpansionReading): void {
  const { quoted, readList, readDouble } = how
  if (sees(cursor, '$\\\n')) return giveUp(cursor, 'it has a line joined after "$"')
  if (sees(cursor, '$((') && closesTwice(cursor.text, cursor.at + 3)) {
    cursor.at += 3
    return readArithmetic(cursor, draft, { ...how, end: '))' })
  }
  if (stepsOver(cursor, '$[')) return readArithmetic(cursor, draft, { ...how, end: ']' })
  if (stepsOver(cursor, '$(')) {
    draft.splits ||= !quoted
    return readSubstitution(cursor, draft, readList)
  }
  if (sees(cursor, '${')) return nested(cursor, () => readBraced(cursor, draft, how))
  if (!quoted && sees(cursor, "$'")) return readAnsiQuoted(cursor, draft)
  if (!quoted && sees(cursor, '$"')) {
    cursor.at += 1
    return readDouble(cursor, draft, readList)
  }
  plainName.lastIndex = cursor.at
  const name = plainName.exec(cursor.text)?.[1]
  if (name === undefined) {
    addText(draft, '$')
    cursor.at += 1
    return
  }
  cursor.at += 1 + name.length
  addExpansion(draft, { shown: `$${name}`, name, splits: !quoted })
}

function nested(cursor: Cursor, read: () => void): void {
  cursor.depth += 1
  if (cursor.depth > depthMax) giveUp(cursor, 'it is nested too deep')
  read()
  cursor.depth -= 1
}

/** Is the parenthesis that closes the inner one of `((` followed by another? Else it is a group within a group. */
export function closesTwice(text: string, from: number): boolean {
  let depth = 1
  for (let at = from; at < text.length; at += 1) {
    const char = text.charAt(at)
    if (char === '\\') at += 1
    else if (char === '(') depth += 1
    else if (char === ')') depth -= 1
    if (depth === 0) return text.charAt(at + 1) === ')'
  }
  return false
}

/** Reads arithmetic up to what ends it. Its value is a number. */
export function readArithmetic(
  cursor: Cursor,
  draft: WordDraft,
  how: ExpansionReading & { readonly end: '))' | ']' },
): void {
  const inner = emptyWord()
  let depth = 0
  nested(cursor, () => {
    while (cursor.at < cursor.text.length) {
      const char = cursor.text.charAt(cursor.at)
      if (depth === 0 && stepsOver(cursor, how.end)) return
      if (char === '$') readExpansion(cursor, inner, { ...how, quoted: true })
      else if (char === '`') readBackticks(cursor, inner, { ...how, quoted: true })
      else {
        if (char === '(' || char === '[') depth += 1
        if (char === ')' || char === ']') depth -= 1
        cursor.at += char === '\\' ? 2 : 1
      }
    }
    giveUp(cursor, 'arithmetic is not closed')
  })
  draft.substitutions.push(...inner.substitutions)
  addExpansion(draft, { shown: '$(())', name: '#', splits: false })
}

/** A name of a variable or of a parameter, behind `!` or `#` where these are operators. */
const braceHead = /\$\{([!#](?=[A-Za-z0-9_@*#?$-]))?([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[?#@*$!-])/y

/** `${ command; }`, whose output is the value, as newer shells have it; behind `|` it is what it says by REPLY. */
const commandHead = /\$\{(?:[ \t\n]|\|)/y

function readCommandIn(cursor: Cursor, draft: WordDraft, how: ExpansionReading): void {
  const script = how.readList(cursor)
  draft.substitutions.push(script)
  if (!stepsOver(cursor, '}')) giveUp(cursor, 'an expansion is not closed')
  addExpansion(draft, { shown: '$()', name: '()', splits: !how.quoted })
}

function readBraced(cursor: Cursor, draft: WordDraft, how: ExpansionReading): void {
  if (takeWord(cursor, commandHead) !== null) return readCommandIn(cursor, draft, how)
  const from = cursor.at
  braceHead.lastIndex = from
  const [head, prefix = '', name = ''] = braceHead.exec(cursor.text) ?? []
  if (head === undefined) return giveUp(cursor, 'it has an expansion that is no name')
  cursor.at += head.length
  const operand = emptyWord()
  const element = stepsOver(cursor, '[') ? readSubscript(cursor, operand, how) : ''
  // Behind `?` stands what is said where there is no value; then nothing else runs.
  const isNamed = prefix === '' && standsHere(cursor, named)
  readOperand(cursor, operand, how)
  if (!stepsOver(cursor, '}')) giveUp(cursor, 'an expansion is not closed')
  draft.substitutions.push(...operand.substitutions)
  const shown = isNamed ? `$${name}` : cursor.text.slice(from, cursor.at)
  const other = [name, ...expansionsIn(operand.exact)].join(':')
  const known = isNamed ? name + element : prefix === '#' ? '#' : `${other}:`
  addExpansion(draft, { shown, name: known, splits: !how.quoted })
}

/** The signs that end a name, or insist on its value. */
const named = /\}|:?\?/y
const index = /(\d{1,6})(?=\])/y

/** Reads up to the bracket that closes. Answers the subscript with its brackets if it is a number, else nothing. */
function readSubscript(cursor: Cursor, operand: WordDraft, how: ExpansionReading): string {
  const at = takeWord(cursor, index)
  while (cursor.at < cursor.text.length && !stepsOver(cursor, ']'))
    readOperandPiece(cursor, operand, { ...how, takesQuotes: true })
  return at === null ? '' : `[${Number(at)}]`
}

/** Reads up to the brace that closes. In double quotes, single quotes quote the patterns of `#`, `%` and `/`, and nothing else. */
function readOperand(cursor: Cursor, operand: WordDraft, how: ExpansionReading): void {
  const takesQuotes = !how.quoted || /[#%/^,]/.test(cursor.text.charAt(cursor.at))
  while (cursor.at < cursor.text.length && !sees(cursor, '}'))
    readOperandPiece(cursor, operand, { ...how, takesQuotes })
}

function readOperandPiece(
  cursor: Cursor,
  operand: WordDraft,
  how: ExpansionReading & { readonly takesQuotes: boolean },
): void {
  const char = cursor.text.charAt(cursor.at)
  if (char === '$') return readExpansion(cursor, operand, how)
  if (char === '`') return readBackticks(cursor, operand, how)
  if (char === '"') return how.readDouble(cursor, operand, how.readList)
  if (char === "'" && how.takesQuotes) {
    const end = cursor.text.indexOf("'", cursor.at + 1)
    if (end < 0) return giveUp(cursor, 'a single quote is not closed')
    cursor.at = end + 1
    return
  }
  cursor.at += char === '\\' ? 2 : 1
}
