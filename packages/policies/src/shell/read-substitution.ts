/** Reads scripts within words: `$(…)`, and of the everyday grammar backticks and `<(…)`, `>(…)`. */
import { type Cursor, giveUp, inShell, stepsOver } from './cursor.ts'
import type { ShellScript } from './script.ts'
import { addExpansion, type WordDraft } from './word-draft.ts'

/** Reads the commands up to a closing parenthesis, which it leaves. */
export type ReadList = (cursor: Cursor) => ShellScript

/** Reads what stands behind `$(`, up to the parenthesis that closes it. */
export function readSubstitution(cursor: Cursor, draft: WordDraft, readList: ReadList): void {
  const script = readEnclosed(cursor, readList)
  if (script === null) return
  draft.substitutions.push(script)
  addExpansion(draft, { shown: '$()', name: '()', splits: false })
}

function readEnclosed(cursor: Cursor, readList: ReadList): ShellScript | null {
  cursor.depth += 1
  // Bodies of the text around must not be looked for inside.
  const { bodies } = cursor
  cursor.bodies = []
  const script = inShell(cursor, () => readList(cursor))
  if (cursor.bodies.length > 0) giveUp(cursor, 'a here-document is not closed')
  cursor.bodies = bodies
  cursor.depth -= 1
  if (stepsOver(cursor, ')')) return script
  giveUp(cursor, 'a substitution is not closed')
  // The everyday grammar keeps the part that was read, because the audit judges a part of a text as well.
  return cursor.everyday === null ? null : script
}

/** Reads `<(…)` or `>(…)`: to the command it is the name of a file. */
export function readProcess(cursor: Cursor, draft: WordDraft, readList: ReadList): void {
  const { everyday } = cursor
  if (everyday === null) return
  const shown = cursor.text.charAt(cursor.at)
  cursor.at += 2
  const { input } = everyday
  // The script in `>(…)` reads the output of the command around it.
  if (shown === '>') everyday.input = everyday.output
  const script = readEnclosed(cursor, readList)
  everyday.input = input
  if (script === null) return
  draft.substitutions.push(script)
  addExpansion(draft, { shown: `${shown}()`, name: `${shown}()`, splits: false })
}

/** Reads a substitution in backticks. In double quotes, `\"` is a quote within. */
export function readBackticks(
  cursor: Cursor,
  draft: WordDraft,
  { readList, quoted }: { readonly readList: ReadList; readonly quoted: boolean },
): void {
  const match = /`((?:[^`\\]|\\[^])*)`/y
  match.lastIndex = cursor.at
  const found = match.exec(cursor.text)
  if (found === null) return giveUp(cursor, 'a backtick is not closed')
  cursor.at = match.lastIndex
  const text = (found[1] ?? '').replaceAll(quoted ? /\\([`$\\"])/g : /\\([`$\\])/g, '$1')
  cursor.depth += 1
  draft.substitutions.push(inShell(cursor, () => readWithin(cursor, text, readList)))
  cursor.depth -= 1
  addExpansion(draft, { shown: '$()', name: '()', splits: !quoted })
}

/** Reads a text that stands within the text at hand, and has rules of its own about quotes. */
export function readWithin<Read>(
  cursor: Cursor,
  text: string,
  read: (within: Cursor) => Read,
): Read {
  const within: Cursor = { ...cursor, text, at: 0, bodies: [] }
  const result = read(within)
  if (within.at < within.text.length) giveUp(within, 'a parenthesis is closed that was not opened')
  cursor.commands = within.commands
  if (within.problem !== null) giveUp(cursor, within.problem)
  return result
}
