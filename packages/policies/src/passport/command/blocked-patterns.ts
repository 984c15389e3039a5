/** Texts that a passport forbids in commands. */
import { isWild, matchesWildcard } from '../wildcard.ts'
import type { Executable } from './doings.ts'

/**
 * The first pattern that hits; null if none does. A single word hits as a word, a text with a space wherever it stands, one
 * with `*` or `?` by its wildcards, too; letter case makes no difference. The text is looked at as written, and each
 * program with its words after quote removal, so that `r"m" -rf` is `rm -rf`.
 */
export function blockedPattern(
  text: string,
  executables: readonly Executable[],
  patterns: readonly string[],
): string | null {
  const seen = [text, ...executables.map(({ words }) => words.map((word) => word.text).join(' '))]
  const spellings = seen.map((each) => each.toLowerCase().replaceAll(/\s+/g, ' '))
  return patterns.find((pattern) => spellings.some((each) => hits(pattern, each))) ?? null
}

function hits(pattern: string, text: string): boolean {
  const wanted = pattern.toLowerCase().trim().replaceAll(/\s+/g, ' ')
  if (wanted === '') return false
  if (isWild(wanted) && matchesWildcard(`*${wanted}*`, text)) return true
  if (wanted.includes(' ')) return text.includes(wanted)
  return hasWord(text, wanted)
}

const isWordChar = (char: string | undefined): boolean =>
  char !== undefined && /^[\p{L}\p{N}_]$/u.test(char)

function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const freeBefore = !isWordChar(word[0]) || !isWordChar(text[at - 1])
    const freeAfter = !isWordChar(word.at(-1)) || !isWordChar(text[at + word.length])
    if (freeBefore && freeAfter) return true
  }
  return false
}
