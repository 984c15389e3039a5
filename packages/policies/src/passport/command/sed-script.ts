/**
 * Does a script of sed run a program, write a file, or hold what is not understood?
 *
 * L1 Only a subset is read in which all programs called sed agree: addresses by number and by pattern; blocks; `s` and `y`
 *    with plain delimiters; `a`, `i`, `c` with one line of text; the commands that print, delete, join and jump. Everything
 *    else counts as a script that runs a program.
 */
import { skipsPattern, skipsText } from './script-pattern.ts'

interface Reader {
  readonly text: string
  at: number
}

/** True, too, for a script that is outside of the subset. */
export function sedRuns(text: string): boolean {
  const reader: Reader = { text, at: 0 }
  for (;;) {
    takes(reader, /[\s;]*/y)
    if (reader.at >= text.length) return false
    if (takes(reader, /#[^\n]*/y) !== null) continue
    if (!readsAddresses(reader) || !readsCommand(reader)) return true
  }
}

/** Steps over what the sticky pattern matches here; null if it does not match. */
function takes(reader: Reader, pattern: RegExp): string | null {
  pattern.lastIndex = reader.at
  const found = pattern.exec(reader.text)?.[0] ?? null
  reader.at += found?.length ?? 0
  return found
}

function readsAddresses(reader: Reader): boolean {
  if (!readsAddress(reader)) return false
  if (takes(reader, /[ \t]*,[ \t]*/y) !== null && !readsAddress(reader)) return false
  takes(reader, /[ \t!]*/y)
  return true
}

/** A number, `first~step`, `+n`, `~n`, `$`, or a pattern. */
function readsAddress(reader: Reader): boolean {
  if (takes(reader, /[+~]?\d+(?:~\d+)?|\$/y) !== null) return true
  const mark = takes(reader, /\/|\\[|,#@:!%~+_=]/y)
  if (mark === null) return true
  if (!skipsTo(reader, mark.slice(-1), true)) return false
  takes(reader, /[IM]*/y)
  return true
}

/** Steps behind the next mark; false where there is none, or where two programs would find two different ones. */
function skipsTo(reader: Reader, mark: string, isPattern: boolean): boolean {
  const skips = isPattern ? skipsPattern : skipsText
  const end = skips(reader.text, reader.at, mark)
  if (end === null) return false
  reader.at = end
  return true
}

/** The signs that may stand behind a command. */
const ends = /[ \t]*(?:[;\n]|(?=[#}])|$)/y

function readsCommand(reader: Reader): boolean {
  const command = takes(reader, /[^]/y)
  if (command === null) return false
  if (command === '{') return true
  if (command === 's' || command === 'y') return readsExchange(reader, command)
  if (/[aic]/.test(command)) return takes(reader, /(?:\\\n[^\n\\]*|\\?[^\n\\]*)(?:\n|$)/y) !== null
  if (command === 'r')
    return takes(reader, /[ \t]+(?![^\n]*(?:^|[/ \t])\.[\w])[\w][\w./-]*(?:\n|$)/y) !== null
  if (command === ':') takes(reader, /[ \t]*\w+/y)
  else if (/[btT]/.test(command)) takes(reader, /[ \t]*\w*/y)
  else if (/[lqQ]/.test(command)) takes(reader, /[ \t]*\d*/y)
  else if (!/[=dDgGhHnNpPxzF}]/.test(command)) return false
  return takes(reader, ends) !== null
}

function readsExchange(reader: Reader, command: 's' | 'y'): boolean {
  const mark = takes(reader, /[/|,#@:!%~+_;=]/y)
  if (mark === null) return false
  if (!skipsTo(reader, mark, command === 's') || !skipsTo(reader, mark, false)) return false
  if (command === 's') takes(reader, /[gpiIm0-9]*/y)
  return takes(reader, ends) !== null
}
