/** A title of what was said, at once and without a model. */
import { partWords } from '../image/words.ts'
import type { UserMessage } from '../message.ts'
import type { FileChanges } from '../workspace/file-change.ts'
import { cutToTitle, linesOf, plainLine } from './line.ts'
import { untitled } from './spec.ts'

/** The first line with words in the first text that has one. Of a text that was moved out of the event, its head. */
const firstLine = (texts: readonly string[]): string | undefined =>
  texts
    .flatMap((text) => linesOf(text))
    .map(plainLine)
    .find((line) => line !== '')

/** The texts of the user, in their order; of a long one its beginning. */
export const saidTexts = (
  input: readonly Pick<UserMessage, 'role' | 'parts'>[],
): readonly string[] =>
  input
    .filter(({ role }) => role === 'user')
    .flatMap(({ parts }) => parts.filter((part) => part.type !== 'image').map(partWords))

/** Paths of files that a run was given, as far as its event names them. */
export const givenPaths = (files: FileChanges | undefined): readonly string[] =>
  Array.isArray(files) ? files.filter(({ key }) => key !== null).map(({ path }) => path) : []

/**
 * The title of a thread whose user said `texts` first: their first line, without marks and without the name of a skill, at most
 * `limits.titleGraphemesMax` characters, cut between words with `…`. Without words it is the name of the first of `files`, else
 * `untitled`.
 */
export function titleOfWords(texts: readonly string[], files: readonly string[] = []): string {
  const line = firstLine(texts) ?? firstLine(files.map((path) => path.split('/').at(-1) ?? ''))
  return cutToTitle(line ?? untitled)
}
