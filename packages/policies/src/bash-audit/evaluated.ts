/** Words that the shell takes for arithmetic or for the name of a variable: a subscript in them is expanded once more, and what is substituted there runs. */
import type { Command, Word } from '../shell/script.ts'

const naming = new Set(
  'let printf read unset declare typeset local export readonly mapfile readarray getopts wait'.split(
    ' ',
  ),
)
const testing = new Set(['[', '[[', 'test'])
const comparing = /^-(?:eq|ne|lt|le|gt|ge|v|R)$/
const subscript =
  /^\s*(?:[A-Za-z_]\w*\s*[-+*/%]?=\s*)?[A-Za-z_]\w*\[[^\]$`]*(?:\$\([^)]*\)|`[^`]*`)/

/** The texts in which something is substituted that stands in a quoted word. A value may be used in arithmetic later. */
export function evaluatedTexts({ assignments, words }: Command): readonly string[] {
  const name = words[0]?.text ?? ''
  const isTest = testing.has(name) && words.some(({ text }) => comparing.test(text))
  const given = isTest || naming.has(name) ? words.slice(1) : []
  return [...assignments.map(({ value }) => value), ...given]
    .filter(isEvaluated)
    .map(({ text }) => text)
}

const isEvaluated = ({ text, quoted }: Word): boolean => quoted && subscript.test(text)
